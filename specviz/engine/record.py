"""Writes down what the loop did as Guess, Fix and Round: a few columns of each distribution, exactly, not all of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from time import perf_counter
from typing import NamedTuple

import numpy as np

from specviz import sampling
from specviz.engine.columns import Column, column
from specviz.engine.text import Speller
from specviz.trace import Fix, Guess, Round


class Own(NamedTuple):
    """A token of the target's own: kind is first, residual or bonus; fallback: the residual had no mass."""

    id: int
    kind: str
    u: float | None
    fallback: bool = False


class Played(NamedTuple):
    """A round that is over but not yet written down: `write` makes its guesses and its fix; all else as in Round."""

    write: Callable[[], tuple[list[Guess], Fix | None]]
    emitted: list[int]
    ms: dict[str, float]
    match: dict | None = None

    def written(self) -> Round:
        """The Round; what the writing took is counted among its rest."""
        started = perf_counter()
        guesses, fix = self.write()
        rest = self.ms["rest"] + (perf_counter() - started) * 1e3
        return Round(guesses, fix, self.emitted, {**self.ms, "rest": rest}, self.match)


class Recorder:
    """Turns rows of p and q into trace entries. `soft`: at T = 0, also keep the unsharpened probabilities."""

    def __init__(self, speller: Speller, soft: bool):
        self.speller, self.soft = speller, soft

    def round(self, draft, p, logits, uniforms, verdicts, own: Own | None, pending) -> tuple[list[Guess], Fix | None]:
        """A Guess for every drafted token, and the Fix. p, logits: target rows (≥ γ+1, V); pending: bytes of an
        unfinished character before the first guess."""
        free = own is not None and own.kind != "residual"  # the fix stands at a place of its own, without a guess
        wanted = [[x, own.id] if v == "rejected" and own else [x] for x, v in zip(draft.tokens, verdicts, strict=True)]
        wanted += [[own.id]] if free else []
        if not wanted:
            return [], None
        columns = _columns(p, draft.q, wanted)
        softs = self._softs(logits[: len(wanted)], draft, wanted) if self.soft else [None] * len(wanted)
        return self.entries(draft.tokens, columns, softs, uniforms, verdicts, own, pending)

    def entries(self, tokens, columns, softs, uniforms, verdicts, own: Own | None, pending) -> tuple[list[Guess], Fix | None]:
        """The same from a Column for every token, and for a bonus; softs: their tokens alone, or None."""
        guesses, places = [], []
        for i, x in enumerate(tokens):
            piece = self.speller.piece(x, pending)
            places.append(pending)
            seen, u = columns[i], uniforms[i] if i < len(uniforms) else None
            guesses.append(
                Guess(x, piece.text, *seen.guess, u, verdicts[i], self._named(seen.top, pending), seen.rest,
                      softs[i] and self._named(softs[i], pending), piece.half, piece.special)
            )  # fmt: skip
            pending = piece.pending
        if own is None:
            return guesses, None
        free = own.kind != "residual"
        i = len(guesses) if free else verdicts.index("rejected")
        return guesses, self._fix(own, columns[i], softs[i], pending if free else places[i], blank=free)

    def _fix(self, own, seen, soft, pending, blank) -> Fix:
        piece, top = self.speller.piece(own.id, pending), self._named(seen.top, pending, blank)
        soft = soft and self._named(soft, pending, blank)
        return Fix(own.id, piece.text, own.kind, own.u, top, seen.rest, soft, piece.half, piece.special, own.fallback)

    def _softs(self, logits, draft, wanted):
        q = [sampling.probabilities(row[None])[0] for row in draft.logits]
        return [seen.top for seen in _columns(sampling.probabilities(logits), q, wanted)]

    def _named(self, top, pending, blank: bool = False):
        """(id, p, q) to [id, text, p, q]; q is null where there was no guess."""
        return [[id, self.speller.piece(id, pending).text, p, None if blank else q] for id, p, q in top]


def _columns(p, q, wanted) -> list[Column]:
    """The column of every place; q, which has a row less where the fix stands at a place of its own, is blank there."""
    q = [*q, *([_blank(len(p[0]), p.dtype)] * (len(wanted) - len(q)))]
    return [column(*rows) for rows in zip(p, q, wanted, strict=False)]


@cache
def _blank(length: int, kind) -> np.ndarray:
    """A row of zeros, made once for all: it is looked at in every second round, and never written to."""
    return np.zeros(length, kind)
