"""Where drafts come from: every cheap guesser on one prompt and what it costs here; which to try first; all the others."""

import streamlit as st

from specviz.ui import advice, family, frame, i18n, pair, stage, variants

frame.enter()

report = family.show()
st.markdown(i18n.prose("drafters"))
advice.show(report)
variants.show()
stage.warm(pair.chosen())
