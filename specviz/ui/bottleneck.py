"""The draggable price of a pass with its state, and this machine measured beside it when the visitor asks."""

from __future__ import annotations

from functools import partial

import streamlit as st

from specviz import roofline as model
from specviz.engine.service import Job
from specviz.engine.work import Bottleneck
from specviz.errors import BadInput, check_limits
from specviz.roofline import Shape
from specviz.ui import address, i18n, jobs, pair, words
from specviz.ui.components.roofline import FRESH, OWN, SHAPE, roofline
from specviz.ui.state import engine, presence

KEY = "roofline"
WHOLE = ("tokens", "context", "batch", *SHAPE)
POLL = 0.5  # seconds between two looks at a measurement


def show() -> None:
    measured = _finished()
    if "_roofline" not in st.session_state:
        st.session_state["_roofline"] = _from_address(measured)
    if "params" not in st.query_params:
        _to_address(st.session_state["_roofline"])  # a change of page has emptied it
    roofline(
        KEY,
        values=st.session_state["_roofline"],
        labels=i18n.table("roofline"),
        sources=i18n.table("sources"),
        measured=measured,
        turn=st.session_state.get("_roofline_turn", 0),
        on_change=_changed,
    )
    _measure()
    if measured:
        _report(measured)
    st.markdown(i18n.prose("bottleneck"))


def _changed() -> None:
    mounted = st.session_state.get(KEY)
    state = mounted.get("state") if mounted else None
    if state and state["turn"] == st.session_state.get("_roofline_turn", 0):
        st.session_state["_roofline"] = {name: state[name] for name in FRESH}
        _to_address(state)


# ---- the address


def _to_address(values: dict) -> None:
    """What is as it was at first stays out of the address, but for the six that are the lesson."""
    short = {name: _written(values[name]) for name in FRESH}
    always = ("params", "dtype", "device", "tokens", "context", "batch")
    for name, text in short.items():
        if name in always or values[name] != FRESH[name]:
            st.query_params[name] = text
        else:
            st.query_params.pop(name, None)


def _written(value) -> str:
    return value if isinstance(value, str) else "" if value is None else f"{value:.12g}"


def _from_address(measured: dict | None) -> dict:
    """The state a link carries; what cannot be used of it is named in a sentence, and is as the page begins with."""
    values = {**FRESH, **address.read({name: partial(_read, name) for name in FRESH})}
    try:
        device = model.own(**{name: values[name] for name in OWN})
        what = [values[name] for name in ("params", "dtype", "tokens", "context", "batch")]
        model.price(device, *what, Shape(*(values[name] for name in SHAPE)))  # names what does not go together
    except BadInput as error:
        st.error(words.refusal(error))
        values |= {name: FRESH[name] for name in SHAPE}
    if values["device"] == "this" and not measured:
        st.info(i18n.t("bottleneck.unmeasured"))
        values["device"] = FRESH["device"]
    return values


def _read(name: str, text: str):
    """One value of the address; BadInput names it where it cannot be used."""
    if name == "dtype" and text not in model.BYTES:
        raise BadInput("no_dtype", name=text, known=", ".join(model.BYTES))
    if name == "device" and text not in ("this", "own"):
        model.find(text)
    if name in ("dtype", "device"):
        return text
    limits = {name: model.LIMITS[name.replace("_", "-")]}
    try:
        number = float(text)
    except ValueError:
        low, high = limits[name]
        raise BadInput("out_of_range", name=name, value=text, low=low, high=high) from None
    check_limits(limits, **{name: number})
    if name in WHOLE and not number.is_integer():
        raise BadInput("not_whole", name=name, value=text)
    return int(number) if name in WHOLE else number


# ---- this machine


def _job() -> Job | None:
    return engine().find(st.session_state.get("_machine_job", ""))


def _finished() -> dict | None:
    """This visitor's measurement. When it has just come in, the picture moves to what was measured."""
    job = _job()
    if job and job.state == "done":
        del st.session_state["_machine_job"]
        st.session_state["_machine"] = job.report
        _show_loaded()
    return st.session_state.get("_machine")


def _show_loaded() -> None:
    """Move the picture to the model that was measured, on the machine it was measured on."""
    what = st.session_state["_machine"]["model"]
    values = {name: what[name] for name in ("params", "dtype", "context")}
    st.session_state["_roofline_turn"] = st.session_state.get("_roofline_turn", 0) + 1
    st.session_state["_roofline"] = {**FRESH, **values, **what["shape"], "device": "this"}
    _to_address(st.session_state["_roofline"])


