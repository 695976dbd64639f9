"""What a link carries, field by field: what cannot be used is named in a sentence, and the rest stands."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from urllib.parse import parse_qs

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from specviz.errors import BadInput, check_limits
from specviz.ui import words

LARGEST = 2**53  # to which every whole number is exact, here and in the browser


def restore() -> None:
    """The address as it was asked for, where Streamlit does not take it so; before anything reads it.

    After the browser's Back or Forward it takes a field away when a control of the page just left has the same name, and
    sets the control of this page to its default. A field that is there twice it does not take either: here the last
    counts. There is no public way to tell it what the address really was.
    """
    run = get_script_run_ctx()
    asked = parse_qs(run.query_string, keep_blank_values=True) if run else {}
    lost = run and run.is_history_navigation and any(name not in st.query_params for name in asked)
    if lost or any(len(values) > 1 for values in asked.values()):
        st.query_params.from_dict({name: values[-1] for name, values in asked.items()})
        with run.session_state.query_params() as params:
            params.set_initial_query_params_from_current()


def read(fields: dict[str, Callable[[str], object]]) -> dict:
    """The fields that the address has and that can be read, by name; an empty one says as little as none.

    fields: name -> what makes a value of its text, or raises BadInput.
    """
    found, refused = {}, []
    for name, value_of in fields.items():
        if text := st.query_params.get(name):
            try:
                found[name] = value_of(text)
            except BadInput as error:
                refused.append(words.refusal(error))
    if refused:
        st.error("  \n".join(refused))
    return found


def one_of(name: str, codes: Iterable[str]) -> Callable[[str], str]:
    """A field that holds one of these codes."""
    known = tuple(codes)

    def value_of(text: str) -> str:
        if text not in known:
            raise BadInput("no_choice", name=name, value=text, known=", ".join(known))
        return text

    return value_of


def number(name: str, kind=float, low: float = -math.inf, high: float = LARGEST) -> Callable[[str], float]:
    """A field that holds one number from low to high; kind int: a whole one."""

    def value_of(text: str) -> float:
        try:
            found = float(text)
        except ValueError:
            raise BadInput("not_a_number", name=name, value=text) from None
        if high == LARGEST and not math.isfinite(found):
            raise BadInput("not_a_number", name=name, value=text)
        check_limits({name: (low, high)}, **{name: found})
        if kind is int and found != int(found):
            raise BadInput("not_whole", name=name, value=text)
        return kind(found)

    return value_of


def numbers(name: str, text: str) -> list[float]:
    """What a field holds that is a row of finite numbers, with commas between them."""
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        raise BadInput("law_not_numbers", name=name) from None
    if not all(map(math.isfinite, found)):
        raise BadInput("law_not_numbers", name=name)
    return found
