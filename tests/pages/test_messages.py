"""A message of the browser that overtakes the answer to the one before it loses nothing."""

import pytest
from streamlit.testing.v1 import AppTest


def overtaken(how):
    """A page whose callback finds, the first time, that the browser's next message has come."""
    import streamlit as st
    from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx

    from specviz.ui.components import whole

    calls = st.session_state.setdefault("calls", [])

    def changed():
        calls.append(None)
        if len(calls) == 1:
            get_script_run_ctx().script_requests.request_rerun(RerunData(query_string="next=1"))
        st.session_state["kept"] = True

    st.checkbox("box", on_change=whole(changed) if how == "whole" else changed)
    st.text(f"{st.session_state.get('kept', False)} {st.query_params.get('next')}")


@pytest.mark.parametrize(("how", "kept"), [("whole", True), ("bare", False)])
def test_a_callback_that_another_message_overtakes_is_run_to_its_end(how, kept):
    page = AppTest.from_function(overtaken, args=(how,)).run()
    page.checkbox[0].check().run()
    assert page.text[0].value == f"{kept} 1"  # and the message that overtook it is answered
