"""The rest of the family as published: each method's headline beside one comparison on one device; the data is in
variants.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Variant:
    """One method. Speed-ups against plain decoding: low and high of its headline, mean where the paper gives one, `same` on
    the one device, with `tokens` a verification there; None where nothing is printed. note: a code, or ""."""

    name: str
    paper: str
    low: float | None = None
    high: float | None = None
    mean: float | None = None
    same: float | None = None
    tokens: float | None = None
    note: str = ""


@cache
def variants() -> tuple[Variant, ...]:
    """All of them, in the order of the file."""
    return tuple(Variant(**row) for row in _file()["rows"])


def conditions() -> dict[str, str]:
    """Under which the two kinds of figure were measured: "headline" and "same"."""
    return {name: _file()[name] for name in ("headline", "same")}


@cache
def _file() -> dict:
    return tomllib.loads((Path(__file__).parent / "variants.toml").read_text(encoding="utf-8"))
