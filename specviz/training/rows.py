"""Texts as batches of rows of ids. `at(step)` depends on the seed and the step alone, so a run can be killed and go on.

Steps in the range `long_steps` use rows `long` wide, so that late positions are seen too.
"""

from __future__ import annotations

from bisect import bisect_left

import torch


class Rows:
    """Endless batches over repeated, reshuffled short documents."""

    def __init__(self, documents, batch_tokens, long_steps=(0, 0), width=128, long=512, seed=0):
        self.documents, self.tokens, self.seed = documents, batch_tokens, seed
        self.long_steps = range(*long_steps)
        self.width, self.long = width, long
        self.epoch, self.rows = None, None

    def at(self, step: int) -> torch.Tensor:
        is_long = step in self.long_steps
        width, since = (self.long, step - self.long_steps.start) if is_long else (self.width, step)
        n = self.tokens // width
        if self.epoch is None or self.epoch[0] != width:
            self._shuffle(width, 0)
        per_epoch = self.per_epoch
        if since // per_epoch != self.epoch[1]:
            self._shuffle(width, since // per_epoch)
        start = (since % per_epoch) * n
        return self.rows[start : start + n]

    def _shuffle(self, width, number):
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + width * 1009 + number)
        self.rows = pack(self.documents, width, generator)
        if number == 0:
            # Epochs differ by a row or two; the first one's length stands for all.
            self.per_epoch = int(len(self.rows) * 0.98) // (self.tokens // width)
        self.epoch = (width, number)


class Windows:
    """Batches of windows out of long texts, each beginning with `<s>` at the beginning of a line.

    kinds: name -> (ids of its texts one after another, the places where lines begin, its share of every batch).
    """

    def __init__(self, kinds, bos: int, batch_tokens, long_steps=(0, 0), width=256, long=1024, seed=0):
        self.kinds, self.bos, self.tokens, self.seed = kinds, bos, batch_tokens, seed
        self.long_steps = range(*long_steps)
        self.width, self.long = width, long

    def at(self, step: int) -> torch.Tensor:
        width = self.long if step in self.long_steps else self.width
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + step)
        shares = torch.tensor([share for _, _, share in self.kinds.values()])
        chosen = torch.multinomial(shares, self.tokens // width, replacement=True, generator=generator)
        return torch.stack([self._window(list(self.kinds)[kind], width, generator) for kind in chosen.tolist()])

    def _window(self, kind, width, generator):
        ids, lines, _ = self.kinds[kind]
        fitting = bisect_left(lines, len(ids) - width + 2)  # lines from which a whole window can be read
        start = lines[int(torch.randint(fitting, (1,), generator=generator))]
        return torch.tensor([self.bos, *ids[start : start + width - 1]])


def line_starts(ids: list[int], breaks: set[int]) -> list[int]:
    """Places right after a token of `breaks`, those that end a line, and the first."""
    return [0, *(i + 1 for i, id in enumerate(ids[:-1]) if id in breaks)]


def pack(documents: list[list[int]], width: int, generator: torch.Generator) -> torch.Tensor:
    """Shuffled documents laid end to end in rows of `width` ids, each row beginning with a document; (rows, width).

    What does not fit at the end of a row is cut off: no padding, and position 0 is always a beginning.
    """
    rows, row = [], []
    for i in torch.randperm(len(documents), generator=generator).tolist():
        row += documents[i]
        if len(row) >= width:
            rows.append(row[:width])
            row = []
    return torch.tensor(rows)
