"""Is the output p? The exact law of any rule, throws from it, and a verdict; and the gallery of rules on trial.

A rule on trial is a function `rule(p, q, chance)` that returns the token it emits, or None for nothing. All its luck
comes from `chance`: `chance.draw(row)` draws a token from a distribution, `chance.happens(probability)` flips a coin.
So the same few lines can be thrown, with random luck, and computed, by walking every path luck can take:

    def mine(p, q, chance):
        x = chance.draw(q)
        if chance.happens(p[x] / q[x]):
            return x
        return chance.draw(p)

    court.exact_law(mine, p, q)        # what it really emits
    court.trial(mine, p, q, 100_000)   # and what a jury would say
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from specviz import rule as the_rule
from specviz.errors import BadInput

GUILTY = 1e-6  # a p-value below it convicts
POWER = 0.99
TOLERANCE = 1e-6  # how far a sum may be from 1
SMALLEST = 1e-300  # a probability
LONGEST_PATH = 1_000  # choices in one run of a rule; more means that it may never end
MOST_PATHS = 200_000
BATCH = 5_000  # throws between two reports of a hearing
POOLED = 5  # cells expected less often are counted together


def check(p: Sequence[float], q: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """p and q as float64 rows that sum to 1 exactly; BadInput names what cannot be a pair of distributions.

    What is less than SMALLEST counts as 0: a ratio to it may be more than a float can hold.
    """
    rows = []
    for name, values in (("p", p), ("q", q)):
        row = np.array(list(values), dtype=np.float64)
        if not np.isfinite(row).all():
            raise BadInput("law_not_numbers", name=name)
        if len(row) < 2:
            raise BadInput("law_too_short", name=name)
        if (row < 0).any():
            raise BadInput("law_negative", name=name)
        with np.errstate(over="ignore"):  # infinity is not 1 either
            total = row.sum()
        if abs(total - 1) > TOLERANCE:
            raise BadInput("law_sum", name=name, total=f"{total:.9g}")
        row[row < SMALLEST] = 0.0
        rows.append(row / row.sum())
    if len(rows[0]) != len(rows[1]):
        raise BadInput("law_lengths", p=len(rows[0]), q=len(rows[1]))
    return rows[0], rows[1]


class Luck:
    """Random luck from a seed."""

    def __init__(self, seed: int):
        self._random = np.random.default_rng(seed).random
        self._heights: dict[bytes, list[float]] = {}  # a trial draws from the same few rows over and over

    def draw(self, row) -> int:
        row = np.asarray(row, dtype=np.float64)
        heights = self._heights.get(row.tobytes())
        if heights is None:
            heights = self._heights[row.tobytes()] = np.cumsum(row).tolist()
        # Rounding may lift the product to the total itself: the last step up is then the answer.
        return bisect.bisect_right(heights, min(self._random() * heights[-1], math.nextafter(heights[-1], 0)))

    def happens(self, probability: float) -> bool:
        return self._random() < probability


class Path:
    """Luck that follows one given path of choices and notes how likely it was and how many ways there were."""

    def __init__(self, choices: list[int]):
        self.choices, self.ways, self.weight = choices, [], 1.0

    def draw(self, row) -> int:
        row = np.asarray(row, dtype=np.float64)
        return self._choose(row / row.sum())

    def happens(self, probability: float) -> bool:
        chance = min(1.0, max(0.0, probability))
        return self._choose([1 - chance, chance]) == 1

    def _choose(self, weights):
        options = [i for i, w in enumerate(weights) if w > 0]
        at = len(self.ways)
        if at >= LONGEST_PATH:
            raise BadInput("endless_rule", most=LONGEST_PATH)
        pick = options[self.choices[at] if at < len(self.choices) else 0]
        self.ways.append(len(options))
        self.weight *= float(weights[pick])
        return pick


def every_path(act: Callable[[Path], object]):
    """Run `act` once for every path of choices there is; yields (what it returned, probability of the path)."""
    choices: list[int] = []
    for number in itertools.count():
        if number >= MOST_PATHS:
            raise BadInput("endless_rule", most=MOST_PATHS)
        path = Path(choices)
        yield act(path), path.weight
        choices = (choices + [0] * len(path.ways))[: len(path.ways)]
        while choices and choices[-1] + 1 == path.ways[len(choices) - 1]:
            choices.pop()
        if not choices:
            return
        choices[-1] += 1


def exact_law(rule: Callable, p, q) -> np.ndarray:
    """The distribution of what `rule` emits, computed, not sampled; (V,). Of what is emitted, where it may be nothing;
    all zero where it always is."""
    law = np.zeros(len(p))
    for token, weight in every_path(lambda luck: rule(p, q, luck)):
        if token is not None:
            law[token] += weight
    return law / law.sum() if law.any() else law


def throw(rule: Callable, p, q, throws: int, seed: int = 0) -> np.ndarray:
    """How often each token came out of `throws` trials; (V,) counts. Nothing emitted is not counted."""
    counts = np.zeros(len(p), dtype=np.int64)
    _throw_on(rule, p, q, throws, Luck(seed), counts)
    return counts


def _throw_on(rule, p, q, throws, luck, counts) -> None:
    for _ in range(throws):
        token = rule(p, q, luck)
        if token is not None:
            counts[token] += 1


def g_test(counts, p) -> float:
    """p-value of `counts` (V,) if they were drawn from p: the likelihood-ratio test with Williams' correction (1976),
    rare cells pooled. Without it, hundreds of cells that expect little each would make honest draws look guilty.

    An outcome that p forbids convicts by itself, and so does silence. 1 when a single cell is left.
    """
    counts, p = np.asarray(counts, dtype=np.float64), np.asarray(p, dtype=np.float64)
    if counts[p == 0].any() or not counts.any():
        return 0.0
    expected = counts.sum() * p
    rare = expected < POOLED
    cells = [(c, e) for c, e in zip(counts[~rare], expected[~rare], strict=True)]
    if expected[rare].sum() > 0:
        cells.append((counts[rare].sum(), expected[rare].sum()))
    if len(cells) < 2:
        return 1.0
    seen, wanted = np.array(cells).T
    from scipy import stats  # most of a second to import, and not every visitor holds a trial

    g, freedom = 2 * np.sum(seen * np.log(np.where(seen > 0, seen, 1) / wanted), where=seen > 0), len(cells) - 1
    solid = wanted[wanted >= POOLED]  # the pool itself may expect next to nothing, and then the correction knows nothing
    williams = 1 + max(0.0, np.sum(1 / solid) - 1 / wanted.sum()) / (6 * freedom)
    return float(stats.chi2.sf(g / williams, freedom))


def tv_by_chance(p, throws: int, seed: int = 0, repeats: int = 400) -> tuple[float, float]:
    """Mean and 99th percentile of the TV between p and the frequencies of `throws` honest draws from it."""
    counts = np.random.default_rng(seed).multinomial(throws, p, size=repeats)
    distances = np.abs(counts / throws - p).sum(-1) / 2
    return float(distances.mean()), float(np.quantile(distances, 0.99))


def throws_to_convict(law, p) -> int | None:
    """How many throws convict a rule of this law with power .99 at p-value 1e-6, by the noncentral chi-square of the
    G-test with its rare cells pooled; fewer where the law allows what p forbids. None for the law p itself."""
    law, p = np.asarray(law), np.asarray(p)
    if not law.any():
        return 1
    forbidden = float(law[p == 0].sum())
    if forbidden == 1:
        return 1
    if forbidden > 0:
        return math.ceil(math.log(1 - POWER) / math.log1p(-forbidden))
    # The more throws, the fewer cells are rare: at each of these numbers one of them begins to stand alone.
    starts = [0.0, *np.sort(POOLED / p[p > 0])]
    for start, end in zip(starts, [*starts[1:], math.inf], strict=True):
        rare = p < POOLED / end if end < math.inf else p == 0
        seen, wanted = (np.append(row[~rare], row[rare].sum()) for row in (law, p))
        both = (seen > 0) & (wanted > 0)
        divergence = float(np.sum(seen[both] * np.log(seen[both] / wanted[both])))
        if divergence > 1e-15:  # below that it is rounding
            needed = max(start, _shift(int((wanted > 0).sum()) - 1) / (2 * divergence))
            if needed <= end:
                return math.ceil(needed)
    return None


@cache
def _shift(freedom: int) -> float:
    """The noncentrality at which a G-test of so many degrees of freedom convicts with power .99."""
    from scipy import optimize, stats

    limit = stats.chi2.isf(GUILTY, freedom)
    return optimize.brentq(lambda x: stats.ncx2.sf(limit, freedom, x) - POWER, 1e-3, 1e4)


@dataclass(frozen=True)
class Verdict:
    """What a trial found. `law` is exact, `frequencies` thrown; `convicted` means p-value below 1e-6."""

    law: np.ndarray
    tv: float
    throws: int
    frequencies: np.ndarray
    p_value: float

    @property
    def convicted(self) -> bool:
        return self.p_value < GUILTY


def trial(rule: Callable, p, q, throws: int = 100_000, seed: int = 0) -> Verdict:
    """The exact law of `rule` against p, `throws` throws from it, and what they say."""
    p, q = check(p, q)
    law = exact_law(rule, p, q)
    counts = throw(rule, p, q, throws, seed)
    total = max(1, counts.sum())
    return Verdict(law, the_rule.total_variation(law, p), throws, counts / total, g_test(counts, p))


def hearing(rule: Callable, p, q, throws: int, seed: int = 0) -> Iterator[dict]:
    """The same trial as it goes on: what is known after every BATCH throws, as plain data ready for a screen."""
    p, q = check(p, q)
    law_error = float(np.abs(exact_law(rule, p, q) - p).max())
    luck, counts = Luck(seed), np.zeros(len(p), dtype=np.int64)
    for start in range(0, throws, BATCH):
        done = min(start + BATCH, throws)
        _throw_on(rule, p, q, done - start, luck, counts)
        frequencies = counts / max(1, counts.sum())
        yield {
            "p": p.tolist(),
            "frequencies": frequencies.tolist(),
            "rest": {},
            "law_error": law_error,
            "vocabulary": len(p),
            "throws": done,
            "wanted": throws,
            "tv": float(the_rule.total_variation(frequencies, p)),
            "tv_by_chance": tv_by_chance(p, done),
            "p_value": g_test(counts, p),
        }
