import pytest
import streamlit as st

from specviz.engine.service import Service


@pytest.fixture(autouse=True)
def no_models(monkeypatch):
    """A service that never gets to loading; caches are shared between tests."""
    monkeypatch.setattr(Service, "_work", lambda self: None)
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()


@pytest.fixture(autouse=True)
def nothing_left_over():
    """Outside a page Streamlit keeps one session state for the whole process: what a test puts there, a language say, would
    reach every test after it, and which those are is for the workers to share out."""
    st.session_state.clear()
    yield
    st.session_state.clear()
