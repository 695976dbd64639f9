"""Kinds of text and openings of each, on which a pair is measured: what it knows, what it never saw, what it must copy.

Those out of held-out texts were kept when the pair was made (weights/*/openings.json); the others stand in kinds.toml.
"""

from __future__ import annotations

import json
import tomllib
from functools import cache
from pathlib import Path

KINDS = ("known", "new", "code", "prose", "copied", "repeating", "unlike")  # in the order of the page
_HERE = Path(__file__).parent


def openings(pair: str) -> dict[str, list[str]]:
    """Kind -> its openings for this pair; a pair we know nothing of gets those that any model can go on from."""
    known = _table()
    found = {**known.get(pair, known["any"]), **held_out(pair)}
    return {kind: found[kind] for kind in KINDS if kind in found}


def held_out(pair: str) -> dict[str, list[str]]:
    """Kind -> openings out of texts that a bundled pair was never taught; empty for any other pair."""
    file = _HERE / "weights" / pair / "openings.json"
    # The name of a pair may be two references with anything in them.
    return json.loads(file.read_text(encoding="utf-8")) if pair.isidentifier() and file.is_file() else {}


@cache
def _table() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads((_HERE / "kinds.toml").read_text(encoding="utf-8"))
