"""The calculated half of the speed-up chapter: the picture to drag, with its state in the session and in the address."""

from __future__ import annotations

from dataclasses import asdict
from itertools import pairwise

import streamlit as st

from specviz import examples, published, speedup
from specviz.errors import BadInput, check_limits
from specviz.ui import address, i18n, stage
from specviz.ui.components.speedup import MODES, MOST_PLACES
from specviz.ui.components.speedup import speedup as picture

KEY = "speedup"
RECORDED = "phone"  # of the recorded runs at T = 1 the one with the most rounds
LIMITS = {
    "alpha": (0.0, 1.0),
    "gamma": (0, MOST_PLACES),
    "c": (0.0, 1.0),
    "s": (0.0, 1.0),
    "survival": (0.0, 1.0),
    "task": (1, 3),
}
NUMBERS = {"alpha": float, "gamma": int, "c": float, "s": float, "task": int}


def show() -> None:
    presets = _presets()
    if "_speedup" not in st.session_state:
        st.session_state["_speedup"] = _from_address(_start(presets[0]))
    if "alpha" not in st.query_params:
        _to_address(st.session_state["_speedup"])  # a change of page has emptied it
    picture(
        KEY,
        **st.session_state["_speedup"],
        presets=presets,
        tables=_tables(),
        labels=i18n.table("speedup"),
        on_change=_changed,
    )
    st.markdown(i18n.prose("speedup"))


def survival_of(trace: dict) -> dict | None:
    """How often each place was passed in the rounds of a trace that drafted in full; None where there is no such round."""
    gamma = trace["settings"]["gamma"]
    rounds = [r for r in trace["rounds"] if len(r["draft"]) == gamma]
    if not rounds or not 1 <= gamma <= MOST_PLACES:
        return None
    passed = [sum(guess["verdict"] == "accepted" for guess in r["draft"]) for r in rounds]
    return {
        "survival": [sum(n >= i for n in passed) / len(rounds) for i in range(1, gamma + 1)],
        "rounds": len(rounds),
        "tokens": sum(passed) + len(rounds),
    }


def _presets() -> list[dict]:
    """Bars to begin with: a recorded run, the visitor's own last run, and the half-and-half mixture of the lesson."""
    recorded = {"code": "recorded", "name": i18n.t("speedup.preset_recorded"), **survival_of(examples.load(RECORDED)["trace"])}
    job = stage.shown_job()
    trace = job.snapshot() if job and job.finished else None
    mine = trace and survival_of(trace)
    mixture = [(a + b) / 2 for a, b in zip(speedup.survival(0.95, 4), speedup.survival(0.45, 4), strict=True)]
    return [
        recorded,
        *([{"code": "mine", "name": i18n.t("speedup.preset_mine"), **mine}] if mine else []),
        {"code": "mixture", "name": i18n.t("speedup.preset_mixture"), "survival": mixture},
    ]


def _start(preset: dict) -> dict:
    return {
        "alpha": 0.8,
        "gamma": len(preset["survival"]),
        "c": 0.05,
        "s": 0.0,
        "survival": preset["survival"],
        "preset": preset["code"],
    }


def _tables() -> list[dict]:
    """The published tables as plain data, with their words."""
    return [
        {
            "name": table.name,
            "label": i18n.t(f"published.{table.name}"),
            "conditions": i18n.t(f"published.{table.name}_on"),
            "source": table.source,
            "rows": [asdict(row) | {"c": row.cost} for row in table.rows],
        }
        for table in published.tables()
    ]


def _changed() -> None:
    mounted = st.session_state.get(KEY)
    state = mounted.get("state") if mounted else None
    if state:
        st.session_state["_speedup"] = dict(state)
        _to_address(state)


def _to_address(state: dict) -> None:
    st.query_params.update(
        survival=",".join(f"{x:.6g}" for x in state["survival"]),
        mode=state.get("mode") or MODES[0],
        task=str(state.get("task") or 1),
        trap=str(int(state.get("trap") or 0)),
        row=state.get("row") or "",
        preset=state.get("preset") or "",
        **{name: f"{state[name]:.6g}" for name in ("alpha", "gamma", "c", "s")},
    )


def _from_address(start: dict) -> dict:
    """The state a link carries, and `start` where it carries none or what cannot be used, which is said."""
    rows = [row.name for table in published.tables() for row in table.rows]
    found = address.read({
        **{name: address.number(name, kind, *LIMITS[name]) for name, kind in NUMBERS.items()},
        "survival": lambda text: _falling(address.numbers("survival", text)),
        "mode": address.one_of("mode", MODES),
        "row": address.one_of("row", rows),
        "trap": address.one_of("trap", "01"),
    })  # fmt: skip
    if "survival" in found:
        found["preset"] = st.query_params.get("preset") or None
    return {**start, "mode": None, "row": None, **found, "trap": found.get("trap") == "1"}


def _falling(row: list[float]) -> list[float]:
    if len(row) > MOST_PLACES:
        raise BadInput("law_too_long", most=MOST_PLACES)
    for chance in row:
        check_limits(LIMITS, survival=chance)
    if any(later > earlier for earlier, later in pairwise(row)):
        raise BadInput("survival_rises")
    return row
