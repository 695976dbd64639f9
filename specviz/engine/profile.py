"""Where the time of a round goes: the passes, the choice of guesses, the judging, the writing of the trace."""

from __future__ import annotations

from statistics import median
from time import perf_counter

from specviz.engine import drafters, notes, writing
from specviz.engine.device_run import DeviceRun
from specviz.engine.model import steps
from specviz.engine.pairs import Pair
from specviz.engine.record import Recorder
from specviz.settings import Settings
from specviz.trace import Trace

PARTS = ("draft passes", "choosing guesses", "verification", "judging", "trace", "rest")


def profile(pair: Pair, prompts: list[str], settings: Settings, whole: bool = True) -> dict:
    """{"rounds", "gamma", "tokens_per_round", "ms": {part: ms of a round, median}, "share": {part: of all the time}} over the
    rounds of these settings, the whole ones, of γ guesses, or all.

    draft passes, verification: in the models. choosing guesses: the drafter beside its passes. judging: p, the rule, the
    residual and its draw. trace: turning what happened into a Round. rest: what is between rounds, the Trace that grows.
    """
    rounds, tokens = [], []
    for prompt in prompts:
        for parts, finished in _rounds(pair, prompt, settings):
            if len(finished.draft) == settings.gamma or not whole:
                rounds.append(parts)
                tokens.append(len(finished.emitted))
    if not rounds:
        return {"rounds": 0, "gamma": settings.gamma, "tokens_per_round": None, "ms": {}, "share": {}}
    total = sum(sum(parts.values()) for parts in rounds)
    return {
        "rounds": len(rounds),
        "gamma": settings.gamma,
        "tokens_per_round": sum(tokens) / len(tokens),
        "ms": {name: median(parts[name] for parts in rounds) for name in PARTS},
        "share": {name: sum(parts[name] for parts in rounds) / total for name in PARTS},
    }


def _rounds(pair, prompt, settings):
    """(parts, Round) of every round of one run: the engine's own, with clocks around its parts."""
    drafter = drafters.new(pair, settings)
    recorder = Recorder(pair.speller, soft=settings.temperature == 0)
    ids = pair.speller.encode(prompt, settings.chat)
    target = pair.target.twin()  # a clock for verifying alone: early exit guesses with the same layers
    run = writing.new_run(target, drafter, ids, settings, recorder, pair.eos)
    guesser = getattr(drafter, "model", None)
    run._round, passes = _watched(run._round, lambda: guesser.busy_ms if guesser else 0.0, lambda: target.busy_ms)
    writes = "entries" if isinstance(run, DeviceRun) else "round"
    trace = Trace(pair.to_json(), settings.to_json(), prompt, ids, [], first=run.first())
    watched, recording = _watched(getattr(recorder, writes), _now)
    setattr(recorder, writes, watched)
    began = _now()
    for bunch in steps(run.bunches()):
        trace = writing._grown(trace, run, notes.after_round(run, bunch[-1]), *bunch)
        between = (_now() - began - sum(sum(finished.ms.values()) for finished in bunch)) / len(bunch)
        for finished, (draft, verify), (record,) in zip(bunch, passes, recording, strict=True):
            propose, inside = finished.ms["draft"], sum(finished.ms.values())
            yield (
                {
                    "draft passes": draft,
                    "choosing guesses": propose - draft,
                    "verification": verify,
                    "judging": inside - propose - verify - record,
                    "trace": record,
                    "rest": between,
                },
                finished,
            )
        passes.clear()
        recording.clear()
        began = _now()


def _now() -> float:
    return perf_counter() * 1e3


def _watched(function, *clocks):
    """The function, and a list that grows by what each of the clocks (ms) went on during every call."""
    spent = []

    def watched(*arguments):
        before = [clock() for clock in clocks]
        try:
            return function(*arguments)
        finally:
            spent.append([clock() - began for clock, began in zip(clocks, before, strict=True)])

    return watched, spent
