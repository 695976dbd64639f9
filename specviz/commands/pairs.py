"""The catalogue: size, licence, origin, whether it is on this machine."""

from __future__ import annotations

from specviz.engine.pairs import listing

summary = "List the pairs of models that specviz knows by name."
example = "pairs --json"


def arguments(parser) -> None:
    pass


def run(arguments) -> list[dict]:
    rows = listing()
    if not arguments.json:
        for row in rows:
            sizes = " ← ".join(f"{row[side]['parameters'] / 1e6:.1f}M" for side in ("target", "draft"))
            state = "ready" if row["ready"] else "not here"
            print(f"{row['name']:16} {sizes:18} {state:9} {row['licence']:12} {row['origin']}")
    return rows
