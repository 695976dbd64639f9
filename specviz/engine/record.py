"""Writes down what the loop did as Guess, Fix and Round: a few columns of each distribution, exactly, not all of it."""

from __future__ import annotations

from typing import NamedTuple

import torch

from specviz import sampling
from specviz.engine.text import Speller
from specviz.trace import Fix, Guess

SHOWN = 8


class Own(NamedTuple):
    """A token of the target's own: kind is first, residual or bonus; fallback: the residual had no mass."""

    id: int
    kind: str
    u: float | None
    fallback: bool = False


class Recorder:
    """Turns rows of p and q into trace entries. `soft`: at T = 0, also keep the unsharpened probabilities."""

    def __init__(self, speller: Speller, soft: bool):
        self.speller, self.soft = speller, soft

    def round(self, draft, p, logits, uniforms, verdicts, own: Own | None, pending) -> tuple[list[Guess], Fix | None]:
        """A Guess for every drafted token, and the Fix. p, logits: target rows (≥ γ+1, V); pending: bytes of an
        unfinished character before the first guess. All rows are read in one go: it is done every round."""
        free = own is not None and own.kind != "residual"  # the fix stands at a place of its own, without a guess
        wanted = [[x, own.id if v == "rejected" and own else x] for x, v in zip(draft.tokens, verdicts, strict=True)]
        wanted += [[own.id, own.id]] if free else []
        if not wanted:
            return [], None
        columns = _columns(p[: len(wanted)], draft.q, wanted)
        softs = self._softs(logits[: len(wanted)], draft, wanted) if self.soft else [None] * len(wanted)
        return self.entries(draft.tokens, columns, softs, uniforms, verdicts, own, pending)

    def entries(self, tokens, columns, softs, uniforms, verdicts, own: Own | None, pending) -> tuple[list[Guess], Fix | None]:
        """The same from columns that have been read: one of `column` for every token, and for a bonus; softs: their
        tokens alone, or None."""
        guesses, places = [], []
        for i, x in enumerate(tokens):
            piece = self.speller.piece(x, pending)
            places.append(pending)
            (top, rest, (p_x, q_x)), u = columns[i], uniforms[i] if i < len(uniforms) else None
            guesses.append(
                Guess(x, piece.text, p_x, q_x, u, verdicts[i], self._named(top, pending), rest,
                      softs[i] and self._named(softs[i], pending), piece.half, piece.special)
            )  # fmt: skip
            pending = piece.pending
        if own is None:
            return guesses, None
        free = own.kind != "residual"
        i = len(guesses) if free else verdicts.index("rejected")
        return guesses, self._fix(own, columns[i], softs[i], pending if free else places[i], blank=free)

    def _fix(self, own, column, soft, pending, blank) -> Fix:
        piece, (top, rest, _) = self.speller.piece(own.id, pending), column
        soft = soft and self._named(soft, pending, blank)
        top = self._named(top, pending, blank)
        return Fix(own.id, piece.text, own.kind, own.u, top, rest, soft, piece.half, piece.special, own.fallback)

    def _softs(self, logits, draft, wanted):
        q = sampling.probabilities(torch.stack(draft.logits)) if draft.logits else []
        return [top for top, _, _ in _columns(sampling.probabilities(logits), [*q], wanted)]

    def _named(self, top, pending, blank: bool = False):
        """[id, p, q] to [id, text, p, q]; q is null where there was no guess."""
        return [[id, self.speller.piece(id, pending).text, p, None if blank else q] for id, p, q in top]


def _columns(p, q, wanted) -> list[tuple[list, dict, tuple[float, float]]]:
    """For every row of p (n, V) and of q, blank where q has fewer: the SHOWN tokens of largest max(p, q) and those `wanted`,
    as [id, p, q]; the sums of all the others apart by which of the two is larger (only so does Σ min(p, q) stay exact);
    and p, q of the first token wanted.

    Done every round, when the passes have emptied the processor's caches of all else: what costs is how many different
    operations there are."""
    blank = [torch.zeros_like(p[0])] * (len(p) - len(q))
    both = torch.stack([*p, *q, *blank]).view(2, *p.shape)
    ids, shown, over, whole = (part.tolist() for part in seen(both, torch.tensor(wanted, device=p.device)))
    rows = zip(ids, wanted, *shown, *over, *whole, strict=True)
    return [
        column(row_ids, asked, p_shown, q_shown, (over_p, over_q), (all_p, all_q))
        for row_ids, asked, p_shown, q_shown, over_p, over_q, all_p, all_q in rows
    ]


def seen(both, wanted) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """What `column` is made of, not read yet: ids (n, SHOWN + wanted), their p and q (2, n, SHOWN + wanted), and of the others
    the sums where q is larger and over all of them, (2, n) each. both: p and q (2, n, V), used up; wanted: ids (n, wanted)."""
    ids = torch.maximum(*both).topk(min(SHOWN, both.shape[-1])).indices
    ids = torch.cat((ids, wanted), -1)
    places = ids.expand(2, -1, -1)
    shown = both.gather(-1, places)
    both.scatter_(-1, places, 0.0)  # what is left are the others
    whole = both.sum(-1)
    over = both.mul_(torch.gt(both[1], both[0], out=torch.empty_like(both[0]))).sum(-1)
    return ids, shown, over, whole


def column(ids, asked, p_shown, q_shown, over, whole) -> tuple[list, dict, tuple[float, float]]:
    """One row of what `_columns` returns. over, whole: sums of p and of q over the others where q is larger, and over all of
    them.

    After top-k, or at T = 0, there may be fewer than SHOWN tokens with any probability at all."""
    rows = zip(ids, p_shown, q_shown, strict=True)
    by_id = {id: [id, p, q] for id, p, q in rows if p or q or id in asked}
    under = {name: max(0.0, all_ - part) for name, all_, part in zip("pq", whole, over, strict=True)}
    return list(by_id.values()), {"over": dict(zip("pq", over, strict=True)), "under": under}, tuple(by_id[asked[0]][1:])
