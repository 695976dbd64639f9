"""Which pair of models the visitor works with: chosen anywhere, kept over pages, in the address.

Until one is chosen it is the bundled pair of the reader's language.
"""

from __future__ import annotations

from collections import Counter

import streamlit as st

from specviz import examples
from specviz.engine import catalogue, references
from specviz.errors import BadInput
from specviz.ui import i18n, models, words
from specviz.ui.state import engine

KEY = "pair"
_WIDGET = "pair_list"


def chosen() -> str:
    """The name of the pair; a name in the address that is no pair is answered with a sentence."""
    asked = st.query_params.get(KEY)
    if not asked or asked == st.session_state.get("_pair_written"):
        asked = st.session_state.get("_pair")
    try:
        st.session_state["_pair"] = asked and references.parse_pair(asked).name
    except BadInput as error:  # no name of a pair, or that of a folder which is gone
        st.session_state["_pair"] = None
        st.error(words.refusal(error))
    name = st.session_state["_pair"] or catalogue.for_readers(i18n.language())
    st.session_state["_pair_written"] = name
    if st.query_params.get(KEY) != name:
        st.query_params[KEY] = name
    return name


def choose() -> str:
    """A list of the pairs at hand, and the one chosen; others are had on the page of models."""
    now = chosen()
    titles = _titles(_at_hand(now))

    def take():
        # A browser that was asked just before the language changed answers with a title that is no longer one.
        if st.session_state[_WIDGET] in titles:
            st.session_state["_pair"] = st.query_params[KEY] = st.session_state[_WIDGET]

    st.session_state[_WIDGET] = now
    st.selectbox(
        i18n.t("models.pair"),
        list(titles),
        key=_WIDGET,
        format_func=lambda name: titles.get(name, name),
        on_change=take,
        label_visibility="collapsed",
        width=216,
    )
    return now


def recorded(name: str) -> str:
    """The pair whose recorded runs are shown: this one, or where it has none, that of the reader's language."""
    return name if name in examples.BY_PAIR else catalogue.for_readers(i18n.language())


def reads(name: str) -> str | None:
    """The only language whose texts a bundled pair knows; None for any other pair."""
    entry = catalogue.bundled().get(name)
    return entry and entry.language


def drafter(name: str) -> str:
    """Who guesses: the draft model of the pair, or, where it has none, the text so far."""
    return "lookup" if is_alone(name) else "model"


def chats(name: str) -> bool:
    """Whether a prompt can be sent to it as a chat message. Asked of its files: the controls stand before it is loaded."""
    return references.parse_pair(name).target.chats


def is_alone(name: str) -> bool:
    """Whether it has no draft model."""
    return references.parse_pair(name).draft is None


def note_alone(name: str) -> None:
    """Where it has no draft model, say that what stands here needs one."""
    if is_alone(name):
        st.caption(i18n.t("models.no_draft"))


def _titles(names: list[str]) -> dict[str, str]:
    """Name -> title, no two alike: where two folders are called the same, their whole names stand behind."""
    titles = {name: models.name(name) for name in names}
    often = Counter(titles.values())
    return {name: title if often[title] == 1 else f"{title} ({name})" for name, title in titles.items()}


def _at_hand(now: str) -> list[str]:
    """What came along, what this server has loaded and still lies where it was, and the one chosen."""
    known = list(engine().models.items())
    loaded = [name for name, state in known if state.state in ("loading", "ready") and _is_there(name)]
    return list(dict.fromkeys([*catalogue.bundled(), *loaded, now]))


def _is_there(name: str) -> bool:
    try:
        return bool(references.parse_pair(name))
    except BadInput:
        return False
