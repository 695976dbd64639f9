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
