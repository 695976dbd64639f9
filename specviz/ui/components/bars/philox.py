"""Philox4x32-10 (Salmon et al. 2011) and the rain it drives: the twin of philox.js and rain.js, number for number.

Throw number n of a seed is one block: counter (n low, n high, 0, 0), key (seed low, seed high). Its four words, each
times 2⁻³², are the four uniforms of the throw: which column, how high, which hole, how high in the hole.
"""

from __future__ import annotations

import numpy as np

from specviz import rule

MULTIPLIERS = np.array([0xD2511F53, 0xCD9E8D57], dtype=np.uint64)
WEYL = (0x9E3779B9, 0xBB67AE85)
LOW, WORD = np.uint64(0xFFFFFFFF), np.uint64(32)
CHUNK = 1 << 14  # throws at a time: what fits the cache


def philox(counter, key: tuple[int, int]) -> np.ndarray:
    """Blocks of four 32-bit words: counter (n, 4) and two key words to (n, 4), all uint32."""
    c0, c1, c2, c3 = np.asarray(counter, dtype=np.uint64).T
    k0, k1 = key
    for _ in range(10):
        first, second = c0 * MULTIPLIERS[0], c2 * MULTIPLIERS[1]
        c0, c1 = (second >> WORD) ^ c1 ^ np.uint64(k0), second & LOW
        c2, c3 = (first >> WORD) ^ c3 ^ np.uint64(k1), first & LOW
        k0, k1 = (k0 + WEYL[0]) & 0xFFFFFFFF, (k1 + WEYL[1]) & 0xFFFFFFFF
    return np.stack([c0, c1, c2, c3], -1).astype(np.uint32)


def uniforms(seed: int, start: int, count: int) -> np.ndarray:
    """The uniforms in [0, 1) of throws start … start + count − 1; (count, 4)."""
    n = np.arange(start, start + count, dtype=np.uint64)
    nothing = np.zeros_like(n)
    counter = np.stack([n & LOW, n >> WORD, nothing, nothing], -1)
    return philox(counter, (seed & 0xFFFFFFFF, seed >> 32)) * 2.0**-32


def rain(p, q, seed: int, throws: int) -> dict[str, list[int]]:
    """How often each token was guessed and kept, guessed and rejected, and put in as a fix.

    kept + filled is the output, kept + rejected the guesses.
    """
    p, q = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    size, blue, holes = len(p), rule.overlap(p, q), rule.deficit(p, q)
    fixes = holes if holes.any() else p
    kept, rejected, filled = (np.zeros(size, dtype=np.int64) for _ in range(3))
    for start in range(0, throws, CHUNK):
        u = uniforms(seed, start, min(CHUNK, throws - start))
        x = _draws(q, u[:, 0])
        # u·q(x) < p(x), seen as a place in the picture: the point lies under min(p, q).
        inside = u[:, 1] * q[x] < blue[x]
        kept += np.bincount(x[inside], minlength=size)
        rejected += np.bincount(x[~inside], minlength=size)
        filled += np.bincount(_draws(fixes, u[~inside, 2]), minlength=size)
    return {"kept": kept.tolist(), "rejected": rejected.tolist(), "filled": filled.tolist()}


def _draws(row, u):
    """sampling.draw for many uniforms at once; 32-bit uniforms never reach the last step up."""
    heights = np.cumsum(row)
    return np.searchsorted(heights, u * heights[-1], side="right")
