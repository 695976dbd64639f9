"""Who guesses. One drafter a file, all behind one protocol; a line in KINDS makes it known everywhere.

    begin(ids, slots)     a new text; the drafter reads the prompt
    propose(gamma, draw)  up to gamma guesses that follow what was committed
    commit(ids)           what the verification made of them: the ids that entered the text
    context               the most tokens it can read; once the text is longer it is asked no more
    told                  facts for the trace, plain data, `code` among them
    weights, kv           bytes it adds to the target: once, and for every token of the text

A drafter never decides anything: whatever it proposes, the output is distributed as the target's. So a new one is a
file with a function `make(pair, settings) -> Drafter` and a line here; docs/drafters.md goes through it.

Importing this imports no torch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from specviz import sampling
from specviz.errors import BadInput

if TYPE_CHECKING:
    from specviz.engine.pairs import Pair
    from specviz.engine.references import PairName
    from specviz.settings import Settings

Draw = Callable[[Any, int], int]  # (row of q, absolute position) -> token
UNLIMITED = 2**31  # a context without an end: there is no model whose could end


class Begun(NamedTuple):
    """What the first `layers` layers of the target have made of some tokens already: states (n, hidden)."""

    layers: int
    states: Any


@dataclass
class Draft:
    """Guesses and the distributions they were really drawn from: tokens (γ,), q (γ, V) as rows, logits likewise.

    match: where in the text they were found, as `Round.match`; begun: passes of the target that guessing has begun.
    """

    tokens: list[int] = field(default_factory=list)
    q: list[Any] = field(default_factory=list)
    logits: list[Any] = field(default_factory=list)
    match: dict | None = None
    begun: Begun | None = None

    def guess(self, logits: Any, processing: dict, place: int, draw: Draw) -> int:
        """One more token, drawn from a row of logits (1, V) after `processing`; what it was drawn from is kept with it."""
        q = sampling.probabilities(logits, **processing)[0]
        token = draw(q, place)
        self.tokens.append(token)
        self.q.append(q)
        self.logits.append(logits[0])
        return token


class Drafter(Protocol):
    context: int
    told: dict
    weights: int
    kv: int

    def begin(self, ids: Sequence[int], slots: Any) -> None:
        """slots: the target's own, which hold all but the last of the ids; for a drafter that shares its layers."""

    def propose(self, gamma: int, draw: Draw) -> Draft: ...

    def commit(self, ids: Sequence[int]) -> None: ...


def _anything(named: PairName) -> None:
    return None


def _draft_model(named: PairName) -> BadInput | None:
    return None if named.draft else BadInput("no_draft")


def _table(named: PairName) -> BadInput | None:
    return None if named.table else BadInput("no_table")


def _two_layers(named: PairName) -> BadInput | None:
    layers = named.target.layers
    return BadInput("few_layers", layers=layers) if layers is not None and layers < 2 else None


class Kind(NamedTuple):
    """A drafter as others see it. file: where it is made; lacks: why it cannot serve a pair, from the pair's files alone;
    training: what had to be trained or counted beforehand, model, table or none; knobs: the settings it listens to."""

    file: str
    lacks: Callable[[PairName], BadInput | None] = _anything
    training: str = "none"
    knobs: tuple[str, ...] = ()


KINDS = {
    "model": Kind("model", _draft_model, "model"),
    "lookup": Kind("lookup", knobs=("n",)),
    "ngram": Kind("ngram", _table, "table", ("n",)),
    "early-exit": Kind("early_exit", _two_layers, knobs=("layers",)),
    "quantised": Kind("quantised", knobs=("bits", "of")),
}
CODES = tuple(KINDS)


def offered(named: PairName) -> dict[str, BadInput | None]:
    """Code -> why this drafter cannot serve the pair, or None."""
    return {code: kind.lacks(named) for code, kind in KINDS.items()}


def new(pair: Pair, settings: Settings) -> Drafter | None:
    """The drafter the settings ask for, or None for plain decoding; BadInput says why it cannot serve this pair."""
    if settings.drafter not in KINDS:
        raise BadInput("no_drafter", name=settings.drafter, known=", ".join(KINDS))
    if settings.gamma == 0:
        return None
    return import_module(f"{__name__}.{KINDS[settings.drafter].file}").make(pair, settings)
