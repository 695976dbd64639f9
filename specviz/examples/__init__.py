"""Recorded runs of the bundled pairs: each a request, its trace and the plain lane.

`specviz/training/examples.py` makes them.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
BY_PAIR = {
    "poem": ("moon", "ground", "home", "lucky", "spring", "phone", "cool", "hot"),
    "english": ("news", "minds", "stack", "copy", "mark", "parcel", "wild"),
}
NAMES = tuple(name for names in BY_PAIR.values() for name in names)
OPENING = {"poem": "home", "english": "news"}  # of the round page
FIRST = {"poem": "ground", "english": "news"}  # of the home page: the tallest bars, and the text comes right again


def opening(pair: str) -> dict:
    """The run that stands on the page before any other."""
    return load(OPENING[pair])


@cache
def load(name: str) -> dict:
    """{"pair", "prompt", "settings", "trace", "plain"} of one recorded run."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


@cache
def family(pair: str) -> dict | None:
    """The recorded report of all drafters on one prompt, as `specviz.family` reads it; None where this pair has none.

    `specviz/training/family.py` makes it. "kind": of its text; "kinds": the figures of every ready text, by kind.
    """
    file = FOLDER / "family" / f"{pair}.json"
    # The name of a pair may be two references with anything in them.
    return json.loads(file.read_text(encoding="utf-8")) if pair in BY_PAIR and file.is_file() else None
