"""One sentence cut by two tokenizers, one above the other: where they part is seen before it is read."""

from __future__ import annotations

from difflib import SequenceMatcher
from html import escape
from pathlib import Path

import streamlit as st

from specviz.ui import charts, i18n, words

SIDES = ("target", "draft")
_STYLE = (Path(__file__).parent / "tokenizations.css").read_text(encoding="utf-8")


def show(sample: dict, names: dict[str, str], first: dict) -> None:
    """Both rows of pieces with their ids, and the first id that spells two texts.

    sample: {"sentence", "target", "draft"}, the texts, and "target_ids", "draft_ids". names: of the two models.
    first: {"id", "target", "draft"}; a text is None past the end of a vocabulary.
    """
    c = charts.colours()
    ink = ";".join(f"--{name}:{c[name]}" for name in ("ink", "quiet", "paper", "panel", "line", "p", "q", "rejected"))
    alike = same(*(pieces(sample, side) for side in SIDES))
    rows = "".join(_row(side, names[side], pieces(sample, side), alike[side]) for side in SIDES)
    st.html(
        f'<style>{_STYLE}</style><div class="cuts" style="{ink}" data-specviz="tokenizations">'
        f"<p>{escape(i18n.t('yours.sentence', sentence=sample['sentence']))}</p>{rows}"
        f'<p class="key"><b class="piece other">…</b> {escape(i18n.t("yours.piece_other"))}</p>{_first(first)}</div>'
    )


def pieces(sample: dict, side: str) -> list[tuple[str, int]]:
    """(text, id) of every token of one side."""
    return list(zip(sample[side], sample[f"{side}_ids"], strict=True))


def same(target: list, draft: list) -> dict[str, set[int]]:
    """For each side the places whose piece has its twin, text and id, at the corresponding place of the other."""
    places = {side: set() for side in SIDES}
    for block in SequenceMatcher(None, target, draft, autojunk=False).get_matching_blocks():
        places["target"] |= set(range(block.a, block.a + block.size))
        places["draft"] |= set(range(block.b, block.b + block.size))
    return places


def _row(side: str, name: str, found: list[tuple[str, int]], alike: set[int]) -> str:
    head = i18n.t(f"yours.cut_{side}", name=name, n=len(found))
    chips = "".join(
        f'<li class="piece {"same" if i in alike else "other"}"><bdi>{escape(words.shown(text))}</bdi><small>{id}</small></li>'
        for i, (text, id) in enumerate(found)
    )
    return f'<div class="cut {side}"><p>{escape(head)}</p><ol aria-label="{escape(head)}">{chips}</ol></div>'


def _first(first: dict) -> str:
    """The first id at which the vocabularies part, as large as it matters."""
    texts = {side: first[side] for side in SIDES}
    sides = "".join(
        f'<span class="side {side}">{escape(i18n.t(f"catalogue.{side}"))} '
        f"<b>{escape(i18n.t('yours.no_such_id') if text is None else words.shown(text))}</b></span>"
        for side, text in texts.items()
    )
    return f'<p class="first"><span>{escape(i18n.t("yours.first_difference", id=first["id"]))}</span>{sides}</p>'
