"""Every drafter on one prompt: the same target, settings and seed, one after another, each with its costs and a verdict.

Reports are plain data that grow and never change again; the contract is `specviz.engine.work.Family`'s.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median
from time import perf_counter

import numpy as np

from specviz import court, rule
from specviz.engine import drafters, trials, writing
from specviz.engine.drafters import lookup, ngram
from specviz.engine.pairs import Pair
from specviz.errors import BadInput
from specviz.settings import Settings
from specviz.trace import Guess, Trace

PLACES, THROWS = 12, 500  # at so many places of a text the rule is thrown, so often at each
N = {"lookup": lookup.LIMITS["n"], "ngram": ngram.LIMITS["n"]}
WARM = 8  # tokens written before anything is timed


def family(pair: Pair, prompt: str, settings: Settings, codes: Sequence[str]) -> Iterator[tuple[dict, bool]]:
    """(report, whether a drafter has just ended) after every round of every run; the last report is whole.

    Plain decoding is measured twice, and both lanes make one: what all are held against should be no matter of chance.
    """
    report = {
        "pair": pair.to_json(),
        "prompt": prompt,
        "settings": settings.to_json(),
        "wanted": list(codes),
        "now": "plain",
        "share": 0.0,
        "plain": None,
        "rows": {},
    }
    steps = ("plain", "plain", *codes)
    plains = []
    for _ in _plain(pair, prompt, replace(settings, max_new_tokens=WARM)):
        yield report, False
    for step, code in enumerate(steps):
        report = {**report, "now": code, "share": step / len(steps)}
        yield report, False
        if code == "plain":
            for trace in _plain(pair, prompt, settings):
                yield {**report, "share": (step + _share(trace, settings)) / len(steps)}, False
            plains.append(trace)
        else:
            for row in _row(pair, prompt, own(settings, code)):
                if isinstance(row, float):
                    yield {**report, "share": (step + row) / len(steps)}, False
            report = {**report, "rows": {**report["rows"], code: row}}
        report = _compared(pair, report, plains)
        yield {**report, "share": (step + 1) / len(steps)}, True
    yield {**report, "now": None, "share": 1.0}, True


def own(settings: Settings, code: str) -> Settings:
    """The settings of one drafter. One n serves two of them: whoever cannot use it takes its own."""
    low, high = N.get(code, (1, 0))
    return replace(settings, drafter=code, n=settings.n if low <= settings.n <= high else 0)


def _plain(pair: Pair, prompt: str, settings: Settings) -> Iterator[Trace]:
    """Plain decoding that passes over the end of the text, so that every lane has one to run against."""
    endless = replace(pair, eos=frozenset())
    return writing.write(endless, prompt, replace(settings, gamma=0, stop=()))


def _row(pair: Pair, prompt: str, settings: Settings) -> Iterator[float | dict]:
    """Shares done, then the row."""
    try:
        started = perf_counter()
        drafters.new(pair, settings)  # what has to be made first is made, and kept
        prepare_ms = (perf_counter() - started) * 1e3
        for trace in writing.write(pair, prompt, settings):
            yield _share(trace, settings)
    except BadInput as error:
        if error.code in ("prompt_too_long", "empty_prompt"):
            raise  # no drafter's fault
        yield {"state": "refused", "refusal": {"code": error.code, "facts": error.facts}}
        return
    yield measured(pair, trace, settings, prepare_ms)


def measured(pair: Pair, trace: Trace, settings: Settings, prepare_ms: float) -> dict:
    """What one drafter did on the prompt, as a row of the report; its comparison with plain decoding comes later."""
    drafter = drafters.new(pair, settings)
    guessing = [r for r in trace.rounds if r.draft]
    times = [sum(r.ms.values()) for r in trace.rounds]
    emitted = sum(len(r.emitted) for r in trace.rounds)
    reached = [g for r in trace.rounds for g in r.draft if g.verdict != "discarded"]
    by_luck = settings.temperature > 0 and bool(reached)
    return {
        "state": "done",
        "refusal": None,
        "trace": trace.to_json(),
        **{name: trace.summary[name] for name in ("tokens_per_round", "alpha", "accepted_over_proposed", "proposed", "rounds")},
        "silent_rounds": len(trace.rounds) - len(guessing),
        "guess_ms": median(r.ms["draft"] for r in guessing) if guessing else None,
        "verify_ms": median(r.ms["verify"] for r in trace.rounds) if trace.rounds else None,
        "rest_ms": median(r.ms["rest"] for r in trace.rounds) if trace.rounds else None,
        "begin_ms": trace.prefill_ms.get("draft"),
        "prepare_ms": prepare_ms,
        "tokens_per_s": emitted / sum(times) * 1e3 if emitted else None,
        "weight_bytes": drafter.weights,
        "kv_bytes_per_token": drafter.kv,
        "training": drafters.KINDS[settings.drafter].training,
        "trial": trial(reached, settings.seed) if by_luck else None,
        "promise": promise(reached) if by_luck else None,
    }


def promise(reached: Sequence[Guess]) -> dict:
    """{"seen", "promised", "sd"}: guesses kept, and how many their p and q let expect. A drafter that drew from another q
    than it tells of keeps more or fewer."""
    betas = [rule.beta(*_columns(guess)) for guess in reached]
    seen = sum(guess.verdict == "accepted" for guess in reached)
    return {"seen": seen, "promised": sum(betas), "sd": math.sqrt(sum(b * (1 - b) for b in betas))}


def trial(reached: Sequence[Guess], seed: int) -> dict | None:
    """{"throws", "places", "p_value"}: the engine's rule thrown with this drafter's own q at places spread over the text, the
    G-tests of all places together. The two columns of what is not shown keep Σ min(p, q) exact, so p is what must come out.

    None where p is all but sure everywhere: a test of counts that expects next to nothing would convict by chance.
    """
    from scipy.stats import combine_pvalues

    open_places = [(p, q) for p, q in map(_columns, reached) if THROWS * (1 - p.max()) >= court.POOLED]
    if not open_places:
        return None
    spread = np.linspace(0, len(open_places) - 1, min(PLACES, len(open_places)))
    found = []
    for place, i in enumerate(sorted({round(x) for x in spread})):
        p, q = open_places[i]
        counts = np.zeros(len(p), dtype=np.int64)
        for throw in range(THROWS):
            counts[trials.emit(p, q, seed, place, throw)] += 1
        found.append(court.g_test(counts, p))
    p_value = float(combine_pvalues(found, method="fisher").pvalue)
    return {"throws": THROWS * len(found), "places": len(found), "p_value": p_value}


def _columns(guess: Guess) -> tuple[np.ndarray, np.ndarray]:
    """p and q of the columns that were kept, in float64."""
    rows = [[p, q] for _, _, p, q in guess.top] + [[side["p"], side["q"]] for side in guess.rest.values()]
    p, q = np.array(rows, dtype=np.float64).T
    return p / p.sum(), q / q.sum()


def _compared(pair: Pair, report: dict, plains: list[Trace]) -> dict:
    """The report with every row held against plain decoding as it has been measured so far."""
    times = [[sum(r.ms.values()) for r in trace.rounds] for trace in plains]  # of the same text, step by step
    times = [sum(step) / len(step) for step in zip(*times, strict=True)]
    first, ids = plains[0], plains[0].output_ids
    plain = {
        "ms": times,
        "first_ms": first.prefill_ms["target"],
        "text": first.text,
        "texts": [piece.text for piece in pair.speller.pieces(ids)],
        "output_ids": ids,
        "tokens_per_s": len(times) / sum(times) * 1e3 if times else None,
    }
    rows = {code: {**row, **_beside(row, plain, first.settings)} for code, row in report["rows"].items()}
    return {**report, "plain": plain, "prompt_texts": first.prompt_texts, "prompt_special": first.prompt_special, "rows": rows}


def _beside(row: dict, plain: dict, settings: dict) -> dict:
    if row["state"] == "refused":
        return {}
    speed = row["tokens_per_s"] / plain["tokens_per_s"] if row["tokens_per_s"] and plain["tokens_per_s"] else None
    written = row["trace"]["output_ids"]
    same = written == plain["output_ids"][: len(written)] if settings["temperature"] == 0 else None
    return {"speed": speed, "same_as_plain": same}


def _share(trace: Trace, settings: Settings) -> float:
    return 1.0 if trace.finish_reason else len(trace.output_ids) / settings.max_new_tokens
