"""One request from beginning to end: prompt in, a growing Trace out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from specviz.engine import device, drafters, notes
from specviz.engine.device_run import DeviceRun
from specviz.engine.loop import Run
from specviz.engine.model import steps
from specviz.engine.pairs import Pair
from specviz.engine.record import Recorder
from specviz.settings import Settings
from specviz.trace import Round, Trace


def write(pair: Pair, prompt: str, settings: Settings) -> Iterator[Trace]:
    """Yield the Trace so far: after the first token and as rounds are written down; the last one is finished.

    What was yielded never changes again, so that other threads may read it while the run goes on.
    """
    ids = pair.speller.encode(prompt, settings.chat)
    recorder = Recorder(pair.speller, soft=settings.temperature == 0)
    drafter = drafters.new(pair, settings)
    run = new_run(pair.target, drafter, ids, settings, recorder, pair.eos)
    pieces = pair.speller.pieces(ids, begins=True)
    texts = [piece.text if piece.special else piece.adds for piece in pieces]
    special = [i for i, piece in enumerate(pieces) if piece.special]
    trace = Trace(pair.to_json(), settings.to_json(), prompt, ids, texts, first=run.first(), prompt_special=special)
    trace.drafter = drafter and drafter.told
    trace = _grown(trace, run, notes.at_start(pair, run, settings))
    yield trace
    for finished in steps(run.bunches()):
        trace = _grown(trace, run, notes.after_round(run, finished[-1]), *finished)
        yield trace


def plain_lane(pair: Pair, trace: Trace, cancelled: Callable[[], bool] = lambda: False) -> dict | None:
    """Plain decoding of the same prompt, for as many tokens: {"ms": [a token], "first_ms", "text"}, or None.

    It is measured after the run, on the same models. End of text and stop strings are passed over, so that both
    lanes are of equal length: at T > 0 this is another draw of the same law.
    """
    settings = Settings.from_json(trace.settings)
    settings = replace(settings, gamma=0, stop=(), max_new_tokens=len(trace.output_ids))
    recorder = Recorder(pair.speller, soft=settings.temperature == 0)
    run = new_run(pair.target, None, trace.prompt_ids, settings, recorder, eos=frozenset())
    run.first()
    times = []
    for finished in steps(run.bunches()):
        times += [sum(one.ms.values()) for one in finished]
        if cancelled():
            return None
    return {"ms": times, "first_ms": run.prefill_ms["target"], "text": run.ending.text, "output_ids": run.ending.ids}


def new_run(target, drafter, prompt, settings, recorder, eos) -> Run:
    """A Run, in the form that suits where its models are."""
    kind = DeviceRun if device.serves(target, drafter) else Run
    return kind(target, drafter, prompt, settings, recorder, eos)


def _grown(trace: Trace, run: Run, noted: list[dict], *finished: Round) -> Trace:
    return replace(
        trace,
        notes=[*trace.notes, *(note for note in noted if note not in trace.notes)],
        rounds=[*trace.rounds, *finished],
        output_ids=list(run.ending.ids),
        text=run.ending.text,
        finish_reason=run.ending.reason,
        prefill_ms=dict(run.prefill_ms),
    )
