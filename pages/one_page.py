"""The algorithm as code: the code that runs, stepped with the trace; and one pass beside many."""

import streamlit as st

from specviz.ui import frame, i18n, models, pair, parallel, stage
from specviz.ui.components.code import code

frame.enter()

asked, job = stage.ask()
left, right = st.columns([11, 9])
with left:
    stage.show(asked, job)
with right:
    code("code", i18n.table("code"))
st.markdown(i18n.prose("one_page"))
parallel.show(asked.request)
models.watch(pair.chosen())
stage.warm(pair.chosen())
