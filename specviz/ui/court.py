"""The court: the engine's own rule thrown at a real position, whole texts of the whole engine, the gallery of rules."""

from __future__ import annotations

import re

import numpy as np
import streamlit as st

from specviz import court, examples, gallery, rule
from specviz.engine.service import Trial
from specviz.errors import BadInput
from specviz.settings import Settings
from specviz.ui import charts, controls, i18n, play
from specviz.ui.state import engine, presence

PAIR = "poem"
THROWS = 100_000
TEXTS = 20_000
PLACE = examples.load("home")["prompt"] + "举头"
LARGEST_SEED = 999_999_999  # a text has a seed of its own, a million times this one
SHOWN_PROMPT = 24  # characters
_SIGN = {"right": "✓", "wasteful": "✓", "lossy": "✗", "wrong": "✗"}


def show() -> None:
    st.markdown(i18n.prose("court"))
    seed = _position()
    st.markdown(i18n.prose("court_gallery"))
    _gallery()
    st.markdown(i18n.prose("court_texts"))
    _texts(seed)
    with st.expander(i18n.t("court.homework")):
        st.markdown(i18n.prose("court_homework"))


def _position() -> int:
    """The engine's rule at one place; returns the seed on screen, which the texts are written with too."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="court_controls"):
        prompt = controls.keep(
            st.text_input, i18n.t("court.prompt"), PLACE, key="court_prompt", max_chars=controls.LONGEST_PROMPT
        )
        temperature = controls.keep(
            st.slider, i18n.t("court.temperature"), 1.0, key="court_temperature",
            min_value=0.1, max_value=2.0, step=0.1, width=220,
        )  # fmt: skip
        seed = controls.keep(
            st.number_input, i18n.t("court.seed"), 0, key="court_seed",
            min_value=0, max_value=LARGEST_SEED, step=1, width=140,
        )  # fmt: skip
        seed = int(seed or 0)
        pressed = st.button(i18n.t("court.throw", n=f"{THROWS:,}"), type="primary", key="court_throw")
    if prompt.strip():
        _trial("_court_position", pressed, Trial(PAIR, prompt, Settings(temperature=round(temperature, 2), seed=seed), THROWS))
    else:
        st.error(BadInput("empty_prompt").sentence(i18n.language()))
    return seed


def _texts(seed: int) -> None:
    pressed = st.button(i18n.t("court.write", n=f"{TEXTS:,}"), key="court_write")
    _trial("_court_texts", pressed, Trial(None, "", Settings(seed=seed), TEXTS))


def _trial(name: str, pressed: bool, request: Trial) -> None:
    """Start a trial when asked, and show the one under this name while it grows.

    An address starts none; it shows the one it describes if this server has already held it.
    """
    held = engine().find(request.key)
    if pressed:
        try:
            st.session_state[name] = engine().submit(request, presence()).key
        except BadInput as error:
            st.error(error.sentence(i18n.language()))
    elif held and held.finished:
        st.session_state[name] = held.key
    job = engine().find(st.session_state.get(name, ""))
    if job is None:
        return

    @st.fragment(run_every=None if job.finished else 0.5)
    def report():
        finished = job.finished
        if job.state == "failed":
            st.error(job.error.sentence(i18n.language()))
        elif job.report is None:
            st.caption(i18n.t("round.queued", place=engine().place(job)))
        else:
            _report(job.report)
            st.caption(_of(job.request, request))
        if not finished:
            st.button(i18n.t("round.cancel"), key=f"{name}_cancel", on_click=job.leave, args=(presence(),))
        elif st.session_state.get(f"{name}_over") != job.key:
            st.session_state[f"{name}_over"] = job.key
            st.rerun()  # stops the polling

    report()


def _of(tried: Trial, asked: Trial) -> str:
    """What was on trial, so that it can be held again; and whether the controls still ask for it."""
    settings, says = tried.settings, []
    if tried.pair:
        where = _verbatim(tried.prompt[-SHOWN_PROMPT:])
        says.append(i18n.t("court.at", prompt=where, temperature=settings.temperature))
    says.append(i18n.t("court.drawn", seed=settings.seed))
    if tried != asked:
        says.append(i18n.t("court.changed"))
    return " ".join(says)


def _report(found: dict) -> None:
    n = found["throws"]
    convicted = found["p_value"] < court.GUILTY
    says = i18n.t("court.guilty" if convicted else "court.innocent")
    st.markdown(f"### {'✗' if convicted else '✓'} {says}")
    st.html(charts.thrown(found["tokens"], found["p"], found["frequencies"], n, i18n.t("court.chart")))
    mean, band = found["tv_by_chance"]
    words = {
        "n": f"{n:,}",
        "wanted": f"{found['wanted']:,}",
        "tv": f"{found['tv']:.4f}",
        "mean": f"{mean:.4f}",
        "band": f"{band:.4f}",
    }
    st.markdown(i18n.t("court.measured", p_value=_small(found["p_value"]), **words))
    if "law_error" in found:
        st.markdown(i18n.t("court.computed", error=_small(found["law_error"]), vocabulary=f"{found['vocabulary']:,}"))
    else:
        st.markdown(i18n.t("court.enumerated", texts=found["texts"]))


def _gallery() -> None:
    """Every rule on trial on the p and q of the picture."""
    tokens, p, q = play.distributions()
    p, q = court.check(p, q)
    head = [i18n.t(f"court.{name}") for name in ("rule", "says", "distance", "convicted_after", "verdict")]
    rows = [head, ["---"] * 2 + ["---:"] * 2 + ["---"]]
    for name, entry in gallery.RULES.items():
        law = court.exact_law(entry.function, p, q)
        needed = court.throws_to_convict(law, p)
        rows.append(
            [
                f"`{name}`",
                i18n.t(f"gallery.{name}"),
                f"{rule.total_variation(law, p):.3f}",
                f"{needed:,}" if needed else "–",
                _verdict(entry, needed, p, q),
            ]
        )
    st.caption(i18n.t("court.on", what=" · ".join(f"{t} p={a:.2f} q={b:.2f}" for t, a, b in zip(tokens, p, q, strict=True))))
    st.markdown("\n".join("| " + " | ".join(row) + " |" for row in rows))


def _verdict(entry, needed, p, q) -> str:
    """In words; a wrong rule may happen to be right for these p and q, and then the court says so."""
    if entry.kind == "wasteful":
        words = i18n.t("court.kind_wasteful", mine=f"{float(np.dot(p, q)):.2f}", best=f"{rule.beta(p, q):.2f}")
    elif needed is None and entry.kind != "right":
        words = i18n.t("court.kind_lucky")
    else:
        words = i18n.t(f"court.kind_{entry.kind}")
    return f"{_SIGN[entry.kind] if needed or entry.lossless else '✓'} {words}"


def _verbatim(text: str) -> str:
    """What a reader typed, in one line, with nothing in it that Markdown would take for its own."""
    return re.sub(r"([\\`*_{}\[\]#|~$<>:!])", r"\\\1", " ".join(text.split()))


def _small(x: float) -> str:
    return f"{x:.2g}" if 0 < x < 0.01 else f"{x:.3f}" if x else "0"
