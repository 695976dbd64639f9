"""One request from beginning to end: prompt in, a growing Trace out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from specviz.engine.drafters.model import ModelDrafter
from specviz.engine.loop import Run
from specviz.engine.pairs import Pair
from specviz.engine.record import Recorder
from specviz.errors import BadInput
from specviz.settings import Settings
from specviz.trace import Trace

DRAFTERS = {"model": lambda pair, settings: ModelDrafter(pair.draft, settings.sampling)}


def new_drafter(pair: Pair, settings: Settings):
    """The drafter the settings ask for, or None for plain decoding."""
    if settings.gamma == 0:
        return None
    if settings.drafter not in DRAFTERS:
        raise BadInput("no_drafter", name=settings.drafter, known=", ".join(DRAFTERS))
    if settings.drafter == "model" and pair.draft is None:
        raise BadInput("no_draft")
    return DRAFTERS[settings.drafter](pair, settings)


def write(pair: Pair, prompt: str, settings: Settings) -> Iterator[Trace]:
    """Yield one Trace as it grows: after the first token, after every round, and when it is finished."""
    ids = pair.speller.encode(prompt)
    recorder = Recorder(pair.speller, soft=settings.temperature == 0)
    run = Run(pair.target, new_drafter(pair, settings), ids, settings, recorder, pair.eos)
    texts = [piece.text for piece in pair.speller.pieces(ids)]
    trace = Trace(pair.to_json(), settings.to_json(), prompt, ids, texts, prefill_ms=run.prefill_ms)
    trace.first = run.first()
    yield _brought_up(trace, run)
    for finished in run.rounds():
        trace.rounds.append(finished)
        yield _brought_up(trace, run)


def plain_lane(pair: Pair, trace: Trace, cancelled: Callable[[], bool] = lambda: False) -> dict | None:
    """Plain decoding of the same prompt, for as many tokens: {"ms": [a token], "first_ms", "text"}, or None.

    It is measured after the run, on the same models. End of text and stop strings are passed over, so that both
    lanes are of equal length: at T > 0 this is another draw of the same law.
    """
    settings = Settings.from_json(trace.settings)
    settings = replace(settings, gamma=0, stop=(), max_new_tokens=len(trace.output_ids))
    recorder = Recorder(pair.speller, soft=settings.temperature == 0)
    run = Run(pair.target, None, trace.prompt_ids, settings, recorder, eos=frozenset())
    run.first()
    times = []
    for finished in run.rounds():
        times.append(sum(finished.ms.values()))
        if cancelled():
            return None
    return {"ms": times, "first_ms": run.prefill_ms["target"], "text": run.ending.text, "output_ids": run.ending.ids}


def _brought_up(trace: Trace, run: Run) -> Trace:
    trace.output_ids, trace.text, trace.finish_reason = list(run.ending.ids), run.ending.text, run.ending.reason
    return trace
