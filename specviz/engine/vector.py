"""The same choices as the loop makes, for all rows at once and without a number being read back: for a GPU.

What `sampling`, the judging of `loop` and `columns` do row by row, here in operations that leave everything where it is, so
that a device is never waited for; `rule` is the rule of both. Tested to choose what they choose. Needs sums in float64.
"""

from __future__ import annotations

from typing import NamedTuple

import torch

from specviz import rule
from specviz.engine.columns import SHOWN


class Judged(NamedTuple):
    """What became of a round's guesses, each a tensor (): how many were accepted, the fix, whether it comes from the
    residual, and whether that had no mass."""

    accepted: torch.Tensor
    fix: torch.Tensor
    residual: torch.Tensor
    massless: torch.Tensor


def probabilities(logits, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0):
    """`sampling.probabilities` of rows (n, V). Where logits are no numbers the row is not either: see `sound`."""
    if logits.dtype not in (torch.float32, torch.float64):
        logits = logits.float()
    if temperature == 0:
        best = logits.max(-1, keepdim=True)  # the first of several; a nan anywhere is the largest
        return torch.zeros_like(logits).scatter_(-1, best.indices, best.values - best.values + 1)
    if temperature != 1:
        logits = logits / temperature
    if 0 < top_k < logits.shape[-1]:
        least = logits.topk(top_k).values[:, -1:]
        logits = torch.where(logits < least, -torch.inf, logits)
    p = logits.softmax(-1)
    return _nucleus(p, top_p) if top_p < 1 else p


def sound(*rows) -> torch.Tensor:
    """Whether all of these rows of probabilities are numbers; ()."""
    return torch.stack([some.sum().isfinite() for some in rows]).all()


def draw(p, u):
    """`sampling.draw` of every row: p (n, V), u (n,) in float64 or None -> tokens (n,).

    The first token whose cumulative sum passes u. Sums that were not made in order need not grow with every step: only tokens
    that have a chance are looked at, and the tallest of them is the end.
    """
    if u is None:
        return p.argmax(-1)
    heights = p.cumsum(-1, dtype=torch.float64) * (p > 0)
    total = heights.amax(-1, keepdim=True)
    # Rounding may lift u·total to total itself: the last step up is then the answer.
    height = torch.minimum(u[:, None] * total, torch.nextafter(total, torch.zeros_like(total)))
    return (heights > height).to(torch.uint8).argmax(-1)


def judge(p, q, tokens, u_accept, u_fix) -> Judged:
    """p (γ+1, V), q and tokens of γ guesses; u_accept (γ,), and u_fix (γ+1,): one for every place the fix may stand at.
    Uniforms in float64, None at temperature 0."""
    gamma, at = len(tokens), tokens[:, None]
    p_x, q_x = (rows.gather(-1, at)[:, 0].double() for rows in (p[:gamma], q))
    kept = rule.accepts(torch.zeros_like(p_x) if u_accept is None else u_accept, p_x, q_x)
    accepted = kept.long().cumprod(0).sum()  # up to the first that is rejected
    rejected, place = accepted < gamma, accepted[None]
    wanted = p.index_select(0, place)[0]
    guessed = torch.cat((q, torch.zeros_like(p[:1]))).index_select(0, place)[0]
    missing = rule.deficit(wanted, guessed)
    mass = missing.sum()
    massless = rejected & ~(mass > 0)  # by rounding: then p itself is drawn from
    row = torch.where(rejected & ~massless, missing / mass, wanted)
    fix = draw(row[None], None if u_fix is None else u_fix.index_select(0, place))[0]
    return Judged(accepted, fix, rejected, massless)


def seen(both, wanted) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """What `columns.column` is made of, not read yet: ids (n, SHOWN + wanted), their p and q (2, n, SHOWN + wanted), and of
    the others the sums where q is larger and over all of them, (2, n) each. both: p and q (2, n, V), used up; wanted: ids
    (n, wanted)."""
    ids = torch.maximum(*both).topk(min(SHOWN, both.shape[-1])).indices
    ids = torch.cat((ids, wanted), -1)
    places = ids.expand(2, -1, -1)
    shown = both.gather(-1, places)
    both.scatter_(-1, places, 0.0)  # what is left are the others
    whole = both.sum(-1)
    over = both.mul_(torch.gt(both[1], both[0], out=torch.empty_like(both[0]))).sum(-1)
    return ids, shown, over, whole


def _nucleus(p, top_p):
    kept = torch.zeros_like(p)
    order = (-p).argsort(dim=-1, stable=True)  # of equal chances the smaller id stays
    falling = p.gather(-1, order)
    before = falling.cumsum(-1, dtype=torch.float64) - falling
    before[:, 0] = -1.0  # the most probable token stays
    kept.scatter_(-1, order, torch.where(before < top_p, falling, 0.0))
    return kept / kept.sum(-1, keepdim=True, dtype=torch.float64).to(kept.dtype)
