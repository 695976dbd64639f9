"""Where a run is shown: a recorded one, or a live one while the models still write it."""

from __future__ import annotations

import streamlit as st

from specviz.engine.service import Job
from specviz.errors import BadInput
from specviz.ui import controls, i18n, jobs, pair, recorded, words
from specviz.ui.components.player import player
from specviz.ui.state import engine, presence

FAST, SLOW = 0.25, 1.0  # seconds between two looks at a job that runs or is next, and at one that waits for others


def warm(pair: str) -> None:
    """Begin to load a pair; the last line of a page, so that the first picture does not wait for it."""
    engine().warm(pair)


def ask() -> tuple[controls.Asked, Job | None]:
    """The controls of a run, and the job they lead to."""
    asked = controls.show(busy())
    job = choose(asked)
    if job and job.wanted_by(presence()) and not asked.busy:
        st.rerun()  # a run that goes on was taken up just now: Cancel belongs where Run stands
    if asked.request and asked.request.settings.drafter == "lookup" and pair.is_alone(asked.request.pair):
        st.caption(i18n.t("round.lookup"))
    if asked.request and controls.is_foreign(asked.request):
        st.caption(i18n.t(f"round.foreign_{pair.reads(asked.request.pair)}"))
    return asked, job


def show(asked: controls.Asked, job: Job | None) -> None:
    """The player: with the job, or with a recorded run where there is none."""
    if job:
        live(job, asked)
        return
    name = controls.example(asked)
    recorded.show(name, key="round")
    if asked.request and not controls.matches(asked.request, name):
        st.caption(i18n.t("round.changed"))


def choose(asked: controls.Asked) -> Job | None:
    """The job to show: a new one when Run was pressed, else the one of this address, else the visitor's last.

    An address never starts a run by itself. Where it says what a recorded run was made with, a visitor who has run
    nothing sees that one, whatever others have run.
    """
    if asked.error:
        st.error(words.refusal(asked.error))
    elif asked.run:
        _submit(asked.request)
    elif _worth_showing(engine().find(asked.request.key)) and not _is_example(asked):
        st.session_state["_shown"] = asked.request.key
    job = shown_job()
    if job and not job.finished:
        job.watch(presence())  # whoever watches keeps it going
    return job


def _worth_showing(job: Job | None) -> bool:
    """Whether an address may show a job: not one that somebody gave up or that failed."""
    return job is not None and job.state not in ("cancelled", "failed")


def busy() -> Job | None:
    """The visitor's job while it is not over for them."""
    job = shown_job()
    return job if job and job.wanted_by(presence()) else None


def shown_job() -> Job | None:
    """The job this visitor looked at last."""
    key = st.session_state.get("_shown")
    return engine().find(key) if key else None


def live(job: Job, asked: controls.Asked) -> None:
    """Show a job and keep it moving until it is over."""
    me = presence()
    far = engine().place(job) > 1  # a job that is next begins in a moment
    every = None if not job.wanted_by(me) else SLOW if far else FAST

    @st.fragment(run_every=every)
    def picture():
        i18n.keep()
        finished, waits = not job.wanted_by(me), engine().place(job) > 1
        snapshot = job.snapshot()
        player(
            "round",
            trace=snapshot or _nothing_yet(job),
            trace_id=f"{job.key}-{id(job)}",
            live=job.live and not finished,
            recorded=False,
            plain=job.plain,
            step=recorded.step_in_address(),
            labels=i18n.table("player"),
            on_step=lambda: recorded.step_to_address("round"),
        )
        _status(job, asked)
        _notes(snapshot)
        if (finished and every) or (not waits and every == SLOW):
            st.rerun()  # with another pace, or none

    picture()


def _submit(request) -> None:
    try:
        st.session_state["_shown"] = engine().submit(request, presence()).key
    except BadInput as error:
        st.error(words.refusal(error))
        return
    st.session_state.pop("_example", None)
    st.query_params.pop("step", None)
    st.rerun()  # so that Cancel stands where Run was


def _is_example(asked: controls.Asked) -> bool:
    """Whether the recorded run of these controls is to stand: it was chosen, or this visitor has run nothing."""
    chosen = st.session_state.get("_example")
    name = controls.example(asked) if st.session_state.get("_shown") is None else chosen
    return name is not None and controls.matches(asked.request, name)


def _status(job, asked):
    """One line under the picture, always there, so that nothing moves when it changes."""
    if job.state == "failed":
        st.error(words.refusal(job.error))
    elif job.state == "done" and asked.request and job.request != asked.request:
        st.caption(i18n.t("round.changed"))
    else:
        over = job.finished or job.wanted_by(presence())  # else this visitor has left it to others
        st.caption(jobs.waiting(job) if job.state == "queued" or not over else i18n.t(f"round.{job.state}"))


def _notes(trace: dict | None) -> None:
    """What was not perfect about the run and went on."""
    for note in (trace or {}).get("notes", ()):
        st.caption(i18n.t(f"notes.{note['code']}", **note))


def _nothing_yet(job) -> dict:
    """What is known of a run before its first token."""
    request = job.request
    return {
        "schema": 1,
        "settings": request.settings.to_json(),
        "prompt": request.prompt,
        "prompt_ids": [],
        "prompt_texts": list(request.prompt),
        "first": None,
        "rounds": [],
        "output_ids": [],
        "text": "",
        "finish_reason": None,
        "summary": None,
    }
