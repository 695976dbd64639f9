"""Parts of a page on a page of their own, for tests that need nothing else."""

import streamlit as st

from specviz.ui import clock, i18n, measured
from specviz.ui.frame import _STYLE

st.set_page_config(layout="wide", initial_sidebar_state="collapsed")
i18n.language()
st.html(f"<style>{_STYLE}</style>")
measured.section()
clock.section()
