"""The acceptance rule: how guesses from q become exact draws from p (Leviathan et al. 2023, section 2.3, Theorem 1).

Accept a guess x ~ q with probability min(1, p(x)/q(x)); otherwise draw from norm(max(0, p − q)). What comes out is
distributed as p. Everything here is written in operations that NumPy arrays and torch tensors share, so the lesson
and the engine are one function. p and q are rows of probabilities over the same tokens, shape (V,).
"""

from __future__ import annotations


def accepts(u: float, p_x: float, q_x: float) -> bool:
    """Whether a guess with probabilities `p_x` and `q_x` stays, given u uniform in [0, 1); of several at once, each.

    u·q < p is u < min(1, p/q) without the division: p = 0 never passes, p ≥ q always does.
    """
    return u * q_x < p_x


def overlap(p, q):
    """min(p, q): the mass of each token that is guessed and accepted; (V,)."""
    return p * (p < q) + q * (p >= q)


def deficit(p, q):
    """max(0, p − q): what the guesses leave wanting, token by token; (V,)."""
    return (p - q).clip(0)


def residual(p, q):
    """norm(max(0, p − q)): what a rejected place is drawn from; (V,).

    Without any deficit p equals q and nothing is ever rejected, save by rounding: then the answer is p itself.
    """
    missing = deficit(p, q)
    mass = missing.sum()
    return missing / mass if mass > 0 else p


def beta(p, q) -> float:
    """Σ min(p, q): the chance that a guess from q is accepted at this position."""
    return float(overlap(p, q).sum())


def total_variation(p, q) -> float:
    """½ Σ |p − q| = 1 − β: the distance between the two."""
    return float(abs(p - q).sum() / 2)


def output_law(p, q):
    """The exact distribution of what one position emits: accepted guesses plus the rejected mass spread as the
    residual; (V,). Equal to p, which is the theorem."""
    kept = overlap(p, q)
    return kept + (q.sum() - kept.sum()) * residual(p, q)
