"""What a link carries, field by field: what cannot be used is named in a sentence, and the rest stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import streamlit as st

from specviz.errors import BadInput
from specviz.ui import words


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
