"""Find a seed whose first round goes as a teacher wants it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from specviz.engine import writing
from specviz.engine.pairs import Pair
from specviz.settings import Settings
from specviz.trace import Trace

SIGNS = {"accepted": "✓", "rejected": "✗", "discarded": "·"}


def pattern(trace: Trace) -> str:
    """The first round as signs: ✓✓✗·"""
    return "".join(SIGNS[guess.verdict] for guess in trace.rounds[0].draft) if trace.rounds else ""


def seed_for(
    pair: Pair, prompt: str, settings: Settings, wanted: Callable[[Trace], bool], seeds: range = range(2000)
) -> int | None:
    """The first of `seeds` for which `wanted` holds of the trace after one round; None when there is none."""
    for seed in seeds:
        for trace in writing.write(pair, prompt, replace(settings, seed=seed)):
            if trace.rounds or trace.finish_reason:
                break
        if trace.rounds and wanted(trace):
            return seed
    return None
