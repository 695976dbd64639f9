"""The text guesses for itself: what came after these tokens when they last stood here (Saxena 2023, prompt lookup).

No model, no weights, nothing to train. It finds what is copied: quotations, names, code that is changed a little.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from specviz.engine.drafters import UNLIMITED, Draft, Draw
from specviz.errors import check_limits

LONGEST, SHORTEST = 8, 2  # tokens of a match; a single one is found everywhere and says little
LIMITS = {"n": (SHORTEST, 16)}


def make(pair, settings) -> LookupDrafter:
    longest = settings.n or LONGEST
    check_limits(LIMITS, n=longest)
    return LookupDrafter(pair.target.vocab, longest)


class LookupDrafter:
    """Looks the last tokens up in all that came before, the longest match first, then the most recent; copies what
    followed it. Its q is one-hot: it is sure of every guess, and p alone says how often that is kept.

    vocab: length of a row of q. An index from n-grams to places grows with the text, so a search does not.
    """

    context, weights, kv = UNLIMITED, 0, 0

    def __init__(self, vocab: int, longest: int = LONGEST, shortest: int = SHORTEST):
        self.vocab = vocab
        self.longest, self.shortest = longest, shortest
        self.told = {"code": "lookup", "n": longest}

    def begin(self, ids: Sequence[int], slots=None) -> None:
        self.ids: list[int] = []
        self.after: dict[tuple[int, ...], int] = {}  # n-gram -> place of the token after its last occurrence
        self.commit(ids)

    def propose(self, gamma: int, draw: Draw) -> Draft:
        start, n = self._match()
        if n == 0:
            return Draft()
        text = list(self.ids)
        for place in range(start, start + gamma):
            text.append(text[place])  # a match that runs into its own copy goes on repeating it
        tokens = text[len(self.ids) :]
        rows = [self._all_on(token, 0.0, 1.0) for token in tokens]
        logits = [self._all_on(token, -np.inf, 0.0) for token in tokens]
        return Draft(tokens, rows, logits, {"start": start - n, "n": n, "copied": gamma})

    def commit(self, ids: Sequence[int]) -> None:
        for id in ids:
            place = len(self.ids)
            # Only now do the n-grams that end here have something after them.
            for n in range(self.shortest, min(self.longest, place) + 1):
                self.after[tuple(self.ids[place - n :])] = place
            self.ids.append(id)

    def _match(self) -> tuple[int, int]:
        """The place after the longest earlier occurrence of the last n tokens, and n; n = 0 where there is none."""
        for n in range(min(self.longest, len(self.ids)), self.shortest - 1, -1):
            if (place := self.after.get(tuple(self.ids[-n:]))) is not None:
                return place, n
        return 0, 0

    def _all_on(self, token, others, sure):
        row = np.full(self.vocab, others, np.float32)
        row[token] = sure
        return row
