"""Why the measured speed-up is not the formula's: counts and clocks of a few texts, and the factors between the two.

A Sample is one prompt, written twice by the same target: plainly and by speculation. Whole texts are the unit of
chance: places of one text hang together, so a band comes from drawing texts again, never places.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from specviz import speedup

RESAMPLES = 1000
BAND = (2.5, 97.5)  # percentiles: 95 in 100 redrawn sets of texts lie between
STEPS = ("formula", "places", "verify", "draft", "passes", "outside")
CLAIM = 0.2  # a prediction further off than this must be explained
LINE_ENDS = frozenset("，。、；：？！,.;:?!\n")
LONGEST_LINE = 8  # places of a verse line that are told apart; what comes later counts as the last


@dataclass(frozen=True)
class Cost:
    """Passes alone on the bench: milliseconds of one target token, c, and v(k) for k = 1, 2, … as a list."""

    target_ms: float
    c: float
    v: list[float]

    @property
    def widest(self) -> int:
        """The most guesses whose verification was timed."""
        return len(self.v) - 1


@dataclass(frozen=True)
class Sample:
    """Two texts after one prompt and where their time went; only whole rounds count, in which all γ guesses were made
    and the text did not end.

    passed: guesses that stayed, round by round. plain_tokens: passes of plain decoding, one token each.
    ms: plain, plain_passes (of them inside the target), speculative, draft and verify (of them inside either model).
    overlaps: β at every place of both texts. kept: text by text, min(1, q/p) of the token at every place: the chance
    that it came from an accepted guess if its place was guessed. places: text by text, the place in the verse line.
    """

    prompt: str
    texts: list[str]
    passed: list[int]
    plain_tokens: int
    ms: dict[str, float]
    overlaps: list[list[float]]
    kept: list[list[float]]
    places: list[list[int]]


def line_places(prompt: str, pieces: Sequence[str]) -> list[int]:
    """The place of every piece in its verse line, from 1; a mark of punctuation is the last place of its line."""
    place = 0
    for character in prompt:
        place = 0 if character in LINE_ENDS else place + 1
    found = []
    for piece in pieces:
        found.append(place + 1)
        place = 0 if set(piece) & LINE_ENDS else place + 1
    return found


def survival_on(kept: Sequence[Sequence[float]], gamma: int) -> list[float] | None:
    """Survival at i = 1 … γ of the rounds that would cut these texts, without the noise of guessing; None for no round.

    Given the text, a guessed place was accepted with its own chance `kept`, independently of all others: a round is a
    walk along the text that ends where it first fails, and the next one starts behind its fix. Rounds that would run
    past the end of a text are left out.
    """
    started, survived = 0.0, [0.0] * gamma
    for row in kept:
        starts = [1.0] + [0.0] * len(row)
        for place in range(len(row) - gamma):
            alive = begun = starts[place]
            started += begun
            for i in range(gamma):
                starts[place + i + 1] += alive * (1 - row[place + i])
                alive *= row[place + i]
                survived[i] += alive
            starts[place + gamma + 1] += alive
    return [x / started for x in survived] if started else None


def totals(samples: Sequence[Sample], gamma: int) -> dict[str, np.ndarray]:
    """What every figure is made of, one entry a sample."""
    columns = {
        "rounds": [len(s.passed) for s in samples],
        "reached": [sum(min(n + 1, gamma) for n in s.passed) for s in samples],
        "overlap": [math.fsum(map(math.fsum, s.overlaps)) for s in samples],
        "places": [sum(map(len, s.overlaps)) for s in samples],
        "plain_tokens": [s.plain_tokens for s in samples],
    }
    columns |= {f"passed_{i}": [sum(n >= i for n in s.passed) for s in samples] for i in range(1, gamma + 1)}
    columns |= {
        f"{name}_ms": [s.ms[name] for s in samples] for name in ("plain", "plain_passes", "speculative", "draft", "verify")
    }
    return {name: np.array(column, dtype=float) for name, column in columns.items()}


def figures(t: dict, gamma: int, cost: Cost) -> dict:
    """Every figure of a set of samples from its totals; on arrays of totals, arrays. NaN where nothing was counted.

    The speed-ups in STEPS lead from the formula to the clock: each replaces one assumption by what was measured, so
    their ratios multiply to the whole exactly.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        rounds, c, v = t["rounds"], cost.c, cost.v[gamma]
        accepted = sum(t[f"passed_{i}"] for i in range(1, gamma + 1))
        alpha, tokens = accepted / t["reached"], 1 + accepted / rounds
        plain_token, plain_pass = t["plain_ms"] / t["plain_tokens"], t["plain_passes_ms"] / t["plain_tokens"]
        draft, verify, whole = (t[f"{name}_ms"] / rounds for name in ("draft", "verify", "speculative"))
        steps = (
            sum(alpha**i for i in range(gamma + 1)) / (gamma * c + 1),  # α, and v = 1
            tokens / (gamma * c + 1),  # survival as it was
            tokens / (gamma * c + v),  # v as it is: the prediction
            tokens * cost.target_ms / (draft + cost.target_ms * v),  # the guesses as they were made
            tokens * plain_pass / (draft + verify),  # the target's passes as they were made
            tokens * plain_token / whole,  # and all that is no pass: measured
        )
        return {
            "alpha": alpha,
            "accepted_over_proposed": accepted / (gamma * rounds),
            "beta": t["overlap"] / t["places"],
            "tokens_per_round": tokens,
            **{f"survival_{i}": t[f"passed_{i}"] / rounds for i in range(1, gamma + 1)},
            **dict(zip(STEPS, steps, strict=True)),
            "predicted": steps[2],
            "measured": steps[-1],
        }


