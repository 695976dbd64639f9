"""Published figures of speculative decoding, as printed, and what the formula makes of them; the data is in published.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from specviz import speedup


@dataclass(frozen=True)
class Row:
    """One printed figure with its conditions; None where the paper prints nothing.

    α is given reached; expected and measured are speed-ups (the paper's own calculation, and its clock), operations is
    arithmetic against plain decoding, lenience is l of the lossy rule, the times are those of one pass in milliseconds.
    """

    name: str
    task: str | None = None
    target: str | None = None
    draft: str | None = None
    temperature: float | None = None
    gamma: int | None = None
    alpha: float | None = None
    c: float | None = None
    draft_ms: float | None = None
    target_ms: float | None = None
    lenience: float | None = None
    expected: float | None = None
    measured: float | None = None
    operations: float | None = None

    @property
    def cost(self) -> float | None:
        """c: as printed, or from the two printed times."""
        return self.draft_ms / self.target_ms if self.draft_ms else self.c

    @property
    def calc(self) -> float | None:
        """The formula's speed-up with v = 1 (Theorem 3.8), where α, γ and c are all known."""
        if None in (self.alpha, self.gamma, self.cost):
            return None
        return speedup.speedup(speedup.expected_tokens(self.alpha, self.gamma), self.gamma, self.cost, 1.0)

    @property
    def accepted_over_proposed(self) -> float | None:
        """The other acceptance rate, calculated: no paper here prints it."""
        return None if None in (self.alpha, self.gamma) else speedup.accepted_over_proposed(self.alpha, self.gamma)


@dataclass(frozen=True)
class Table:
    name: str
    source: str
    rows: tuple[Row, ...]


@cache
def tables() -> tuple[Table, ...]:
    """All tables, in the order of the file."""
    data = tomllib.loads((Path(__file__).parent / "published.toml").read_text(encoding="utf-8"))
    return tuple(Table(t["name"], t["source"], tuple(Row(**row) for row in t["rows"])) for t in data["tables"])


def table(name: str) -> Table:
    """The table of this name; KeyError when there is none."""
    return {t.name: t for t in tables()}[name]
