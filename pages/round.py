"""Guess, verify, fix: choose a prompt, press Run, and watch a real run while the models still write it."""

import streamlit as st

from specviz.ui import frame, i18n, models, pair, stage

frame.enter()

stage.show(*stage.ask())
st.markdown(i18n.prose("round"))
models.watch(pair.chosen())
stage.warm(pair.chosen())
