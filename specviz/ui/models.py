"""The state of the models in words."""

from __future__ import annotations

import streamlit as st

from specviz.engine import references
from specviz.engine.service import ModelState
from specviz.errors import BadInput
from specviz.locale import labels
from specviz.ui import i18n
from specviz.ui.state import engine
from specviz.ui.words import literal, refusal

_SIGN = {"cold": "○", "loading": "◔", "ready": "✓", "failed": "✗"}


def name(pair: str, language: str | None = None) -> str:
    """A pair in words where it has words, else its models by their names; in the reader's language unless told which."""
    words = labels(language or i18n.language())["pairs"]
    if pair in words:
        return words[pair]
    try:
        named = references.parse_pair(pair)
    except BadInput:  # what was loaded from a folder may be gone from there
        return pair
    return named.target.at.rpartition("/")[2] if named.name == named.title else named.title


def doing(state: ModelState) -> str:
    """What a pair that is being loaded waits for."""
    return i18n.t(f"models.stage_{state.stage}", percent=round(100 * state.share))


def sentence(pair: str) -> str:
    """One line: which pair, how far, and why not."""
    state = engine().state(pair)
    if state.state == "failed":
        what = refusal(state.error)
    elif state.state == "loading":
        what = doing(state)
    else:
        what = i18n.t(f"models.{state.state}")
    return f"{_SIGN[state.state]} {literal(name(pair))} — {what}"


def watch(pair: str) -> None:
    """Show the line and keep it true until the pair is ready or has failed."""

    def busy():
        return engine().state(pair).state in ("cold", "loading")

    @st.fragment(run_every=1.0 if busy() else None)
    def line():
        i18n.keep()
        settled = not busy()
        st.markdown(sentence(pair))
        if settled and st.session_state.get("_models_settled") != pair:
            st.session_state["_models_settled"] = pair
            st.rerun()  # stops the polling

    if busy():
        st.session_state.pop("_models_settled", None)
    else:
        st.session_state["_models_settled"] = pair
    line()
