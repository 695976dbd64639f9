"""Who guesses. One drafter a file, all behind one protocol.

    begin(ids)            a new text; the drafter reads the prompt
    propose(gamma, draw)  up to gamma guesses that follow what was committed
    commit(ids)           what the verification made of them: the ids that entered the text
    context               the most tokens it can read; once the text is longer it is asked no more

A drafter never decides anything: whatever it proposes, the output is distributed as the target's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Draw = Callable[[Any, int], int]  # (row of q, absolute position) -> token


@dataclass
class Draft:
    """Guesses and the distributions they were really drawn from: tokens (γ,), q (γ, V) as rows, logits likewise."""

    tokens: list[int]
    q: list[Any]
    logits: list[Any]


class Drafter(Protocol):
    context: int

    def begin(self, ids: Sequence[int]) -> None: ...

    def propose(self, gamma: int, draw: Draw) -> Draft: ...

    def commit(self, ids: Sequence[int]) -> None: ...
