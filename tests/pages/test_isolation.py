"""What one test of a page does, the next must not see."""

import pytest
import streamlit as st


@pytest.mark.parametrize("language", ["zh", "en", "zh"])
def test_no_test_speaks_the_language_that_another_left_behind(language):
    assert "_lang" not in st.session_state
    st.session_state["_lang"] = language
