"""Guess, verify, fix: choose a prompt, press Run, and watch a real run while the models still write it."""

import streamlit as st

from specviz.ui import controls, frame, i18n, models, stage

frame.enter()

asked = controls.show(stage.busy())
job = stage.choose(asked)
if job is None:
    stage.recorded(controls.example(), key="round")
else:
    stage.live(job, asked)
st.markdown(i18n.prose("round"))
models.watch("poem")
stage.warm("poem")
