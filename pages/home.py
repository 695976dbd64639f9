"""What this is: a recorded round plays in the first second; below it the chapters and the state of the models."""

import streamlit as st

from specviz import examples
from specviz.ui import frame, i18n, models, pair, stage

frame.enter()

st.markdown(i18n.prose("home"))
own = pair.bundled(i18n.language())
stage.recorded(examples.FIRST[own], key="home")
st.markdown(i18n.prose("home_legend"))

pages = frame.pages()
for name in frame.CHAPTERS:
    with st.container(border=True):
        st.page_link(pages[name], label=f"**{i18n.t(f'{name}.title')}**")
        st.markdown(i18n.t(f"{name}.says"))

st.subheader(i18n.t("models.title"))
models.watch(own)
stage.warm(own)
