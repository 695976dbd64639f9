"""Another clock: the visitor's last run with the milliseconds of another machine."""

from __future__ import annotations

import streamlit as st

from specviz import examples, gap, roofline
from specviz.ui import address, i18n, measured, pair, stage
from specviz.ui.components.clock import START, STOPS, clock

KEY = "clock"
PACES = ("true_pace", "true_pace_slowed")  # on this clock no pace is the measured one of the run


def section() -> None:
    """The last real run of the visitor, or the recorded one, on a clock that the reader chooses."""
    st.markdown(i18n.prose("clock"))
    trace, trace_id, recorded = _run()
    own = _own()
    if "_clock" not in st.session_state:
        st.session_state["_clock"] = _from_address()
    clock(
        KEY,
        trace=trace,
        trace_id=trace_id,
        recorded=recorded,
        start=st.session_state["_clock"],
        measured=own,
        labels=i18n.table("clock"),
        player_labels={**i18n.table("player"), **{name: i18n.t(f"clock.{name}") for name in PACES}},
        on_choice=_changed,
    )
    if own is None:
        st.caption(i18n.t("clock.none_measured"))
    st.markdown(i18n.prose("clock_note"))


def _own() -> dict | None:
    """What was measured on this machine; nothing where it was busy, for then nothing follows from it."""
    report = measured.last()
    if report is None or gap.busy(report):
        return None
    return {name: report["cost"][name] for name in ("target_ms", "c", "v")}


def _run() -> tuple[dict, str, bool]:
    """Trace, its id, and whether it is a recorded one."""
    job = stage.shown_job()
    trace = job and job.snapshot()
    if trace and trace["finish_reason"] and trace["rounds"]:
        return trace, f"{job.key}-{id(job)}", False
    name = examples.OPENING[pair.recorded(pair.chosen())]
    return examples.load(name)["trace"], f"recorded-{name}", True


def _changed() -> None:
    mounted = st.session_state.get(KEY)
    choice = mounted.get("choice") if mounted else None
    if choice:
        st.session_state["_clock"] = {name: choice[name] for name in START}
        st.query_params.update({name: f"{value:g}" if name in STOPS else value for name, value in choice.items()})


def _from_address() -> dict:
    """What a link asks for; whatever it lacks is as at the start, and so is what cannot be had, which is said."""
    named = {name: {f"{x:g}": x for x in stops} for name, stops in STOPS.items()}
    codes = {"device": (*roofline.DEVICES, "this"), "dtype": roofline.BYTES, **named}
    found = address.read({name: address.one_of(name, codes[name]) for name in START})
    choice = {**START, **{name: named[name][text] if name in named else text for name, text in found.items()}}
    if choice["device"] == "this" and _own() is None:
        choice["device"] = START["device"]
    return choice
