"""Parts of a page on a page of their own, for tests that need nothing else."""

import streamlit as st

from specviz.ui import clock, frame, i18n, measured

st.set_page_config(layout="wide", initial_sidebar_state="collapsed")
i18n.language()
frame.style()
measured.section()
clock.section()
