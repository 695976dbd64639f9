"""The gallery: every rule on trial on one p and q, the picture's, those of the court's real place or the lesson's."""

from __future__ import annotations

from html import escape
from pathlib import Path

import numpy as np
import streamlit as st

from specviz import court, gallery, rule
from specviz.engine.service import Job
from specviz.ui import charts, i18n, play, widgets, words
from specviz.ui.components.bars import CROWDS

ON = ("picture", "place", "lesson")  # whose p and q
LESSON = ("abc", [0.6, 0.3, 0.1], [0.2, 0.3, 0.5])  # they tell every wrong rule from the right one
_SIGN = {"right": "✓", "wasteful": "✓", "lossy": "✗", "wrong": "✗"}
_COLUMNS = ("rule", "says", "distance", "convicted_after", "verdict")
_STYLE = (Path(__file__).parent / "gallery.css").read_text(encoding="utf-8")
ROUNDING = 1e-12  # a TV below it is rounding


def show(place: Job | None) -> tuple[list[str], np.ndarray, np.ndarray] | None:
    """The table; returns the tokens, p and q it is about, or None while there is none.

    place: the trial of the court's place, whose report has that place's p and q; None before the first.
    """
    on = widgets.choice(i18n.t("court.gallery_on"), ON, "gallery", lambda code: i18n.t(f"court.gallery_{code}"))
    if on != "place":
        tokens, p, q = play.distributions() if on == "picture" else LESSON
        st.caption(i18n.t(f"court.on_{on}", what=columns_in_words(tokens, p, q)))
    elif place is None or place.report is None:
        waiting = place is not None and not place.finished
        st.info(i18n.t("court.place_soon" if waiting else "court.place_none"))
        return None
    else:
        found = place.report
        tokens = [*found["tokens"], *CROWDS.values()]
        sides = [found["rest"][name] for name in ("over", "under")]
        p, q = (found[row] + [side[row] for side in sides] for row in "pq")
        over, under = sides
        st.caption(
            i18n.t(
                "court.on_place",
                prompt=words.verbatim(place.request.prompt),
                temperature=place.request.settings.temperature,
                what=columns_in_words(found["tokens"], p, q),
                columns=len(p),
                count=f"{over['count'] + under['count']:,}",
                over=_pair(over["p"], over["q"]),
                under=_pair(under["p"], under["q"]),
            )
        )
    p, q = court.check(p, q)
    laws = _laws(p, q)
    lucky = sum(needed is None and not gallery.RULES[name].lossless for name, (_, needed) in laws.items())
    if lucky:
        st.info(i18n.t("court.blind", n=lucky, of=sum(not entry.lossless for entry in gallery.RULES.values())))
    st.html(_table(laws, p, q))
    return list(tokens), p, q


def columns_in_words(tokens, p, q) -> str:
    """Every token with its p and its q."""
    named = zip(tokens, p, q, strict=False)  # the two sums have no token
    return " · ".join(f"**{words.verbatim(token) or '∎'}**\u00a0{_pair(a, b)}" for token, a, b in named)


def _pair(p: float, q: float) -> str:
    return words.verbatim(f"p {words.share(p)} q {words.share(q)}").replace(" ", "\u00a0")


def _table(laws, p, q) -> str:
    colours = charts.colours()
    ink = ";".join(f"--{name}:{colours[name]}" for name in ("ink", "line", "panel"))
    head = "".join(f'<th scope="col" class="{name}">{escape(i18n.t(f"court.{name}"))}</th>' for name in _COLUMNS)
    body = "".join(_row(name, gallery.RULES[name], *numbers, p, q) for name, numbers in laws.items())
    return (
        f'<style>{_STYLE}</style><table class="gallery" style="{ink}">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _laws(p, q) -> dict[str, tuple[float, int | None]]:
    """For every rule: the TV of its exact law from p, and after how many throws it is convicted."""
    laws = {name: court.exact_law(entry.function, p, q) for name, entry in gallery.RULES.items()}
    return {name: (rule.total_variation(law, p), court.throws_to_convict(law, p)) for name, law in laws.items()}


def _row(name, entry, distance, needed, p, q) -> str:
    cells = {
        "says": i18n.t(f"gallery.{name}"),
        "distance": words.small(distance) if distance > ROUNDING else "0",
        "convicted_after": f"{needed:,}" if needed else "–",
        "verdict": _verdict(entry, needed, p, q),
    }
    # On a phone a row is a card, and a cell carries the head of its column with it.
    data = "".join(
        f'<td class="{column}" data-head="{escape(i18n.t(f"court.{column}"))}">{escape(text)}</td>'
        for column, text in cells.items()
    )
    return f'<tr><th scope="row" class="rule"><code>{name}</code></th>{data}</tr>'


def _verdict(entry, needed, p, q) -> str:
    """In words; a wrong rule may happen to be right for these p and q, and then the court says so."""
    mine, best = float(np.dot(p, q)), rule.beta(p, q)
    if entry.kind == "wasteful" and best - mine > ROUNDING:
        says = i18n.t("court.kind_wasteful", mine=words.small(mine), best=words.small(best))
    elif entry.kind == "wasteful":
        says = i18n.t("court.kind_spares")
    elif needed is None and entry.kind != "right":
        says = i18n.t("court.kind_lucky")
    else:
        says = i18n.t(f"court.kind_{entry.kind}")
    return f"{_SIGN[entry.kind] if needed or entry.lossless else '✓'} {says}"
