"""Guess, verify, fix: choose a prompt, press Run, and watch a real run while the models still write it."""

import streamlit as st

from specviz.ui import controls, frame, i18n, models, stage

frame.enter()

asked = controls.show(stage.busy())
job = stage.choose(asked)
if job is None:
    name = controls.example(asked)
    stage.recorded(name, key="round")
    if asked.request and not controls.matches(asked.request, name):
        st.caption(i18n.t("round.changed"))
else:
    stage.live(job, asked)
st.markdown(i18n.prose("round"))
models.watch("poem")
stage.warm("poem")
