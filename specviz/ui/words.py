"""Numbers and a reader's own text, as they stand in a sentence."""

from __future__ import annotations

import re

LONGEST = 24  # characters of a prompt that are quoted


def small(x: float) -> str:
    """Three decimals; what they would call nothing keeps two figures and its power of ten."""
    return f"{x:.2g}" if 0 < x < 0.01 else f"{x:.3f}" if x else "0"


def share(x: float) -> str:
    """Two decimals, for a list that is to be looked over."""
    return f"{x:.2f}" if x >= 0.005 else "<.01" if x else "0"


def verbatim(text: str) -> str:
    """The end of a text in one line, with nothing in it that Markdown would take for its own."""
    line = " ".join(text.split())
    short = line if len(line) <= LONGEST else "…" + line[-LONGEST:]
    return re.sub(r"([\\`*_{}\[\]#|~$<>:!])", r"\\\1", short)
