"""Recorded runs of the bundled pairs: each a request, its trace and the plain lane.

`specviz/training/examples.py` makes them.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
NAMES = ("moon", "ground", "home", "lucky", "spring", "phone", "cool", "hot")
OPENING = "home"  # of the round page
FIRST = "ground"  # of the home page: the tallest bars, and the poem comes back


@cache
def load(name: str) -> dict:
    """{"pair", "prompt", "settings", "trace", "plain"} of one recorded run."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
