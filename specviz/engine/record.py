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
        p, logits = p[: len(wanted)], logits[: len(wanted)]
        q = torch.stack(draft.q + [torch.zeros_like(p[0])] * free)
        columns = _columns(p, q, wanted)
        softs = self._softs(logits, draft, free, wanted) if self.soft else [None] * len(wanted)
        guesses, places = [], []
        for i, x in enumerate(draft.tokens):
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
        i = len(guesses) if free else verdicts.index("rejected")
        return guesses, self._fix(own, columns[i], softs[i], pending if free else places[i], blank=free)

    def _fix(self, own, column, soft, pending, blank) -> Fix:
        piece, (top, rest, _) = self.speller.piece(own.id, pending), column
        soft = soft and self._named(soft, pending, blank)
        top = self._named(top, pending, blank)
        return Fix(own.id, piece.text, own.kind, own.u, top, rest, soft, piece.half, piece.special, own.fallback)

    def _softs(self, logits, draft, free, wanted):
        p = sampling.probabilities(logits)
        blank = [torch.zeros_like(p)[:1]] * free
        q = torch.cat([*(sampling.probabilities(row[None]) for row in draft.logits), *blank])
        return [top for top, _, _ in _columns(p, q, wanted)]

    def _named(self, top, pending, blank: bool = False):
        """[id, p, q] to [id, text, p, q]; q is null where there was no guess."""
        return [[id, self.speller.piece(id, pending).text, p, None if blank else q] for id, p, q in top]


def _columns(p, q, wanted) -> list[tuple[list, dict, tuple[float, float]]]:
    """For every row of p, q (n, V): the SHOWN tokens of largest max(p, q) and those `wanted`, as [id, p, q]; the
    sums of all the others apart by which of the two is larger (only so does Σ min(p, q) stay exact); and p, q of the
    first token wanted."""
    ids = torch.maximum(p, q).topk(min(SHOWN, p.shape[-1])).indices
    ids = torch.cat((ids, torch.tensor(wanted, device=p.device)), -1)  # (n, SHOWN + wanted)
    shown = torch.stack((p.gather(-1, ids), q.gather(-1, ids)), -1).tolist()
    others = torch.stack((p, q), -2).scatter_(-1, ids[:, None].expand(-1, 2, -1), 0.0)  # (n, 2, V)
    over = others[:, 1:] > others[:, :1]
    sums = torch.cat(((others * over).sum(-1), others.sum(-1)), -1).tolist()
    columns = []
    for row_ids, row, asked, (over_p, over_q, all_p, all_q) in zip(ids.tolist(), shown, wanted, sums, strict=True):
        # After top-k, or at T = 0, there may be fewer than SHOWN tokens with any probability at all.
        columns_by_id = {id: [id, *pair] for id, pair in zip(row_ids, row, strict=True) if any(pair) or id in asked}
        top = list(columns_by_id.values())
        under = {"p": max(0.0, all_p - over_p), "q": max(0.0, all_q - over_q)}
        columns.append((top, {"over": {"p": over_p, "q": over_q}, "under": under}, tuple(columns_by_id[asked[0]][1:])))
    return columns
