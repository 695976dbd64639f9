"""Find a seed whose first round goes as a teacher wants it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch

from specviz.engine import writing
from specviz.engine.model import Model
from specviz.engine.pairs import Pair
from specviz.engine.toy import TableSlots
from specviz.settings import Settings
from specviz.trace import Trace

SIGNS = {"accepted": "✓", "rejected": "✗", "discarded": "·"}


def pattern(trace: Trace) -> str:
    """The first round as signs: ✓✓✗·"""
    return "".join(SIGNS[guess.verdict] for guess in trace.rounds[0].draft) if trace.rounds else ""


def seed_for(
    pair: Pair, prompt: str, settings: Settings, places: int, wanted: Callable[[Trace], bool], seeds: range = range(20_000)
) -> int | None:
    """The first of `seeds` for which `wanted` holds of the first `places` guesses; None when there is none.

    Draws are keyed by position, so those guesses are the same whatever γ is; a smaller γ only saves work.
    """
    quick = replace(pair, target=Remembering(pair.target), draft=Remembering(pair.draft))
    short = replace(settings, gamma=places, max_new_tokens=places + 2)
    for seed in seeds:
        for trace in writing.write(quick, prompt, replace(short, seed=seed)):
            if trace.rounds or trace.finish_reason:
                break
        if trace.rounds and wanted(trace):
            return seed
    return None


class Remembering:
    """A model that keeps every row it has computed: thousands of seeds of one prompt share most of their texts."""

    def __init__(self, model: Model):
        self._model, self._rows = model, {}

    def __getattr__(self, name):
        return getattr(self._model, name)

    def slots(self, capacity: int | None = None) -> TableSlots:
        return TableSlots(capacity or self._model.context)

    def forward(self, ids, slots: TableSlots, rows: int | None = None, begun=None) -> torch.Tensor:
        slots.ids[slots.length :] = ids
        slots.length = len(slots.ids)
        count = rows or len(ids)
        texts = [tuple(slots.ids[: slots.length - back]) for back in reversed(range(count))]
        if any(text not in self._rows for text in texts):
            fresh = self._model.forward(slots.ids, self._model.slots(), rows=count)
            self._rows.update(zip(texts, fresh, strict=True))
        return torch.stack([self._rows[text] for text in texts])