def banded(samples: Sequence[Sample], gamma: int, cost: Cost, seed: int) -> dict[str, dict]:
    """Every figure as {"value", "low", "high"}; null where nothing was counted, low and high null with fewer than two
    texts. The same samples and seed give the same bands."""
    t = totals(samples, gamma)
    found = figures({name: column.sum() for name, column in t.items()}, gamma, cost)
    out = {name: {"value": _plain(value), "low": None, "high": None} for name, value in found.items()}
    if len(samples) > 1:
        picks = np.random.default_rng(seed).integers(len(samples), size=(RESAMPLES, len(samples)))
        drawn = figures({name: column[picks].sum(1) for name, column in t.items()}, gamma, cost)
        for name, values in drawn.items():
            values = values[np.isfinite(values)]
            if out[name]["value"] is not None and len(values):
                out[name]["low"], out[name]["high"] = (float(x) for x in np.percentile(values, BAND))
    return out


def waterfall(figure: dict[str, float]) -> list[dict]:
    """[{"name", "speedup", "factor"}]: the formula first, then what each step makes of it; the factors multiply to
    what was measured."""
    rows, before = [], 1.0
    for name in STEPS:
        rows.append({"name": name, "speedup": figure[name], "factor": figure[name] / before})
        before = figure[name]
    return rows


def explained(rows: Sequence[dict]) -> dict:
    """{"off", "by"}: how far the measurement lies from the prediction (0.1: ten in a hundred faster), and the step
    behind the prediction that moves it most."""
    predicted = next(row for row in rows if row["name"] == "verify")["speedup"]
    behind = rows[STEPS.index("verify") + 1 :]
    most = max(behind, key=lambda row: abs(math.log(row["factor"])))
    return {"off": rows[-1]["speedup"] / predicted - 1, "by": most["name"]}


def clocked(samples: Sequence[Sample], gamma: int) -> dict[str, float]:
    """Means of the runs themselves, in ms: guess (one pass of the draft), verify, plain (one pass of the target each);
    and outside, the share of speculative decoding spent in no pass."""
    t = {name: float(column.sum()) for name, column in totals(samples, gamma).items()}
    return {
        "guess": t["draft_ms"] / (gamma * t["rounds"]),
        "verify": t["verify_ms"] / t["rounds"],
        "plain": t["plain_passes_ms"] / t["plain_tokens"],
        "outside": 1 - (t["draft_ms"] + t["verify_ms"]) / t["speculative_ms"],
    }


