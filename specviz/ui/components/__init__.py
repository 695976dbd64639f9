"""The pictures that answer while a finger moves: JavaScript components, each in a folder of its own.

words.js, page.js, dom.js and report.js beside this file are shared by all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import RerunException, get_script_run_ctx

HERE = Path(__file__).parent


def source(*names: str) -> str:
    """The named files under this folder, joined in order: one module without a build step."""
    return "\n".join((HERE / name).read_text(encoding="utf-8") for name in names)


def component(name: str, *, html: str, css: str, js: str) -> Callable:
    """Make a component known; what comes back mounts it, as Streamlit's own does. `data`, a dict, arrives in JavaScript as
    the only element of a list: in a bare dict Streamlit looks for tables, and brings in pandas and pyarrow to know one,
    a quarter of a second before the first picture and 70 MB for ever. What is called on a change is `whole`."""
    mount = st.components.v2.component(name, html=html, css=css, js=js)

    def mounted(*, data, **options):
        calls = {option: whole(value) for option, value in options.items() if option.startswith("on_")}
        return mount(data=[data], **options | calls)

    return mounted


def whole(callback: Callable[[], None]) -> Callable[[], None]:
    """`callback`, run to its end: it must do the same when it is begun again.

    Where another message of the browser is there already, Streamlit abandons a callback at its first word to the session
    and never calls it again: what the reader did would be lost. Here it is begun again, and the messages that came are
    handed back afterwards. There is no public way to hand one back.
    """

    @wraps(callback)
    def run():
        came = []
        while True:
            try:
                callback()
                break
            except RerunException as message:
                came.append(message.rerun_data)
        for data in came:
            get_script_run_ctx().script_requests.request_rerun(data)

    return run
