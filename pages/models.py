"""Which pairs there are, what they need, whether two models of your own fit together; fetch, load, use in the round."""

import streamlit as st

from specviz.ui import catalogue, frame, i18n, yours

frame.enter()

catalogue.show()
yours.show()
st.markdown(i18n.prose("models"))
