"""A language model that is a table: small enough for the exact law of whole texts to be enumerated."""

from __future__ import annotations

from itertools import product

import numpy as np
import torch

from specviz import sampling
from specviz.engine.text import Piece
from specviz.settings import Settings


class TableSlots:
    """What a TableModel remembers of a text; `length` rolls back like the slots of a real model."""

    def __init__(self, capacity: int):
        self.capacity, self.length, self.ids = capacity, 0, []


class TableModel:
    """Next-token logits in float64 that depend on the text through its last two ids and its length.

    It answers from what it was fed, so a wrong roll-back gives wrong logits instead of a lucky pass.
    """

    held = kv = 0

    def __init__(self, vocab: int, seed: int, context: int = 64, heat: float = 1.5):
        self.vocab, self.seed, self.context, self.heat = vocab, seed, context, heat
        self._rows: dict[tuple, np.ndarray] = {}

    def slots(self, capacity: int | None = None) -> TableSlots:
        return TableSlots(capacity or self.context)

    def logits(self, ids) -> np.ndarray:
        """The row after `ids`; (V,)."""
        key = (self.seed, len(ids), *(i + 1 for i in ids[-2:]))
        if key not in self._rows:
            self._rows[key] = np.random.default_rng(key).normal(size=self.vocab) * self.heat
        return self._rows[key]

    def forward(self, ids, slots: TableSlots, rows: int | None = None, begun=None) -> torch.Tensor:
        del slots.ids[slots.length :]
        out = []
        for id in ids:
            slots.ids.append(id)
            out.append(self.logits(slots.ids))
        slots.length = len(slots.ids)
        return torch.from_numpy(np.array(out[-rows:] if rows else out))


class Letters:
    """A speller whose id i is the i-th letter; `special` ids are no text."""

    def __init__(self, special=()):
        self.special = set(special)

    def piece(self, id: int, pending=b"") -> Piece:
        return Piece(chr(97 + id), special=id in self.special)

    def pieces(self, ids, begins: bool = False) -> list[Piece]:
        return [self.piece(id) for id in ids]


def text_law(target: TableModel, prompt: list[int], settings: Settings, eos=()) -> dict[tuple[int, ...], float]:
    """Every text the target can write alone, with its exact probability: its own rows, multiplied."""
    law = {}
    for text in product(range(target.vocab), repeat=settings.max_new_tokens):
        ids, weight = list(prompt), 1.0
        for x in text:
            weight *= float(sampling.probabilities(target.logits(ids)[None], **settings.sampling)[0][x])
            ids.append(x)
            if x in eos:
                break
        law[tuple(ids[len(prompt) :])] = weight
    return law
