"""Counts of the training text guess: how often every token stands anywhere (n = 1), or after the last one (n = 2).

The "trivial" drafts of Leviathan et al. 2023, section 4.1. Their q is dense and smooth: what was never seen after a token
is as likely as it is anywhere (Witten and Bell 1991, in the form of Jelinek and Mercer).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import torch
from safetensors.torch import load_file

from specviz.engine.drafters import UNLIMITED, Draft, Draw
from specviz.errors import BadInput, check_limits

LIMITS = {"n": (1, 2)}


def make(pair, settings) -> NgramDrafter:
    if pair.table is None:
        raise BadInput("no_table")
    n = settings.n or 2
    check_limits(LIMITS, n=n)
    return NgramDrafter(table(pair.table), n, pair.target.vocab, settings.sampling, pair.target.device)


@cache
def table(file: Path) -> Table:
    """The counts of a file; see `specviz.training.ngrams`."""
    return Table(load_file(file))


class Table:
    """single (V,): how often each token stands. pairs: those seen after token a are next[starts[a]:starts[a + 1]], as often
    as `seen` says; after[a], kinds[a]: how many tokens, and how many different ones, followed a in all."""

    def __init__(self, counts: dict[str, torch.Tensor]):
        self.counts = counts
        self.single = counts["single"].double() / counts["single"].sum()
        self.starts = counts["starts"].tolist()

    @property
    def bytes(self) -> int:
        return sum(part.numel() * part.element_size() for part in self.counts.values())

    def row(self, last: int | None) -> torch.Tensor:
        """q (V,) of the token after `last`, or of any token."""
        if last is None or int(self.counts["after"][last]) == 0:
            return self.single
        start, end = self.starts[last], self.starts[last + 1]
        after, kinds = int(self.counts["after"][last]), int(self.counts["kinds"][last])
        seen = self.counts["seen"][start:end].double()
        # What is missing of the counts, pairs too rare to be kept among them, goes to where tokens stand anywhere.
        row = self.single * ((after + kinds - float(seen.sum())) / (after + kinds))
        row[self.counts["next"][start:end].long()] += seen / (after + kinds)
        return row


class NgramDrafter:
    """Guesses from counts; reads nothing but the last token."""

    context, kv = UNLIMITED, 0

    def __init__(self, table: Table, n: int, vocab: int, processing: dict, device: torch.device | str = "cpu"):
        self.table, self.n, self.vocab = table, n, vocab
        self.processing, self.device = processing, device
        self.told, self.weights = {"code": "ngram", "n": n}, table.bytes

    def begin(self, ids: Sequence[int], slots=None) -> None:
        self.ids = list(ids)

    def propose(self, gamma: int, draw: Draw) -> Draft:
        draft, text = Draft(match={"start": len(self.ids) - (self.n - 1), "n": self.n - 1, "copied": gamma}), list(self.ids)
        for _ in range(gamma):
            logits = self._logits(text[-1] if self.n > 1 else None)
            text.append(draft.guess(logits[None], self.processing, len(text), draw))
        return draft

    def commit(self, ids: Sequence[int]) -> None:
        self.ids += ids

    def _logits(self, last):
        row = self.table.row(last)
        missing = max(0, self.vocab - len(row))
        logits = torch.nn.functional.pad(row.log(), (0, missing), value=-torch.inf)
        return logits[: self.vocab].float().to(self.device)
