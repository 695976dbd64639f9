"""The reader's language: the address first (?lang=), then what was chosen before, then the browser, then English."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st

from specviz.locale import LANGUAGES, labels, say

_TEXT = Path(__file__).parent.parent / "text"


def language() -> str:
    """zh or en; written into the address, so that a copied link keeps it."""
    asked = st.query_params.get("lang")
    browser = (st.context.locale or "en").split("-")[0]
    chosen = next((code for code in (asked, st.session_state.get("_lang"), browser) if code in LANGUAGES), "en")
    st.session_state["_lang"] = chosen
    if asked != chosen:
        st.query_params["lang"] = chosen
    return chosen


def keep() -> None:
    """For what runs by itself between two runs of the page: a browser that was asked before the language changed hands
    back the old address, which a copied link must not have."""
    if st.query_params.get("lang") != st.session_state.get("_lang"):
        st.query_params["lang"] = st.session_state["_lang"]


def switch() -> None:
    """One click to the other language."""

    def other():
        now = st.session_state.get("_lang", "en")
        st.query_params["lang"] = next(code for code in LANGUAGES if code != now)

    name = next(name for code, name in LANGUAGES.items() if code != language())
    st.button(name, key="language", on_click=other, type="tertiary")


def t(key: str, **facts) -> str:
    """The label in the reader's language."""
    return say(st.session_state.get("_lang", "en"), key, **facts)


def table(name: str) -> dict[str, str]:
    """A whole table of labels, for a component that fills the gaps itself."""
    return labels(st.session_state.get("_lang", "en"))[name]


def prose(name: str) -> str:
    """A piece of Markdown in the reader's language."""
    return _read(st.session_state.get("_lang", "en"), name)


@cache
def _read(code, name):
    return (_TEXT / code / f"{name}.md").read_text(encoding="utf-8")
