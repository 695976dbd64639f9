"""Which columns of p and q a trace keeps of one place: a few exactly, of all the others what they come to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from specviz import compiled

SHOWN = 8


class Column(NamedTuple):
    """top: (id, p, q) of the SHOWN tokens of largest max(p, q) that have any chance, falling, and of those asked for. rest:
    the sums of all the others apart by which of the two is larger; only so does Σ min(p, q) stay exact. guess: p and q
    of the first that was asked for."""

    top: list[tuple[int, float, float]]
    rest: dict[str, dict[str, float]]
    guess: tuple[float, float]


def column(p: np.ndarray, q: np.ndarray, asked: list[int]) -> Column:
    """Of rows p and q (V,). Done for every place of every round: few calls, each a walk along the rows."""
    kind = p.dtype if p.dtype == q.dtype else np.float64
    p, q = np.ascontiguousarray(p, kind), np.ascontiguousarray(q, kind)
    most = SHOWN + len(asked)
    ids, shown = np.empty(most, np.int64), np.empty((2, most))
    count, (over_p, over_q, under_p, under_q) = compiled.chosen(p, q, np.array(asked), SHOWN, ids, shown)
    top = list(zip(ids[:count].tolist(), *shown[:, :count].tolist(), strict=True))
    rest = {"over": {"p": over_p, "q": over_q}, "under": {"p": under_p, "q": under_q}}
    return Column(top, rest, (float(p[asked[0]]), float(q[asked[0]])))
