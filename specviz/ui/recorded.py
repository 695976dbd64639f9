"""A recorded run in the player. It needs no model, and imports nothing that one would need: it is the first thing seen."""

from __future__ import annotations

import streamlit as st

from specviz import examples
from specviz.ui import i18n
from specviz.ui.components.player import player


def show(name: str, key: str) -> None:
    """Play a recorded run; needs no model."""
    example = examples.load(name)
    player(
        key,
        trace=example["trace"],
        trace_id=f"recorded-{name}",
        live=False,
        recorded=True,
        plain=example["plain"],
        step=step_in_address(),
        labels=i18n.table("player"),
        on_step=lambda: step_to_address(key),
    )


def step_in_address() -> int | None:
    """The step that the address asks for."""
    step = st.query_params.get("step", "")
    return int(step) if step.isascii() and step.isdigit() and len(step) < 8 else None


def step_to_address(key) -> None:
    """Where the reader came to rest in the player of this key, into the address."""
    state = st.session_state.get(key)
    step = state.get("step") if state else None
    if step is not None:
        st.query_params["step"] = str(int(step))
