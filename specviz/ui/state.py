"""What is shared by all visitors (the engine) and what is remembered for one."""

from __future__ import annotations

import time
from collections.abc import Callable

import streamlit as st
from streamlit.runtime import get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx

from specviz.engine.service import Service

GRACE = 10.0  # seconds a lost connection may take to come back before its run is given up


@st.cache_resource
def engine() -> Service:
    """The one engine of this server."""
    return Service()


def presence() -> Callable[[], bool]:
    """This visitor, as a function that tells from any thread whether they are still (or were just now) connected.

    One and the same for all runs of a visitor, so that they can be told from others.
    """
    if "_presence" not in st.session_state:
        context = get_script_run_ctx()
        st.session_state["_presence"] = _presence_of(context.session_id if context else None)
    return st.session_state["_presence"]


def _presence_of(session):
    lost = None

    def present() -> bool:
        nonlocal lost
        try:
            here = session is None or get_instance().is_active_session(session)
        except RuntimeError:  # no server around it, as in tests
            here = True
        now = time.monotonic()
        lost = None if here else lost or now
        return here or now - lost < GRACE

    return present
