"""A small model guesses, one token after another (Leviathan et al. 2023)."""

from __future__ import annotations

from collections.abc import Sequence

from specviz.engine.drafters import Draft, Draw
from specviz.engine.model import Model
from specviz.errors import BadInput


def make(pair, settings) -> ModelDrafter:
    if pair.draft is None:
        raise BadInput("no_draft")
    return ModelDrafter(pair.draft, settings.sampling)


class ModelDrafter:
    """Guesses with a draft model of the target's vocabulary; keeps its own slots.

    The last guess of a round is not forwarded until the next one begins: when all are accepted it is simply pending,
    with the bonus, and no extra forward is needed.
    """

    def __init__(self, model: Model, processing: dict, told: dict | None = None):
        self.model, self.processing = model, processing
        self.context, self.told = model.context, told or {"code": "model"}
        self.weights, self.kv = model.held, model.kv
        self.fresh = model.slots  # an empty cache; a run that keeps its own puts it here

    def begin(self, ids: Sequence[int], slots=None) -> None:
        self.ids = list(ids)
        self.slots = self.fresh()
        if 1 < len(ids) <= self.context:
            self.model.forward(self.ids[:-1], self.slots, rows=1)

    def propose(self, gamma: int, draw: Draw) -> Draft:
        """As many guesses as the draft's own context has room for; none once the text has outgrown it."""
        draft, text = Draft(), list(self.ids)
        for _ in range(min(gamma, self.context + 1 - len(text))):
            logits = self.model.forward(text[self.slots.length :], self.slots, rows=1)  # (1, V)
            text.append(draft.guess(logits, self.processing, len(text), draw))
        return draft

    def commit(self, ids: Sequence[int]) -> None:
        known, text = self.slots.length, self.ids + list(ids)
        # Slots filled for guesses that stayed are kept: they hold the same tokens at the same places.
        self.slots.length = min(known, len(text) - 1)
        self.ids = text
