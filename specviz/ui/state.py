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
    """A function that tells, from any thread, whether this visitor is still (or was just now) connected."""
    context = get_script_run_ctx()
    session = context.session_id if context else None
    seen = time.monotonic()

    def present() -> bool:
        nonlocal seen
        now = time.monotonic()
        try:
            if session is None or get_instance().is_active_session(session):
                seen = now
        except RuntimeError:  # no server around it, as in tests
            seen = now
        return now - seen < GRACE

    return present
