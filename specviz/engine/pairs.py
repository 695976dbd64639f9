"""How two models become one pair: read, checked against each other, measured against the memory, put on a device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from specviz.engine import reading, references
from specviz.errors import BadInput

if TYPE_CHECKING:
    from specviz.engine.model import Model
    from specviz.engine.text import Speller

DTYPES = ("auto", "fp32", "bf16", "fp16")
DEVICES = ("auto", "cpu", "cuda", "mps")

Progress = Callable[[str, float], None]  # (stage, share done)


@dataclass
class Pair:
    """A target, its draft if it has one, and the tokenizer they share; ready to run.

    memory: {"device", "dtype", "estimated", "held", "halved"}, bytes of both models' weights, and whether all layers keep
    theirs in half precision; layers: {device: "0–11"} where the target is spread over several; made: what drafters have
    made of the models, kept while the pair is; table: the file of counts of its training text, if it came with one.
    """

    name: str
    target: Model
    draft: Model | None
    speller: Speller
    eos: frozenset[int]
    memory: dict = field(default_factory=dict)
    layers: dict[str, str] | None = None
    made: dict = field(default_factory=dict)
    table: Path | None = None

    def to_json(self) -> dict:
        draft = self.draft and {"parameters": self.draft.parameters}
        return {
            "name": self.name,
            "target": {"parameters": self.target.parameters},
            "draft": draft,
            "device": str(self.target.device),
            "dtype": str(self.target.dtype).removeprefix("torch."),
        }


def load(
    name: str | None = None,
    target: str | None = None,
    draft: str | None = None,
    device: str = "auto",
    dtype: str = "auto",
    progress: Progress = lambda stage, share: None,
) -> Pair:
    """A pair by its one string, or from two references; BadInput says what is missing or does not fit.

    Fetches nothing: see `fetching`."""
    named = references.of(target, draft) if name is None else references.parse_pair(name)
    folders = {model: model.folder(weights=True) for model in named.references}
    alone = len(set(folders.values())) == 1  # no draft, or a model that guesses for itself
    progress("torch", 0.05)
    import torch  # noqa: F401  the slow part, and why this module imports it late

    progress("transformers", 0.3)
    from specviz.engine import compatibility, loading, writing  # noqa: F401  so that the first run need import nothing
    from specviz.engine.text import Speller

    models = list(named.references)[: 1 if alone else 2]
    found = [compatibility.described(folders[model], model.title) for model in models]
    for described in found:
        if code := reading.unfit(described.config):
            raise BadInput(code, ref=described.name, family=described.config.model_type)
    if not alone and (against := compatibility.refusal(compatibility.compare(*found))):
        raise against
    with reading.told(named.title):
        place = loading.place([model.config for model in found], device, dtype)
    vocab = min(found[0].size, found[0].rows)
    loaded = []
    for model, described, share in zip(models, found, (0.6, 0.85), strict=False):
        progress("weights", share)
        loaded.append(loading.model(folders[model], model.title, described.config, vocab, place))
    with reading.told(named.target.title):
        eos = _eos(loaded[0], found[0].tokenizer)
    drafting = None if named.draft is None else loaded[0].twin() if alone else loaded[1]
    progress("ready", 1.0)
    kept = {"device": place.device, "dtype": place.dtype, "estimated": place.weights, "held": sum(m.held for m in loaded)}
    kept["halved"] = all(m.lean and m.lean.halved for m in loaded)
    return Pair(named.name, loaded[0], drafting, Speller(found[0].tokenizer), eos, kept, loaded[0].layout, table=named.table)


def _eos(model, tokenizer) -> frozenset[int]:
    """Every id that ends a text, from the generation config and the tokenizer; there may be none."""
    configured = model.module.generation_config.eos_token_id
    ids = configured if isinstance(configured, list) else [configured]
    found = [id for id in (*ids, tokenizer.eos_token_id) if id is not None]
    if not all(isinstance(id, int) for id in found):
        raise TypeError(f"eos_token_id is {configured}")
    return frozenset(found)
