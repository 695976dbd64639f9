"""A job that a button starts and a page follows until it is over: reports as they grow, cancel, failure in words."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from specviz.engine.service import Job
from specviz.engine.work import Work
from specviz.errors import BadInput
from specviz.ui import i18n, words
from specviz.ui.state import engine, presence

EVERY = 0.5  # seconds between two looks


def start(label: str, key: str, busy: Job | None, **look) -> bool:
    """The button that starts a job, and in its place, while the visitor's is `busy`, the one that gives it up; whether the
    first was pressed. By their keys, `key` and `key`_cancel, focus.js keeps the keyboard on one or the other."""
    if not busy:
        return st.button(label, key=key, **look)
    cancel(f"{key}_cancel", busy)
    return False


def cancel(key: str, job: Job) -> None:
    """The button with which this visitor gives a job up."""
    st.button(i18n.t("round.cancel"), key=key, icon=":material/stop:", on_click=job.leave, args=(presence(),))


def follow(name: str, pressed: bool, request: Work | None, draw: Callable[[Job], None]) -> Job | None:
    """Submit `request` when `pressed`; show the visitor's job of this `name`, with draw(job) once it has a report.

    What was shown last stays for the visitor, over page switches, as long as the server remembers it. An address starts
    nothing: it shows the job it describes if this server has already done it.
    """
    held = request and engine().find(request.key)
    if pressed:
        try:
            st.session_state[name] = engine().submit(request, presence()).key
        except BadInput as error:
            st.error(words.refusal(error))
    elif held and held.state == "done":
        st.session_state[name] = held.key
    job = engine().find(st.session_state.get(name, ""))
    if job is None:
        return None
    me = presence()
    if not job.finished:
        job.watch(me)  # whoever watches keeps it going

    @st.fragment(run_every=EVERY if job.wanted_by(me) else None)
    def report():
        finished = not job.wanted_by(me)
        if job.report is not None:
            draw(job)
        if job.state == "failed":
            st.error(words.refusal(job.error))
        elif job.report is None or (finished and job.state != "done"):
            st.caption(waiting(job))
        if not finished:
            cancel(f"{name}_cancel", job)
        elif st.session_state.get(f"{name}_over") != id(job):
            st.session_state[f"{name}_over"] = id(job)
            st.rerun()  # stops the polling

    report()
    return job


def waiting(job: Job) -> str:
    """What a job without a report is doing, in a sentence."""
    if not job.wanted_by(presence()):
        return i18n.t("round.cancelled")
    place = engine().place(job)
    return i18n.t("round.queued", place=place) if place else i18n.t("round.beginning")
