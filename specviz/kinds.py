"""Kinds of text and openings of each, on which a pair is measured: what it knows, what it never saw, what it must copy.

Those out of held-out texts were kept when the pair was made (weights/*/openings.json); the others stand in kinds.toml.
"""

from __future__ import annotations

import json
import tomllib
from functools import cache
from pathlib import Path

READY = ("copied", "known", "new", "repeating", "code", "chat", "prose", "unlike")  # one text of each, in this order
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


def ready(pair: str) -> dict[str, str]:
    """Kind -> one text of it for this pair, in the order of READY: those on which drafters show their natures."""
    first = {kind: texts[0] for kind, texts in openings(pair).items()}
    own = _table("ready")
    found = {**first, **own.get(pair, own["any"])}
    return {kind: found[kind] for kind in READY if kind in found}


@cache
def _table(name: str = "kinds") -> dict:
    return tomllib.loads((_HERE / f"{name}.toml").read_text(encoding="utf-8"))
