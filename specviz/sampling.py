"""From logits to probabilities, from a seed to uniforms, and from both to a token.

One function serves p and q alike. Logits may be NumPy's or torch's; probabilities are NumPy's, for whoever judges or draws
looks at single numbers of them. Imports neither torch nor streamlit, and what is compiled only when it is needed.
"""

from __future__ import annotations

import math
import sys
from enum import IntEnum
from functools import cache

import numpy as np

from specviz.errors import BadInput


class Purpose(IntEnum):
    """What a uniform is for. Keyed apart, the draws of one position never share a number."""

    DRAFT = 0
    ACCEPT = 1
    FIX = 2


def uniform(seed: int, position: int, purpose: Purpose, child: int = 0) -> float:
    """The uniform in [0, 1) of this seed, absolute position in the text, purpose and child of a tree.

    Counter-based (Philox 4x64-10, Salmon et al. 2011): it depends on nothing drawn before it. The first number of NumPy's
    `Philox(key=seed, counter=[0, position, purpose, child])`, whose making alone takes twenty times as long.
    """
    return (_compiled().philox(seed, position, int(purpose), child) >> 11) * 2.0**-53


def probabilities(logits, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0):
    """Rows of logits (n, V), wherever they are, to rows of probabilities (n, V) in NumPy, in float32 or better.

    Order as in transformers: temperature, top-k, top-p. Temperature 0 is an exact one-hot at the first largest
    logit. Ties at the edge of top-k all stay; in top-p the smaller id stays. BadInput where logits are no
    numbers.
    """
    xp = _namespace(logits)
    if logits.dtype not in (xp.float32, xp.float64):
        logits = xp.asarray(logits, dtype=xp.float32)
    if temperature == 0:
        return _certain(logits.argmax(-1), _read(logits))
    if temperature != 1:
        logits = logits / temperature
    if 0 < top_k < logits.shape[-1]:
        logits = xp.where(logits < _kth_largest(xp, logits, top_k), -xp.inf, logits)
    p = _read(_softmax(xp, logits))
    if not math.isfinite(sum(p[:, 0].tolist())):  # one logit that is no number spoils every chance of its row
        raise BadInput("no_chances")
    return _nucleus(p, top_p) if top_p < 1 else p


def draw(p, u: float | None) -> int:
    """The token of row p (V,) at which the cumulative sum passes u; u = None takes the largest (temperature 0).

    Tokens of probability 0 are never drawn. BadInput where the chances of p are no numbers.
    """
    if u is None:
        return int(p.argmax())
    token = _compiled().drawn(np.ascontiguousarray(p), u)
    if token < 0:
        raise BadInput("no_chances")
    return token


@cache
def _compiled():
    """Imported late: it takes a third of a second, and pages that only speak of probabilities never draw."""
    from specviz import compiled

    return compiled


def _read(rows) -> np.ndarray:
    """No copy where they lie in this machine's memory."""
    return rows if isinstance(rows, np.ndarray) else rows.cpu().numpy()


def _namespace(array):
    """numpy or torch, whichever the array is of; without importing the other."""
    return sys.modules[type(array).__module__.partition(".")[0]]


def _certain(best, logits):
    p = np.zeros_like(logits)
    for i, token in enumerate(best.tolist()):
        if not math.isfinite(logits[i, token]):  # a nan anywhere is the largest
            raise BadInput("no_chances")
        p[i, token] = 1
    return p


def _softmax(xp, logits):
    if hasattr(xp, "softmax"):
        return xp.softmax(logits, -1)
    with np.errstate(invalid="ignore"):  # ∞ − ∞: whoever asked is told
        shifted = xp.exp(logits - xp.amax(logits, -1, keepdims=True))
    return shifted / shifted.sum(-1)[:, None]


def _kth_largest(xp, rows, k):
    if hasattr(xp, "topk"):
        return xp.topk(rows, k).values[:, -1:]
    return np.partition(rows, -k, axis=-1)[:, -k, None]


def _nucleus(p, top_p):
    """Keep the smallest set of most probable tokens that holds at least `top_p`, and renormalise. Only tokens that have any
    chance are sorted: few, after top-k."""
    kept = np.zeros_like(p)
    for row, left in zip(p, kept, strict=True):
        ids = row.nonzero()[0]
        ids = ids[np.argsort(-row[ids], stable=True)]
        before = np.cumsum(row[ids], dtype=np.float64) - row[ids]
        before[0] = -1.0  # the most probable token stays, even where float32 knows no number as small as top_p
        ids = ids[before < top_p]
        left[ids] = row[ids]
    return kept / kept.sum(-1, dtype=np.float64)[:, None].astype(kept.dtype)
