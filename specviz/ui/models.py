"""The state of the models in words."""

from __future__ import annotations

import streamlit as st

from specviz.ui import i18n
from specviz.ui.state import engine

_SIGN = {"cold": "○", "loading": "◔", "ready": "✓", "failed": "✗"}


def sentence(pair: str) -> str:
    """One line: which pair, how far, and why not."""
    state = engine().models[pair]
    name = i18n.t(f"pairs.{pair}")
    if state.state == "failed":
        what = state.error.sentence(i18n.language())
    elif state.state == "loading":
        what = i18n.t(f"models.stage_{state.stage}", percent=round(100 * state.share))
    else:
        what = i18n.t(f"models.{state.state}")
    return f"{_SIGN[state.state]} {name} — {what}"


def watch(pair: str) -> None:
    """Show the line and keep it true until the pair is ready or has failed."""

    def busy():
        return engine().models[pair].state in ("cold", "loading")

    @st.fragment(run_every=1.0 if busy() else None)
    def line():
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
