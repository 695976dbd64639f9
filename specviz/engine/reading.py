"""Reads what a model folder says of itself: config, tokenizer, the headers of its weights. Never the weights, never code.

Whatever is wrong is said in our own words where we can tell what it is.
"""

from __future__ import annotations

import json
import struct
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import Any, get_args

from specviz.errors import BadInput
from specviz.roofline import Shape

SINGLE, INDEX = "model.safetensors", "model.safetensors.index.json"
PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.msgpack", "*.h5")
VOCABULARIES = ("tokenizer.json", "*vocab*", "*.model", "*.tiktoken", "tekken.json", "*.bpe*")
SHORTEST_HEADER, LONGEST_HEADER = 2, 100_000_000  # bytes, as safetensors has it


@contextmanager
def told(ref):
    """Whatever transformers, safetensors or json still find wrong means one thing to the reader."""
    try:
        yield
    except BadInput:
        raise
    except Exception as error:
        why = str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
        raise BadInput("broken_model", ref=ref, why=why) from error


def quiet() -> None:
    """transformers prints nothing: progress is told by the program, and what is wrong by BadInput."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    logging.set_verbosity_error()


def read(folder: Path, kind: Any, **options):
    """What is in a folder, and nowhere else; code that came with it is never run."""
    return kind.from_pretrained(folder, local_files_only=True, trust_remote_code=False, **options)


def tokenizer(folder: Path, ref: str):
    """The tokenizer of a folder; ref: what errors call the model. BadInput when no vocabulary lies there, or it is broken."""
    quiet()
    from transformers import AutoTokenizer

    if not any(found for pattern in VOCABULARIES for found in folder.glob(pattern)):
        raise BadInput("no_tokenizer", ref=ref)  # transformers would make up an empty one for some families
    with told(ref):
        return read(folder, AutoTokenizer)


def has_template(folder: Path) -> bool:
    """Whether the tokenizer's own config holds a chat template; one that cannot be read holds none."""
    try:
        told = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):  # not there, no UTF-8, no JSON, JSON without end
        return False
    return isinstance(told, dict) and bool(told.get("chat_template"))


def layers(folder: Path) -> int | None:
    """How many layers the config tells of; None where it cannot be read without knowing its family."""
    try:
        told = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        return int((told.get("text_config") or told)["num_hidden_layers"])
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return None


def config(folder: Path, ref: str):
    """The configuration in a folder; BadInput when transformers does not know the family, and so could not read it."""
    quiet()
    from transformers import CONFIG_MAPPING, AutoConfig

    with told(ref):
        raw = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        kind = raw.get("model_type")
        if kind not in CONFIG_MAPPING:
            raise BadInput("own_code" if raw.get("auto_map") else "unknown_family", ref=ref, family=kind or "?")
        return read(folder, AutoConfig)


def unfit(found) -> str | None:
    """Why a model can neither guess nor be guessed for, as a code under [errors]; None when it can."""
    from transformers import MODEL_FOR_CAUSAL_LM_MAPPING

    if found.is_encoder_decoder:
        return "encoder_decoder"
    if type(found) not in MODEL_FOR_CAUSAL_LM_MAPPING:
        return "no_language_model"
    # A state that is overwritten by every token cannot be taken back after a rejection.
    kinds = set(getattr(found.get_text_config(), "layer_types", None) or ())
    if kinds - {"full_attention", "sliding_attention"} or not _reads_on(MODEL_FOR_CAUSAL_LM_MAPPING[type(found)]):
        return "cannot_roll_back"
    return None


def _reads_on(family) -> bool:
    """Whether its models take up keys and values that are handed to them: some know no memory at all, some one of their own."""
    taken = signature(family.forward).parameters.get("cache")
    return taken is not None and all(kind.__module__ != family.__module__ for kind in get_args(taken.annotation))


def window(found) -> int | None:
    """How many tokens its layers with a window see; None without such layers."""
    text = found.get_text_config()
    size = getattr(text, "sliding_window", None)
    kinds = getattr(text, "layer_types", None)
    windowed = "sliding_attention" in kinds if kinds else getattr(text, "use_sliding_window", True)
    return size if size and windowed else None


def shape(found) -> Shape:
    """What its cache and attention depend on, from a config; without groups every query head has keys of its own."""
    text = found.get_text_config()
    heads = text.num_attention_heads
    kv_heads = getattr(text, "num_key_value_heads", None) or heads
    wide = getattr(text, "head_dim", None) or text.hidden_size // heads
    return Shape(text.num_hidden_layers, kv_heads, wide, heads)


def shards(folder: Path) -> list[Path]:
    """The files of its weights, be they there or not; empty when there are no safetensors."""
    if (folder / INDEX).is_file():
        with told(folder):
            placed = json.loads((folder / INDEX).read_text(encoding="utf-8"))["weight_map"]
            return sorted(folder / name for name in set(placed.values()))
    return [folder / SINGLE] if (folder / SINGLE).is_file() else []


def check_weights(folder: Path, ref) -> None:
    """BadInput unless all weights lie there as safetensors, each file as long as its header says."""
    files = shards(folder)
    if not files:
        pickled = any(found for pattern in PICKLES for found in folder.glob(pattern))
        raise BadInput("pickle_only" if pickled else "no_weights", ref=ref)
    for file in files:
        if not file.is_file():
            raise BadInput("no_shard", ref=ref, file=file.name)
        needed, there = _length(file), file.stat().st_size
        if needed is None:
            raise BadInput("no_safetensors", ref=ref, file=file.name)
        if there < needed:
            raise BadInput("truncated", ref=ref, file=file.name, there=there, needed=needed)


def _length(file: Path) -> int | None:
    """How long a safetensors file must be by its own header; None when that is no such header."""
    with file.open("rb") as stream:
        head = stream.read(8)
        size = struct.unpack("<Q", head)[0] if len(head) == 8 else 0
        if not SHORTEST_HEADER <= size <= LONGEST_HEADER:
            return None
        header = stream.read(size)
    if len(header) < size:
        return 8 + size
    try:
        tensors = [told for name, told in json.loads(header).items() if name != "__metadata__"]
        return 8 + size + max((tensor["data_offsets"][1] for tensor in tensors), default=0)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        return None
