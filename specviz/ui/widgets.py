"""Widgets whose values travel in the address and outlive a change of page."""

from __future__ import annotations

import math

import streamlit as st

from specviz.errors import BadInput
from specviz.ui import words


def keep(widget, label, value, key, **options):
    """A widget whose value is in the address and survives a change of page; a number there that it cannot take is
    forgotten, a text that is too long is cut, and a note says so."""
    bound = "query-params"
    most, asked = options.get("max_chars"), st.query_params.get(key, "")
    if most and len(asked) > most:  # Streamlit cuts it without a word
        st.toast(words.refusal(BadInput("text_cut", name=key, characters=len(asked), most=most)))
    if isinstance(value, (int, float)) and not isinstance(value, bool) and key in st.query_params:
        try:
            _check(key, type(value), options.get("min_value", -math.inf), options.get("max_value", math.inf))
        except BadInput as error:
            # Streamlit would read it all the same, and break on one without an end: it is bound from the next run on.
            if st.query_params[key]:
                st.toast(words.refusal(error))
            del st.query_params[key]
            bound = None
    return widget(label, value=value, key=key, bind=bound, persist_state="session", **options)


def temperature(label, value, key, **options) -> float:
    """A slider in tenths; of what an address asks for two decimals count, and it shows what it gives."""
    return round(keep(st.slider, label, value, key, step=0.1, format="%.2f", **options), 2)


def _check(key, kind, low, high) -> None:
    """BadInput where a control cannot take the number that the address gives it."""
    asked = _number(key)
    if asked is None or not low <= asked <= high:
        raise BadInput("out_of_range", name=key, value=st.query_params[key], low=low, high=high)
    if kind is int and asked != int(asked):
        raise BadInput("not_whole", name=key, value=st.query_params[key])


def choice(label, options, key, says) -> str:
    """A segmented control in the address and over page switches; `says`: its codes in words, the first is the default.

    Not bound to the address by Streamlit, which would write the translated word there.
    """
    asked = st.query_params.get(key, st.session_state.get(f"_{key}"))
    chosen = st.segmented_control(
        label,
        options,
        default=asked if asked in options else options[0],
        required=True,
        key=key,
        format_func=says,
        label_visibility="collapsed",
    )
    st.session_state[f"_{key}"] = st.query_params[key] = chosen
    return chosen


def take(label: str, options, key: str, says, taken, **look) -> None:
    """A list that does something with what is taken from it, and then shows its name again. A list, not a popover: it closes
    by itself and leaves the picture it starts in view."""

    def act():
        chosen, st.session_state[key] = st.session_state.get(key), None
        if chosen in options:
            taken(chosen)

    st.selectbox(
        label,
        options,
        index=None,
        placeholder=label,
        format_func=says,
        key=key,
        on_change=act,
        label_visibility="collapsed",
        **look,
    )


def now(key: str, otherwise, reach: tuple[float, float] = (-math.inf, math.inf)):
    """What a control will say, before it is drawn: a label that holds it stands above it."""
    if key in st.session_state:
        return st.session_state[key]
    asked, (low, high) = _number(key), reach
    return otherwise if asked is None or not low <= asked <= high else type(otherwise)(asked)


def _number(key: str) -> float | None:
    """The number an address gives a control; None for what is none, or has no end."""
    try:
        number = float(st.query_params[key])
    except (KeyError, ValueError):
        return None
    return number if math.isfinite(number) else None
