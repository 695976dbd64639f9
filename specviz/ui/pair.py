"""Which pair of models the visitor works with: chosen anywhere, kept over pages, in the address.

Until one is chosen it is the bundled pair of the reader's language.
"""

from __future__ import annotations

import streamlit as st

from specviz.engine import pairs
from specviz.errors import BadInput
from specviz.locale import say
from specviz.ui import i18n

KEY = "pair"
_WIDGET = "pair_list"


def chosen() -> str:
    """The name of the pair; a name in the address that is no pair is answered with a sentence."""
    asked = st.query_params.get(KEY)
    if asked and asked != st.session_state.get("_pair_written"):
        try:
            st.session_state["_pair"] = _checked(asked)
        except BadInput as error:
            st.error(error.sentence(i18n.language()))
    name = st.session_state.get("_pair") or bundled(i18n.language())
    st.session_state["_pair_written"] = st.query_params[KEY] = name
    return name


def choose() -> str:
    """A list of the pairs that can be had, and the one chosen."""
    now = chosen()
    offered = [*pairs.catalogue(), *([now] if now not in pairs.catalogue() else [])]

    def take():
        st.session_state["_pair"] = st.session_state[_WIDGET]
        st.query_params[KEY] = st.session_state["_pair"]

    language = i18n.language()
    st.session_state[_WIDGET] = now
    st.selectbox(
        i18n.t("models.pair"),
        offered,
        key=_WIDGET,
        format_func=lambda name: title(name, language),
        on_change=take,
        label_visibility="collapsed",
        width=190,
    )
    return now


def bundled(language: str) -> str:
    """The pair that comes along for readers of this language."""
    entries = pairs.catalogue()
    return next((name for name, entry in entries.items() if entry.get("language") == language), next(iter(entries)))


def title(name: str, language: str | None = None) -> str:
    """A pair in words."""
    return say(language or i18n.language(), f"pairs.{name}") if name in pairs.catalogue() else name


def reads(name: str) -> str | None:
    """The only language whose texts this pair knows, None where it knows many."""
    return pairs.catalogue().get(name, {}).get("language")


def _checked(name: str) -> str:
    if name not in pairs.catalogue():
        raise BadInput("no_pair", name=name, known=", ".join(pairs.catalogue()))
    return name
