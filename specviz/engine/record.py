"""Writes down what the loop did as Guess, Fix and Round: a few columns of each distribution, exactly, not all of it."""

from __future__ import annotations

import torch

from specviz import sampling
from specviz.engine.text import Piece, Speller
from specviz.trace import Fix, Guess

SHOWN = 8


class Recorder:
    """Turns rows of p and q into trace entries. `soft`: at T = 0, also keep the unsharpened probabilities."""

    def __init__(self, speller: Speller, soft: bool):
        self.speller, self.soft = speller, soft

    def guesses(self, draft, p, logits, uniforms, verdicts, fix: int | None, pending) -> list[Guess]:
        """One Guess for every drafted token. p, logits: target rows (≥ γ, V); `fix`: the token that replaced a
        rejected guess, shown in that column too; pending: ids of an unfinished character before the first guess."""
        if not draft.tokens:
            return []
        count = len(draft.tokens)
        q = torch.stack(draft.q)
        wanted = [[x, fix if v == "rejected" and fix is not None else x] for x, v in zip(draft.tokens, verdicts, strict=True)]
        columns = _columns(p[:count], q, wanted)
        softs = [None] * count
        if self.soft:
            unsharpened = [sampling.probabilities(rows) for rows in (logits[:count], torch.stack(draft.logits))]
            softs = [top for top, _ in _columns(*unsharpened, wanted)]
        places = torch.arange(count, device=p.device)
        tokens = torch.tensor(draft.tokens, device=p.device)
        chances = torch.stack((p[places, tokens], q[places, tokens])).tolist()  # (2, γ)
        out = []
        for i, x in enumerate(draft.tokens):
            piece = self.speller.piece(x, pending)
            (top, rest), soft = columns[i], softs[i]
            u = uniforms[i] if i < len(uniforms) else None
            out.append(
                Guess(x, piece.text, chances[0][i], chances[1][i], u, verdicts[i], self._named(top, pending), rest,
                      soft and self._named(soft, pending), piece.half, piece.special)
            )  # fmt: skip
            pending = piece.pending
        return out

    def fix(self, id: int, kind: str, u, p, q, logits, pending, fallback: bool = False) -> tuple[Fix, Piece]:
        """The target's own token and what it was drawn from; q is None where nothing was guessed."""
        others = torch.zeros_like(p) if q is None else q
        ((top, rest),) = _columns(p[None], others[None], [[id]])
        soft = None
        if self.soft:
            unsharpened = sampling.probabilities(logits[None])
            soft = self._named(_columns(unsharpened, torch.zeros_like(unsharpened), [[id]])[0][0], pending, blank=True)
        piece = self.speller.piece(id, pending)
        top = self._named(top, pending, blank=q is None)
        return Fix(id, piece.text, kind, u, top, rest, soft, piece.half, piece.special, fallback), piece

    def _named(self, top, pending, blank: bool = False):
        """[id, p, q] to [id, text, p, q]; q is null where there was no guess."""
        return [[id, self.speller.piece(id, pending).text, p, None if blank else q] for id, p, q in top]


def _columns(p, q, wanted) -> list[tuple[list, dict]]:
    """For every row of p, q (n, V): the SHOWN tokens of largest max(p, q) and those `wanted`, as [id, p, q], and the
    sums of all the others apart by which of the two is larger (only so does Σ min(p, q) stay exact)."""
    ids = torch.maximum(p, q).topk(min(SHOWN, p.shape[-1])).indices
    ids = torch.cat((ids, torch.tensor(wanted, device=p.device)), -1)  # (n, SHOWN + wanted)
    shown = torch.stack((p.gather(-1, ids), q.gather(-1, ids)), -1).tolist()
    others_p, others_q = (rows.scatter(-1, ids, 0.0) for rows in (p, q))
    over = others_q > others_p
    sums = torch.stack(((others_p * over).sum(-1), (others_q * over).sum(-1), others_p.sum(-1), others_q.sum(-1)), -1).tolist()
    columns = []
    for row_ids, row, asked, (over_p, over_q, all_p, all_q) in zip(ids.tolist(), shown, wanted, sums, strict=True):
        # After top-k, or at T = 0, there may be fewer than SHOWN tokens with any probability at all.
        columns_by_id = {id: [id, *pair] for id, pair in zip(row_ids, row, strict=True) if any(pair) or id in asked}
        top = list(columns_by_id.values())
        under = {"p": max(0.0, all_p - over_p), "q": max(0.0, all_q - over_q)}
        columns.append((top, {"over": {"p": over_p, "q": over_q}, "under": under}))
    return columns
