"""The walks along a vocabulary that every round takes, compiled: plain loops, which Python would be too slow for and NumPy
would cut into a dozen passes over the same row, each of them another call.

Rows are contiguous, in float32 or float64; sums are float64. Compiled on the first import of all (some seconds), read from a
cache afterwards. What they are for is said where they are called: `sampling`, `engine.columns`.
"""

from __future__ import annotations

import numpy as np
from numba import float32, float64, int64, njit, types, uint64

BLOCK = 64  # tokens that are looked at together
HALF, LOW = np.uint64(32), np.uint64(2**32 - 1)  # of a word of 64 bits
# Of Philox 4x64 (Salmon et al. 2011): multipliers, and what the key grows by.
TIMES = np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157)
GROWS = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBB67AE8584CAA73B)


def _compiled(result, *arguments, in_order: bool = True):
    """For rows of either precision, written as None among the arguments; runs without Python's lock. in_order: sums are made
    as they are written, to the last bit on every machine; else as is quickest there."""
    kinds = [[kind[::1] if one is None else one for one in arguments] for kind in (float32, float64)]
    how = {"signature_or_function": list({result(*kind) for kind in kinds}), "nogil": True}
    how |= {} if in_order else {"fastmath": {"reassoc", "contract"}}

    def made(function):
        try:
            return njit(cache=True, **how)(function)
        except RuntimeError:  # nowhere to keep it, neither here nor at home: compiled anew by every process
            return njit(**how)(function)

    return made


@_compiled(int64, None, float64)
def drawn(p, u):
    """The token of p (V,) at which the cumulative sum passes u times the whole; −1 where the whole is no number above 0."""
    tops, whole = np.empty((len(p) + BLOCK - 1) // BLOCK), 0.0
    for i in range(len(tops)):
        for x in range(i * BLOCK, min((i + 1) * BLOCK, len(p))):
            whole += p[x]
        tops[i] = whole
    if not 0 < whole < np.inf:
        return -1
    # Rounding may lift u·whole to the whole itself: the last step up is then the answer, not one past it.
    height = min(u * whole, np.nextafter(whole, 0.0))
    i = np.searchsorted(tops, height, side="right")
    sum_, token = tops[i - 1] if i else 0.0, -1
    for x in range(i * BLOCK, len(p)):
        if p[x] > 0:
            token, sum_ = x, sum_ + p[x]
            if sum_ > height:
                break
    return token


@_compiled(float64, None, None, int64, int64, in_order=False)
def highest(p, q, start, end):
    """The largest max(p, q) of the tokens start … end − 1; p, q (V,)."""
    found = p[start]
    for x in range(start, end):
        tall = p[x] if p[x] > q[x] else q[x]  # as a choice: max() also asks for what is no number, one by one
        found = tall if tall > found else found
    return found


@_compiled(int64, None, None, int64[::1])
def tallest(p, q, ids):
    """Write into `ids` (n,) the tokens of largest max(p, q), falling, the smaller id first among equals; how many there are
    with any chance at all, n at most."""
    heights, count = np.zeros(len(ids)), 0
    for start in range(0, len(p), BLOCK):
        end = min(start + BLOCK, len(p))
        if highest(p, q, start, end) <= heights[-1]:
            continue
        for x in range(start, end):
            height = float(max(p[x], q[x]))
            if height > heights[-1]:
                at = len(ids) - 1
                while at > 0 and heights[at - 1] < height:
                    heights[at], ids[at] = heights[at - 1], ids[at - 1]
                    at -= 1
                heights[at], ids[at] = height, x
                count = min(count + 1, len(ids))
    return count


@_compiled(types.UniTuple(float64, 4), None, None, int64, int64, in_order=False)
def parted(p, q, start, end):
    """Of the tokens start … end − 1, the sums of p and of q where q is larger, and of p and of q where it is not."""
    over_p, over_q, under_p, under_q = 0.0, 0.0, 0.0, 0.0
    for x in range(start, end):
        over = 1.0 if q[x] > p[x] else 0.0
        over_p += over * p[x]
        over_q += over * q[x]
        under_p += (1.0 - over) * p[x]
        under_q += (1.0 - over) * q[x]
    return over_p, over_q, under_p, under_q


@_compiled(types.UniTuple(float64, 4), None, None, int64[::1])
def others(p, q, ids):
    """The same sums over all tokens but `ids`, each of which stands there once."""
    over_p, over_q, under_p, under_q, start = 0.0, 0.0, 0.0, 0.0, 0
    shown = np.sort(ids)
    for i in range(len(shown) + 1):
        end = shown[i] if i < len(shown) else len(p)
        sums = parted(p, q, start, end)
        over_p, over_q, under_p, under_q = over_p + sums[0], over_q + sums[1], under_p + sums[2], under_q + sums[3]
        start = end + 1
    return over_p, over_q, under_p, under_q


@_compiled(types.Tuple((int64, types.UniTuple(float64, 4))), None, None, int64[::1], int64, int64[::1], float64[:, ::1])
def chosen(p, q, asked, most, ids, shown):
    """The `most` tallest tokens and those `asked` for that are not among them: their ids, and in `shown` (2, …) their p and q,
    which have room for all. How many they are; and the sums of the others."""
    count = tallest(p, q, ids[:most])
    for id in asked:
        if not (ids[:count] == id).any():
            ids[count] = id
            count += 1
    for i in range(count):
        shown[0, i], shown[1, i] = p[ids[i]], q[ids[i]]
    return count, others(p, q, ids[:count])


@_compiled(uint64, uint64, uint64)
def high(a, b):
    """The upper word of a·b."""
    a_high, a_low, b_high, b_low = a >> HALF, a & LOW, b >> HALF, b & LOW
    middle = a_high * b_low + (a_low * b_low >> HALF)
    return a_high * b_high + (middle >> HALF) + ((middle & LOW) + a_low * b_high >> HALF)


@_compiled(uint64, uint64, uint64, uint64, uint64)
def philox(seed, b, c, d):
    """The first word of Philox 4x64-10 (Salmon et al. 2011) of this key and the counter (1, b, c, d)."""
    a, one, other = np.uint64(1), seed, np.uint64(0)  # NumPy counts up before it draws
    for _ in range(10):
        left, right = high(a, TIMES[0]), high(c, TIMES[1])
        a, b, c, d = right ^ b ^ one, c * TIMES[1], left ^ d ^ other, a * TIMES[0]
        one, other = one + GROWS[0], other + GROWS[1]
    return a