def _measure() -> None:
    """The button, and how far it has got; one fragment polls while it runs."""
    job = _job()
    busy = job is not None and job.wanted_by(presence())
    with st.container(horizontal=True, vertical_alignment="center"):
        pressed = jobs.start(i18n.t("bottleneck.measure"), "measure", job if busy else None, icon=":material/speed:")
        if busy:
            _progress(job)
        elif pressed:
            _submit()
        elif "_machine" in st.session_state:
            st.button(i18n.t("bottleneck.loaded"), key="loaded", on_click=_show_loaded)
        else:
            st.caption(i18n.t("bottleneck.measure_says"))
    if job and job.state == "failed":
        st.error(words.refusal(job.error))


def _submit() -> None:
    try:
        st.session_state["_machine_job"] = engine().submit(Bottleneck(pair.chosen()), presence()).key
    except BadInput as error:
        st.error(words.refusal(error))
        return
    st.rerun()


def _progress(job: Job) -> None:
    @st.fragment(run_every=POLL)
    def line():
        if not job.wanted_by(presence()):
            st.rerun()  # stops the polling
        report = job.report
        if report is None:
            st.progress(0.0, jobs.waiting(job))
        else:
            st.progress(report["share"], i18n.t(f"bottleneck.stage_{report['stage']}") if report["stage"] != "over" else "")

    line()


def _report(found: dict) -> None:
    """The machine in figures, the passes in a table, and what they mean for v(γ+1)."""
    device, shape = found["device"], found["model"]["shape"]
    launches = device["launch_ms"] + device["layer_ms"] * shape["layers"]
    passes = {row["tokens"]: row for row in found["passes"]}
    v = {k: row["median"] / passes[1]["median"] for k, row in passes.items()}
    st.subheader(i18n.t("bottleneck.measured"))
    if unsettled(found["passes"]):
        st.warning(i18n.t("bottleneck.busy"))
    else:
        st.markdown(_meaning(v))
    rows = [[i18n.t(f"bottleneck.{name}") for name in ("tokens", "pass_ms", "quartiles", "v")], ["---:"] * 4]
    for k, row in passes.items():
        rows.append([str(k), f"{row['median']:.2f}", f"{row['q1']:.2f} – {row['q3']:.2f}", f"{v[k]:.2f}"])
    st.markdown("\n".join("| " + " | ".join(row) + " |" for row in rows))
    st.markdown(
        i18n.t(
            "bottleneck.found",
            bandwidth=f"{device['bandwidth'] * 1e3:.1f}",
            fp32=f"{device['tflops']['fp32'] * 1e3:.0f}",
            bf16=f"{device['tflops']['bf16'] * 1e3:.0f}",
            layers=shape["layers"],
            launches=f"{launches:.2f}",
        )
    )
    st.markdown(_calculated(found, passes[1]["median"], launches))


WIDE = 0.5  # half of the timings lie further apart than half of their median: there is no one time to speak of


def unsettled(passes: list[dict]) -> bool:
    """Whether the timings contradict each other: a pass of more tokens cheaper than one of fewer beyond the quartiles of
    both, which no idle machine shows, or the passes that v(5) is made of spread WIDE."""
    fall = any(later["q3"] < before["q1"] for i, before in enumerate(passes) for later in passes[i + 1 :])
    return fall or any(row["q3"] - row["q1"] > WIDE * row["median"] for row in passes if row["tokens"] in (1, 5))


def kind_of(v5: float) -> str:
    """What v(5) means for guessing: below 1.25 nearly free; where five tokens cost what five passes do, it cannot pay."""
    return "free" if v5 < 1.25 else "some" if v5 < 4 else "dear"


def _meaning(v: dict[int, float]) -> str:
    return (
        i18n.t(f"bottleneck.means_{kind_of(v[5])}", v5=f"{v[5]:.2f}")
        + " "
        + i18n.t("bottleneck.means_wide", v64=f"{v[64]:.1f}")
    )


def _calculated(found: dict, now: float, launches: float) -> str:
    what = found["model"]
    device = model.Device(**found["device"])
    priced = model.price(device, what["params"], what["dtype"], 1, what["context"], shape=Shape(**what["shape"]))
    says = i18n.t(
        "bottleneck.means_rest",
        reading=f"{priced.memory_ms:.2f}",
        multiplying=f"{priced.compute_ms:.2f}",
        launches=f"{launches:.2f}",
        now=f"{now:.2f}",
    )
    return says + " " + i18n.t("bottleneck.left_out", size=f"{priced.weight_bytes / 1e6:.0f}")
