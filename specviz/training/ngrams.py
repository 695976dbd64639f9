"""Counts of a training text for the drafter that needs no model: single tokens, and what followed each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import torch
from safetensors.torch import save_file

SEEN_AT_LEAST = 3  # rarer pairs are most of the file and say little


def save(documents: Iterable[list[int]], vocab: int, file: Path) -> None:
    """Count ids, document by document, into a safetensors file as `specviz.engine.drafters.ngram.Table` reads it."""
    single, both = Counter(), Counter()
    for ids in documents:
        single.update(ids[1:])  # nothing guesses the beginning of a text
        both.update(pairwise(ids))
    after, kinds = Counter(), Counter()
    for (a, _), seen in both.items():
        after[a] += seen
        kinds[a] += 1
    kept = sorted(pair for pair, seen in both.items() if seen >= SEEN_AT_LEAST)
    starts = torch.zeros(vocab + 1, dtype=torch.int32)
    starts[1:] = torch.bincount(torch.tensor([a for a, _ in kept]), minlength=vocab).cumsum(0)
    save_file(
        {
            "single": _row(single, vocab),
            "after": _row(after, vocab),
            "kinds": _row(kinds, vocab),
            "starts": starts,
            "next": torch.tensor([b for _, b in kept]).to(torch.uint16),
            "seen": torch.tensor([min(both[pair], 65_535) for pair in kept]).to(torch.uint16),
        },
        file,
    )


def _row(counts: Counter, vocab: int) -> torch.Tensor:
    return torch.tensor([counts[id] for id in range(vocab)], dtype=torch.int32)
