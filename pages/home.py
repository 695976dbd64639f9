"""What this is: a recorded round plays in the first second; below it the chapters and the state of the models."""

import streamlit as st

from specviz import examples
from specviz.engine import catalogue
from specviz.ui import frame, i18n, recorded

frame.enter()

st.markdown(i18n.prose("home"))
own = catalogue.for_readers(i18n.language())
recorded.show(examples.FIRST[own], key="home")
st.markdown(i18n.prose("home_legend"))

pages = frame.pages()
for name in frame.CHAPTERS:
    with st.container(border=True):
        st.page_link(pages[name], label=f"**{i18n.t(f'{name}.title')}**")
        st.markdown(i18n.t(f"{name}.says"))


def below():
    # Imported once the picture is on its way: this brings in NumPy and charts, a fifth of a second.
    from specviz.ui import models, stage

    st.subheader(i18n.t("models.title"))
    models.watch(own)
    stage.warm(own)


below()
