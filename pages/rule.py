"""The acceptance rule: drag it, throw at it, prove it; and the court that tests it."""

import streamlit as st

from specviz.ui import court, frame, i18n, play

frame.enter()

VIEWS = ("play", "court")
# Not bound to the address by Streamlit, which would write the translated word there.
asked = st.query_params.get("view", st.session_state.get("_view"))
view = st.segmented_control(
    i18n.t("rule.view"),
    VIEWS,
    default=asked if asked in VIEWS else "play",
    required=True,
    key="view",
    format_func=lambda name: i18n.t(f"rule.view_{name}"),
    label_visibility="collapsed",
)
st.session_state["_view"] = st.query_params["view"] = view
if view == "court":
    court.show()
else:
    play.show()
