"""Which pairs there are, and how two models become one pair: read, checked against each other, put on a device."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from specviz.errors import BadInput

if TYPE_CHECKING:
    from specviz.engine.model import Model
    from specviz.engine.text import Speller

PACKAGE = Path(__file__).parent.parent
WEIGHTS = PACKAGE / "weights"
DTYPES = ("auto", "fp32", "bf16", "fp16")
DEVICES = ("auto", "cpu", "cuda")

Progress = Callable[[str, float], None]  # (stage, share done)


@dataclass
class Pair:
    """A target, its draft if it has one, and the tokenizer they share; ready to run."""

    name: str
    target: Model
    draft: Model | None
    speller: Speller
    eos: frozenset[int]

    def to_json(self) -> dict:
        draft = self.draft and {"parameters": self.draft.parameters}
        return {
            "name": self.name,
            "target": {"parameters": self.target.parameters},
            "draft": draft,
            "device": str(self.target.device),
            "dtype": str(self.target.dtype).removeprefix("torch."),
        }


@cache
def catalogue() -> dict[str, dict]:
    """Name -> entry of catalogue.toml."""
    return tomllib.loads((PACKAGE / "catalogue.toml").read_text(encoding="utf-8"))


def listing() -> list[dict]:
    """The catalogue as the command line prints it; needs no torch."""
    rows = []
    for name, entry in catalogue().items():
        sides = {
            side: {"ref": f"{name}/{side}", "path": str(WEIGHTS / entry[side]["path"]), "parameters": entry[side]["parameters"]}
            for side in ("target", "draft")
        }
        ready = all((WEIGHTS / entry[side]["path"] / "config.json").exists() for side in sides)
        rows.append({"name": name, **sides, "licence": entry["licence"], "origin": entry["origin"], "ready": ready})
    return rows


def load(
    name: str | None = None,
    target: str | None = None,
    draft: str | None = None,
    device: str = "auto",
    dtype: str = "auto",
    progress: Progress = lambda stage, share: None,
) -> Pair:
    """A pair by its catalogue name, or from two references; BadInput says what is missing or does not fit."""
    if name is not None:
        if name not in catalogue():
            raise BadInput("no_pair", name=name, known=", ".join(catalogue()))
        target, draft = (str(WEIGHTS / catalogue()[name][side]["path"]) for side in ("target", "draft"))
    paths = [_folder(reference) for reference in (target, draft) if reference is not None]
    progress("torch", 0.05)
    import torch  # noqa: F401  the slow part, and why this module imports it late

    progress("transformers", 0.3)
    from transformers import AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()  # progress is told by `progress`, not by bars on somebody's terminal
    logging.set_verbosity_error()  # and what is wrong is told by BadInput
    from specviz.engine.text import Speller

    tokenizers = []
    for path in paths:
        with _reading(path):
            tokenizers.append(_read(path, AutoTokenizer))
    if len(tokenizers) == 2:
        check_vocabularies(*tokenizers)
    models = []
    for path, share in zip(paths, (0.6, 0.85), strict=False):
        progress("weights", share)
        with _reading(path):
            models.append(_model(path, len(tokenizers[0]), device, dtype))
    with _reading(paths[0]):
        eos = _eos(models[0], tokenizers[0])
    progress("ready", 1.0)
    return Pair(name or Path(paths[0]).name, models[0], models[1] if len(models) > 1 else None, Speller(tokenizers[0]), eos)


def check_vocabularies(target, draft) -> None:
    """BadInput unless every id spells the same token in both: equal sizes alone prove nothing."""
    tokens = [sorted(t.get_vocab().items(), key=lambda item: item[1]) for t in (target, draft)]
    for (ours, id), (theirs, other) in zip(*tokens, strict=False):
        if (ours, id) != (theirs, other):
            raise BadInput("other_tokenizer", id=min(id, other), target=ours, draft=theirs)
    if len(tokens[0]) != len(tokens[1]):
        raise BadInput("other_vocabulary", target=len(tokens[0]), draft=len(tokens[1]))


def _folder(reference: str) -> Path:
    """The folder of a bundled name (poem/target) or of a path."""
    name, _, side = reference.partition("/")
    if name in catalogue() and side in ("target", "draft"):
        return WEIGHTS / catalogue()[name][side]["path"]
    try:
        path = Path(reference).expanduser()
        found = path.is_dir()
    except (OSError, RuntimeError):  # a name longer than names can be, a home of nobody
        found = False
    if not found:
        raise BadInput("no_model", ref=reference)
    if not (path / "config.json").is_file():
        raise BadInput("no_config", ref=reference)
    return path


@contextmanager
def _reading(path: Path):
    """Whatever transformers, safetensors or json find wrong in a folder means one thing to the reader."""
    try:
        yield
    except BadInput:
        raise
    except Exception as error:
        why = str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
        raise BadInput("broken_model", ref=path, why=why) from error


def _read(path: Path, kind, **options):
    """What is in a folder, and nowhere else; code that came with it is never run."""
    return kind.from_pretrained(path, local_files_only=True, trust_remote_code=False, **options)


def _model(path: Path, vocab: int, device: str, dtype: str) -> Model:
    import torch
    from transformers import AutoModelForCausalLM

    from specviz.engine.model import Model

    config = json.loads((path / "config.json").read_text(encoding="utf-8"))
    slides = config.get("sliding_window") and config.get("use_sliding_window", True)
    if slides or set(config.get("layer_types") or ()) - {"full_attention"}:
        raise BadInput("cannot_roll_back", ref=path)
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cuda" and not torch.cuda.is_available():
        raise BadInput("no_device", device=device)
    if dtype == "auto":
        dtype = "bf16" if device == "cuda" else "fp32"
    kind = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[dtype]
    module, found = _read(path, AutoModelForCausalLM, dtype=kind, output_loading_info=True, ignore_mismatched_sizes=True)
    if module._is_stateful:
        raise BadInput("cannot_roll_back", ref=path)
    _check_weights(module, found)
    return Model(module.to(device), vocab)


def _check_weights(module, found: dict) -> None:
    """ValueError that names a weight which transformers had to invent, or which holds what is no number."""
    for name in sorted(found["missing_keys"]):
        raise ValueError(f"{name} is missing")
    for name, *shapes in found["mismatched_keys"]:
        raise ValueError(f"{name} has the shape {' instead of '.join(str(tuple(shape)) for shape in shapes)}")
    for name, weights in module.named_parameters():
        if not weights.isfinite().all():
            raise ValueError(f"{name} holds numbers that are not finite")


def _eos(model, tokenizer) -> frozenset[int]:
    """Every id that ends a text, from the generation config and the tokenizer; there may be none."""
    configured = model.module.generation_config.eos_token_id
    ids = configured if isinstance(configured, list) else [configured]
    found = [id for id in (*ids, tokenizer.eos_token_id) if id is not None]
    if not all(isinstance(id, int) for id in found):
        raise TypeError(f"eos_token_id is {configured}")
    return frozenset(found)