def gains(kept: Sequence[Sequence[float]], cost: Cost) -> list[float]:
    """The speed-up of γ = 0, 1, … as far as passes were timed and the texts reach, each with the survival that γ would
    have had on these very texts. γ = 0 is plain decoding: exactly 1."""
    found = [1.0]
    for gamma in range(1, cost.widest + 1):
        survival = survival_on(kept, gamma)
        if survival is None:
            break
        found.append(speedup.speedup(speedup.tokens_of(survival), gamma, cost.c, cost.v[gamma]))
    return found


def by_line(samples: Sequence[Sample]) -> list[dict]:
    """[{"place", "beta", "count"}]: mean β by place in the verse line; the last stands for all later places too."""
    rows = {place: [] for place in range(1, LONGEST_LINE + 1)}
    for sample in samples:
        for overlaps, places in zip(sample.overlaps, sample.places, strict=True):
            for beta, place in zip(overlaps, places, strict=True):
                rows[min(place, LONGEST_LINE)].append(beta)
    return [{"place": p, "beta": math.fsum(b) / len(b), "count": len(b)} for p, b in rows.items() if b]


def told(samples: Sequence[Sample], gamma: int, cost: Cost, seed: int) -> dict | None:
    """All there is to tell of one kind of text, as plain data; None before a whole round of each lane was seen."""
    if not sum(len(s.passed) for s in samples) or not sum(s.plain_tokens for s in samples):
        return None
    bands = banded(samples, gamma, cost, seed)
    rows = waterfall({name: bands[name]["value"] for name in STEPS})
    curve = gains([row for s in samples for row in s.kept], cost)
    return {
        "texts": len(samples),
        "rounds": sum(len(s.passed) for s in samples),
        "proposed": gamma * sum(len(s.passed) for s in samples),
        "accepted": sum(sum(s.passed) for s in samples),
        **{name: band for name, band in bands.items() if not name.startswith("survival_") and name not in STEPS},
        "survival": [bands[f"survival_{i}"] for i in range(1, gamma + 1)],
        "by_line": by_line(samples),
        "waterfall": rows,
        **explained(rows),
        "clocked": clocked(samples, gamma),
        "curve": curve,
        "best_gamma": speedup.best_gamma(curve),
        "examples": [{"prompt": s.prompt, "text": s.texts[-1]} for s in samples],
    }


def _plain(x) -> float | None:
    return float(x) if np.isfinite(x) else None


def busy(report: dict) -> bool:
    """Whether the passes on the bench were timed on a machine that did something else: then nothing is concluded."""
    return speedup.falls(report["cost"]["v"])


def rows(report: dict) -> list[dict]:
    """A report as a long table: kind, figure, place (of a round, a line, γ, or k of v; else empty), value, low, high. The
    figure `busy` is 1 where the times say nothing."""
    found = [
        {"kind": "", "figure": "busy", "value": int(busy(report))},
        {"kind": "", "figure": "target_ms", "value": report["cost"]["target_ms"]},
        {"kind": "", "figure": "c", "value": report["cost"]["c"]},
        *({"kind": "", "figure": "v", "place": k, "value": v} for k, v in enumerate(report["cost"]["v"], 1)),
    ]
    for kind, told in report["kinds"].items():
        for name, value in (told or {}).items():
            if isinstance(value, dict) and "value" in value:
                found.append({"kind": kind, "figure": name, **value})
            elif isinstance(value, int | float):
                found.append({"kind": kind, "figure": name, "value": value})
        if told:
            found += [{"kind": kind, "figure": "survival", "place": i, **band} for i, band in enumerate(told["survival"], 1)]
            found += [{"kind": kind, "figure": f"clocked_{name}", "value": x} for name, x in told["clocked"].items()]
            found += [{"kind": kind, "figure": "line_beta", "place": r["place"], "value": r["beta"]} for r in told["by_line"]]
            found += [{"kind": kind, "figure": "speedup_by_gamma", "place": g, "value": x} for g, x in enumerate(told["curve"])]
            found += [{"kind": kind, "figure": f"step_{r['name']}", "value": r["factor"]} for r in told["waterfall"]]
    return [{"kind": "", "figure": "", "place": "", "value": "", "low": "", "high": "", **row} for row in found]
