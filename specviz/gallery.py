"""Rules on trial: the right one, a right but wasteful one, and wrong ones that people really use.

Each is a few lines, defined to the last step; `specviz.court` computes and throws them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from specviz import rule


def speculative(p, q, chance):
    x = chance.draw(q)
    return x if chance.happens(p[x] / q[x]) else chance.draw(rule.residual(p, q))


def match(p, q, chance):
    x, y = chance.draw(q), chance.draw(p)
    return x if x == y else y


def match_redraw(p, q, chance):
    x, y = chance.draw(q), chance.draw(p)
    return x if x == y else chance.draw(p)


def either(p, q, chance):
    x, y = chance.draw(q), chance.draw(p)
    return x if x == y or chance.happens(p[x] / q[x]) else y


def resample_p(p, q, chance):
    x = chance.draw(q)
    return x if chance.happens(p[x] / q[x]) else chance.draw(p)


def half(p, q, chance):
    x = chance.draw(q)
    return x if p[x] / q[x] > 0.5 else chance.draw(rule.residual(p, q))


def argmax(p, q, chance):
    x, best = chance.draw(q), int(np.argmax(p))
    return x if x == best else best


def lenience(p, q, chance, leniency=0.5):
    x = chance.draw(q)
    return x if chance.happens(p[x] / (leniency * q[x])) else chance.draw(rule.residual(p, leniency * q))


def typical(p, q, chance):
    x = chance.draw(q)
    entropy = -float(np.sum(p[p > 0] * np.log(p[p > 0])))
    return x if p[x] > min(0.09, 0.3 * np.exp(-entropy)) else chance.draw(p)


def greedy_q(p, q, chance):
    x = int(np.argmax(q))
    return x if chance.happens(p[x] / q[x]) else chance.draw(rule.residual(p, q))


def softmax_residual(p, q, chance):
    x = chance.draw(q)
    weights = np.exp(rule.deficit(p, q))
    return x if chance.happens(p[x] / q[x]) else chance.draw(weights / weights.sum())


def no_fix(p, q, chance):
    x = chance.draw(q)
    return x if chance.happens(p[x] / q[x]) else None


@dataclass(frozen=True)
class Entry:
    """kind: right, wasteful (right, but accepts less), lossy (by design), wrong. What it says is in the locale."""

    function: Any
    kind: str

    @property
    def lossless(self) -> bool:
        return self.kind in ("right", "wasteful")


RULES = {
    "speculative": Entry(speculative, "right"),
    "match": Entry(match, "wasteful"),
    "match-redraw": Entry(match_redraw, "wrong"),
    "either": Entry(either, "wrong"),
    "resample-p": Entry(resample_p, "wrong"),
    "half": Entry(half, "wrong"),
    "argmax": Entry(argmax, "wrong"),
    "lenience": Entry(lenience, "lossy"),
    "typical": Entry(typical, "lossy"),
    "greedy-q": Entry(greedy_q, "wrong"),
    "softmax-residual": Entry(softmax_residual, "wrong"),
    "no-fix": Entry(no_fix, "wrong"),
}
