"""The target's own first layers guess, with its own head (self-speculation; Elhoushi et al. 2024, LayerSkip, section 4.3,
here without its training).

Nothing is added: the early layers write into the target's own slots, and the verification goes on from their states
instead of making them again.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from specviz.engine.drafters import Begun, Draft, Draw
from specviz.engine.model import Model
from specviz.errors import BadInput, check_limits


def make(pair, settings) -> EarlyExitDrafter:
    model = pair.target
    if model.layers < 2:
        raise BadInput("few_layers", layers=model.layers)
    layers = settings.layers or max(1, round(model.layers / 3))
    check_limits({"layers": (1, model.layers - 1)}, layers=layers)
    return EarlyExitDrafter(model, layers, settings.sampling)


class EarlyExitDrafter:
    """Leaves the target after `layers` layers. What it leaves in the slots is of those layers only; their length is set back
    before the verification reads on."""

    weights = kv = 0

    def __init__(self, model: Model, layers: int, processing: dict):
        self.model, self.layers, self.processing = model, layers, processing
        self.context = model.context
        resumes = model.cut(layers).resumes
        self.told = {"code": "early-exit", "layers": layers, "of_layers": model.layers, "resumes": resumes}

    def begin(self, ids: Sequence[int], slots) -> None:
        self.ids, self.slots = list(ids), slots

    def propose(self, gamma: int, draw: Draw) -> Draft:
        draft, text, states = Draft(), list(self.ids), []
        known = self.slots.length
        for _ in range(gamma):
            seen, logits = self.model.through(text[self.slots.length :], self.slots, self.layers)
            text.append(draft.guess(logits, self.processing, len(text), draw))
            states.append(seen)
        self.slots.length = known
        draft.begun = Begun(self.layers, torch.cat(states))
        return draft

    def commit(self, ids: Sequence[int]) -> None:
        self.ids += ids
