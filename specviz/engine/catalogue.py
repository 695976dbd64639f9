"""The pairs specviz knows by name, what is known of their models, and how much memory they take.

Pairs are data (catalogue.toml), so are the facts of public models (models.toml); a bundled model's are read from its
config.json. Memory is computed and never stored. Imports no torch.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from specviz.roofline import BYTES, Shape

PACKAGE = Path(__file__).parent.parent
WEIGHTS = PACKAGE / "weights"
CONTEXT = 4096  # tokens whose keys and values are counted where nobody says how many


@dataclass(frozen=True)
class Model:
    """kind: bundled, wheel or hub; at: its place there. `window`: tokens that a layer with a window sees, of which
    there are `windowed`; tied: one matrix is both embedding and head; tokens: how many its tokenizer spells."""

    kind: str
    at: str
    parameters: int
    shape: Shape
    hidden: int
    vocab: int
    context: int
    tied: bool
    window: int | None = None
    windowed: int = 0
    origin: str = ""
    gated: bool = False

    def weight_bytes(self, dtype: str) -> float:
        """Of all weights in this precision; INT8 counts every weight as one byte."""
        return self.parameters * BYTES[dtype]

    def kv_bytes(self, context: int, dtype: str) -> float:
        """Of the keys and values of one text of `context` tokens: kept in 16 bits, in 32 for fp32. Layers with a window
        keep all of it too: what is forgotten could not be taken back after a rejection."""
        shape, kept = self.shape, 4 if dtype == "fp32" else 2
        return 2.0 * shape.layers * shape.kv_heads * shape.head_dim * kept * context


@dataclass(frozen=True)
class Entry:
    """A pair. tried: whether somebody ran it with specviz; language: of a reader it suits first, or None."""

    name: str
    target: Model
    draft: Model | None
    licence: str
    origin: str
    language: str | None = None
    tried: bool = False

    @property
    def models(self) -> tuple[Model, ...]:
        return (self.target,) if self.draft is None else (self.target, self.draft)

    @property
    def context(self) -> int:
        """The most tokens both know."""
        return min(model.context for model in self.models)

    def memory(self, dtype: str, context: int = CONTEXT) -> dict:
        """{"target", "draft", "kv", "total"} in bytes, of both models together; context is cut to what they know."""
        context = min(context, self.context)
        weights = [model.weight_bytes(dtype) for model in self.models]
        kv = sum(model.kv_bytes(context, dtype) for model in self.models)
        return {"target": weights[0], "draft": sum(weights[1:]), "kv": kv, "total": sum(weights) + kv, "context": context}


@cache
def entries() -> dict[str, Entry]:
    """Name -> pair, in the order of the file."""
    raise NotImplementedError


def listing(free: float | None = None, context: int = CONTEXT) -> list[dict]:
    """The catalogue as the command line and the page show it, a dict a pair: name, target, draft (or None), licence,
    origin, language, tried, gated, ready, context, memory: {"bf16" | "int8" | "fp32": {..., "fits"}}.

    free: bytes; fits is None without it.
    """
    raise NotImplementedError
