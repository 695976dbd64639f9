"""A job that a button starts and a page follows until it is over: reports as they grow, cancel, failure in words."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from specviz.engine.service import Job
from specviz.errors import BadInput
from specviz.ui import i18n
from specviz.ui.state import engine, presence

EVERY = 0.5  # seconds between two looks


def follow(name: str, pressed: bool, request, draw: Callable[[dict], None]) -> Job | None:
    """Submit `request` when `pressed`, and show the visitor's job of this `name`: draw(report) whenever it has one.

    What was shown last stays for the visitor, over page switches, as long as the server remembers it.
    """
    if pressed:
        try:
            st.session_state[name] = engine().submit(request, presence()).key
        except BadInput as error:
            st.error(error.sentence(i18n.language()))
    job = engine().find(st.session_state.get(name, ""))
    if job is None:
        return None
    if not job.finished:
        job.join(presence())  # whoever watches keeps it going

    @st.fragment(run_every=None if job.finished else EVERY)
    def report():
        finished = job.finished
        if job.state == "failed":
            st.error(job.error.sentence(i18n.language()))
        elif job.report is not None:
            draw(job.report)
        else:
            st.caption(i18n.t(f"round.{job.state}", place=engine().place(job)))
        if not finished:
            st.button(i18n.t("round.cancel"), key=f"{name}_cancel", on_click=job.leave, args=(presence(),))
        elif st.session_state.get(f"{name}_over") != job.key:
            st.session_state[f"{name}_over"] = job.key
            st.rerun()  # stops the polling

    report()
    return job
