"""Guess, verify, fix: choose a prompt, press Run, and watch a real run while the models still write it."""

import streamlit as st

from specviz.ui import frame, i18n, models, stage

frame.enter()

stage.show(*stage.ask())
st.markdown(i18n.prose("round"))
models.watch("poem")
stage.warm("poem")
