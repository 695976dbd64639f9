"""Who waits for what is being fetched: one visitor's cancel does not take it from the others."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from specviz.engine.fetching import Fetch
from specviz.ui.state import engine, presence


@st.cache_resource
def _waiting() -> dict[str, list[Callable[[], bool]]]:
    """Name of a pair or a model -> the visitors who asked for it."""
    return {}


def running(name: str) -> Fetch | None:
    """The fetch of this name while it is on, whoever began it."""
    fetch = engine().fetches.get(name)
    return None if fetch is None or fetch.finished else fetch


def begin(name: str, weights: bool = True) -> Fetch:
    """Ask for the files of a pair or a model; one that is on its way is joined."""
    mine, waiting = presence(), _waiting()
    waiting[name] = [*_others(name), mine]
    return engine().fetch(name, weights)


def may_cancel(name: str) -> bool:
    """Whether this visitor asked for it, or nobody is left who did."""
    return presence() in _waiting().get(name, []) or not _others(name)


def cancel(name: str) -> None:
    """This visitor waits no more; it stops when nobody else does."""
    fetch, others = running(name), _others(name)
    _waiting()[name] = others
    if fetch and not others:
        fetch.cancel()


def _others(name: str) -> list[Callable[[], bool]]:
    """Who else asked for it and is still there."""
    return [there for there in _waiting().get(name, []) if there is not presence() and there()]
