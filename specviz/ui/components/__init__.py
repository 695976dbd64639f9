"""The pictures that answer while a finger moves: JavaScript components, each in a folder of its own.

words.js, page.js and dom.js beside this file are shared by all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent


def source(*names: str) -> str:
    """The named files under this folder, joined in order: one module without a build step."""
    return "\n".join((HERE / name).read_text(encoding="utf-8") for name in names)


def component(name: str, *, html: str, css: str, js: str) -> Callable:
    """Make a component known; what comes back mounts it, as Streamlit's own does. `data`, a dict, arrives in JavaScript as
    the only element of a list: in a bare dict Streamlit looks for tables, and brings in pandas and pyarrow to know one,
    a quarter of a second before the first picture and 70 MB for ever."""
    mount = st.components.v2.component(name, html=html, css=css, js=js)
    return lambda *, data, **options: mount(data=[data], **options)
