"""What speculative decoding gains: tokens a round, and time against plain decoding (Leviathan et al. 2023, sections 3.1
to 3.5).

Everything passes through survival: the chance that place i of a round is passed, i = 1 … γ. That sum is always true;
α^i is the special case in which every place is accepted with the same chance, independently of the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import accumulate, repeat
from operator import mul

from specviz.errors import BadInput, check_limits

MOST_GUESSES = 64  # how far the best γ is searched for
LIMITS = {"alpha": (0.0, 1.0), "gamma": (0, 1000), "c": (0.0, 1000.0), "v": (1.0, 10_000.0), "c_hat": (0.0, 1000.0)}

Cost = Callable[[int], float]  # v(k): a target pass of k tokens in passes of one token


def check(**values: float) -> None:
    """BadInput unless alpha, gamma, c, v, c_hat, whichever are given, lie within LIMITS."""
    check_limits(LIMITS, **values)


def survival(alpha: float, gamma: int) -> list[float]:
    """α^i for i = 1 … γ: survival where acceptance is the same and independent at every place.

    Multiplied place by place, as the page's JavaScript does, so that both have the same bits and the same best γ.
    """
    return list(accumulate(repeat(alpha, gamma), mul))


def tokens_of(survival: Sequence[float]) -> float:
    """1 + Σ survival_i: expected tokens a round, the fix included. True of any text and any drafter."""
    return 1 + math.fsum(survival)


def expected_tokens(alpha: float, gamma: int) -> float:
    """(1 − α^(γ+1)) / (1 − α), summed as it stands so that α = 1 gives γ + 1 (section 3.1, equation 1)."""
    return tokens_of(survival(alpha, gamma))


def accepted_over_proposed(alpha: float, gamma: int) -> float | None:
    """The other acceptance rate: guesses accepted ÷ guesses made, void ones included; None without guesses.

    It is never larger than α, the same at γ = 1, α = 0 and α = 1, and is not α: in the formula it predicts too little.
    """
    return (expected_tokens(alpha, gamma) - 1) / gamma if gamma else None


def alpha_of(survival: Sequence[float]) -> float | None:
    """Σ survival_i ÷ Σ chance that place i is reached: α as it is counted, accepted ÷ reached; None without guesses."""
    reached = math.fsum([1.0, *survival[:-1]])
    return math.fsum(survival) / reached if survival else None


def linear_cost(slope: float) -> Cost:
    """v(k) = 1 + slope·(k − 1). The paper takes slope 0."""
    return lambda k: 1 + slope * (k - 1)


FALL = 0.15  # a wider pass that seems this much cheaper than a narrower one was timed in other weather


def falls(v: Sequence[float]) -> bool:
    """Whether measured v(1), v(2), … sink from one to a later one by more than FALL. A pass of more tokens does all the work
    of one of fewer, so then the machine was busy with something else, and nothing follows from these times."""
    return any(later < (1 - FALL) * most for most, later in zip(accumulate(v, max), v, strict=True))


def slope_through(gamma: int, v: float) -> float:
    """The slope of the line through v(1) = 1 and v(γ + 1) = v; without guesses there is but the first point."""
    if gamma == 0 and v != 1:
        raise BadInput("v_without_gamma", v=v)
    return (v - 1) / gamma if gamma else 0.0


def speedup(tokens: float, gamma: int, c: float, v: float) -> float:
    """Tokens a round ÷ (γ·c + v): plain decoding's time over speculative decoding's. v is v(γ+1) (Theorem 3.8 has v = 1)."""
    return tokens / (gamma * c + v)


def operations(tokens: float, gamma: int, c_hat: float) -> float:
    """(γ·ĉ + γ + 1) / tokens: arithmetic against plain decoding's, ĉ that of a draft token (Theorem 3.11)."""
    return (gamma * c_hat + gamma + 1) / tokens


def curve(survival: Sequence[float], c: float, cost: Cost) -> list[float]:
    """Speed-up for γ = 0 … len(survival). γ = 0 is plain decoding: exactly 1."""
    tokens = accumulate(survival, initial=1.0)
    return [speedup(t, gamma, c, cost(gamma + 1)) for gamma, t in enumerate(tokens)]


def best_gamma(speedups: Sequence[float]) -> int:
    """The γ of the largest speed-up, the smallest such γ; 0 when no guessing pays."""
    return max(range(len(speedups)), key=lambda gamma: (speedups[gamma], -gamma))
