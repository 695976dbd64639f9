"""What is not perfect about a run and goes on all the same: codes with facts, said in words under [notes] of the locale."""

from __future__ import annotations

from specviz.engine.device_run import DeviceRun
from specviz.engine.loop import Run
from specviz.engine.pairs import Pair
from specviz.settings import Settings
from specviz.trace import Round


def at_start(pair: Pair, run: Run, settings: Settings) -> list[dict]:
    """What is known once the prompt has been read: [{"code", facts}]."""
    notes = []
    if settings.chat and not pair.speller.chats:
        notes.append({"code": "no_template"})
    if not pair.eos:
        notes.append({"code": "no_end"})
    room = run.target.context - run.ending.prompt_length
    if room < settings.max_new_tokens:
        notes.append({"code": "little_room", "room": room, "asked": settings.max_new_tokens, "context": run.target.context})
    return notes


def after_round(run: Run, finished: Round) -> list[dict]:
    """What only the run itself shows: that it has outgrown its drafter, or that a GPU has to be told everything anew."""
    notes = []
    before = len(run.ids) - len(finished.emitted)  # tokens
    if run.drafter is not None and before > run.drafter.context:
        notes.append({"code": "short_draft", "context": run.drafter.context, "target": run.target.context})
    if isinstance(run, DeviceRun) and run.refused:
        notes.append({"code": "not_recorded"})
    return notes
