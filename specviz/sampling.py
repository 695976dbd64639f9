"""From logits to probabilities, from a seed to uniforms, and from both to a token.

One function serves p and q alike. Written in operations that NumPy and torch share; imports neither torch nor
streamlit.
"""

from __future__ import annotations

import sys
from enum import IntEnum

import numpy as np

from specviz.errors import BadInput


class Purpose(IntEnum):
    """What a uniform is for. Keyed apart, the draws of one position never share a number."""

    DRAFT = 0
    ACCEPT = 1
    FIX = 2


def uniform(seed: int, position: int, purpose: Purpose, child: int = 0) -> float:
    """The uniform in [0, 1) of this seed, absolute position in the text, purpose and child of a tree.

    Counter-based (Philox 4x64, Salmon et al. 2011): it depends on nothing drawn before it.
    """
    bits = np.random.Philox(key=seed, counter=[0, position, int(purpose), child]).random_raw()
    return float(bits >> 11) * 2.0**-53


def probabilities(logits, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0):
    """Rows of logits (n, V) to rows of probabilities (n, V), in float32 or better.

    Order as in transformers: temperature, top-k, top-p. Temperature 0 is an exact one-hot at the first largest
    logit. Ties at the edge of top-k all stay; in top-p the smaller id stays. BadInput where logits are no
    numbers.
    """
    xp = _namespace(logits)
    if logits.dtype != xp.float64:
        logits = xp.asarray(logits, dtype=xp.float32)
    if temperature not in (0, 1):
        logits = logits / temperature
    if not xp.isfinite(xp.amax(logits, -1)).all():  # a nan anywhere is the largest
        raise BadInput("no_chances")
    if temperature == 0:
        ids = xp.arange(logits.shape[-1], device=logits.device)
        return xp.asarray(ids == logits.argmax(-1)[:, None], dtype=logits.dtype)
    if 0 < top_k < logits.shape[-1]:
        logits = xp.where(logits < _kth_largest(xp, logits, top_k), -xp.inf, logits)
    p = _softmax(xp, logits)
    return _nucleus(xp, p, top_p) if top_p < 1 else p


def draw(p, u: float | None) -> int:
    """The token of row p (V,) at which the cumulative sum passes u; u = None takes the largest (temperature 0).

    Tokens of probability 0 are never drawn.
    """
    if u is None:
        return int(p.argmax())
    xp = _namespace(p)
    heights = xp.cumsum(p, 0, dtype=xp.float64)
    total = float(heights[-1])
    # Rounding may lift u·total to total itself: the last step up is then the answer, not one past it.
    height = min(u * total, np.nextafter(total, 0))
    return int(xp.searchsorted(heights, height, side="right"))


def _namespace(array):
    """numpy or torch, whichever the array is of; without importing the other."""
    return sys.modules[type(array).__module__.partition(".")[0]]


def _softmax(xp, logits):
    if hasattr(xp, "softmax"):
        return xp.softmax(logits, -1)
    shifted = xp.exp(logits - xp.amax(logits, -1, keepdims=True))
    return shifted / shifted.sum(-1)[:, None]


def _kth_largest(xp, rows, k):
    if hasattr(xp, "topk"):
        return xp.topk(rows, k).values[:, -1:]
    return np.partition(rows, -k, axis=-1)[:, -k, None]


def _nucleus(xp, p, top_p):
    """Keep the smallest set of most probable tokens that holds at least `top_p`, and renormalise."""
    order = xp.argsort(-p, axis=-1, stable=True)
    rows = xp.arange(p.shape[0], device=p.device)[:, None]
    before = xp.cumsum(p[rows, order], -1) - p[rows, order]
    before[:, 0] = -1.0  # the most probable token stays, even where float32 knows no number as small as top_p
    keep = xp.zeros_like(p, dtype=bool if xp is np else xp.bool)
    keep[rows, order] = before < top_p
    kept = xp.where(keep, p, xp.zeros_like(p))
    return kept / kept.sum(-1)[:, None]
