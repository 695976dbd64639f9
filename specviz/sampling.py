"""From logits to probabilities, from a seed to uniforms, and from both to a token.

One function serves p and q alike. Written in operations that NumPy and torch share; imports neither torch nor
streamlit.
"""

from __future__ import annotations

import math
import sys
from enum import IntEnum
from functools import lru_cache

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
    `Philox(key=seed, counter=[0, position, purpose, child])`, whose making alone takes longer than these ten rounds.
    """
    a, b, c, d = 1, position, int(purpose), child  # NumPy counts up before it draws
    for one, other in _round_keys(seed):
        left, right = a * 0xD2E7470EE14C6C93, c * 0xCA5A826395121157
        a, b, c, d = right >> 64 ^ b ^ one, right & _WORD, left >> 64 ^ d ^ other, left & _WORD
    return (a >> 11) * 2.0**-53


_WORD = 2**64 - 1


@lru_cache(maxsize=64)
def _round_keys(seed: int) -> tuple[tuple[int, int], ...]:
    one, other = 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B
    return tuple(((seed + i * one) & _WORD, i * other & _WORD) for i in range(10))


def probabilities(logits, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0):
    """Rows of logits (n, V) to rows of probabilities (n, V), in float32 or better.

    Order as in transformers: temperature, top-k, top-p. Temperature 0 is an exact one-hot at the first largest
    logit. Ties at the edge of top-k all stay; in top-p the smaller id stays. BadInput where logits are no
    numbers.
    """
    xp = _namespace(logits)
    if logits.dtype not in (xp.float32, xp.float64):
        logits = xp.asarray(logits, dtype=xp.float32)
    if temperature == 0:
        return _certain(xp, logits)
    if temperature != 1:
        logits = logits / temperature
    if 0 < top_k < logits.shape[-1]:
        logits = xp.where(logits < _kth_largest(xp, logits, top_k), -xp.inf, logits)
    p = _softmax(xp, logits)
    if not math.isfinite(sum(p[:, 0].tolist())):  # one logit that is no number spoils every chance of its row
        raise BadInput("no_chances")
    return _nucleus(xp, p, top_p) if top_p < 1 else p


def draw(p, u: float | None) -> int:
    """The token of row p (V,) at which the cumulative sum passes u; u = None takes the largest (temperature 0).

    Tokens of probability 0 are never drawn.
    """
    if u is None:
        return int(p.argmax())
    xp = _namespace(p)
    heights = xp.cumsum(p, 0, dtype=xp.float64)
    heights = heights if xp is np else heights.cpu().numpy()  # no copy on a CPU
    total = float(heights[-1])
    # Rounding may lift u·total to total itself: the last step up is then the answer, not one past it.
    height = min(u * total, math.nextafter(total, 0))
    return int(heights.searchsorted(height, side="right"))


def _namespace(array):
    """numpy or torch, whichever the array is of; without importing the other."""
    return sys.modules[type(array).__module__.partition(".")[0]]


def _certain(xp, logits):
    p = xp.zeros_like(logits)
    for i, best in enumerate(logits.argmax(-1).tolist()):
        if not math.isfinite(logits[i, best]):  # a nan anywhere is the largest
            raise BadInput("no_chances")
        p[i, best] = 1
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


def _nucleus(xp, p, top_p):
    """Keep the smallest set of most probable tokens that holds at least `top_p`, and renormalise. Only tokens that have any
    chance are sorted: few, after top-k."""
    kept = xp.zeros_like(p)
    for row, left in zip(p, kept, strict=True):
        ids = xp.where(row > 0)[0]
        ids = ids[xp.argsort(-row[ids], stable=True)]
        before = xp.cumsum(row[ids], 0) - row[ids]
        before[0] = -1.0  # the most probable token stays, even where float32 knows no number as small as top_p
        ids = ids[before < top_p]
        left[ids] = row[ids]
    return kept / kept.sum(-1)[:, None]
