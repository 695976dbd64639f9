"""What a model is called, and where its files lie: bundled, in a wheel, in a folder, in a GGUF file, on a hub.

Imports no torch. Nothing here reaches for the network: what is not on this machine is fetched by `fetching`.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from specviz.engine import catalogue, reading
from specviz.errors import BadInput


@dataclass(frozen=True)
class Reference:
    """One model. text: as it was named, a folder or a file by its one name; kind: bundled, wheel, gguf, folder or hub;
    at: where that kind keeps it (a folder, a file, a hub id); wheel: which, if it lies in one."""

    text: str
    kind: str
    at: str
    wheel: catalogue.Wheel | None = None

    @cached_property
    def title(self) -> str:
        """A short name for the screen."""
        return self.text if self.kind in ("bundled", "wheel", "hub") else Path(self.at).name

    @property
    def path(self) -> Path | None:
        """The folder in Hugging Face format that holds it, or will once it is fetched; None before a hub was asked."""
        if self.kind == "hub":
            return _snapshot(self.at)
        if self.kind == "gguf":
            return converted(Path(self.at))
        return home() / "wheels" / self.at if self.kind == "wheel" else Path(self.at)

    @property
    def ready(self) -> bool:
        """Whether everything that loading needs is on this machine; a GGUF file not yet converted is not."""
        return self.described and has_weights(self.path)

    @property
    def described(self) -> bool:
        """Whether config and tokenizer are here, which is all the compatibility report reads."""
        return self.path is not None and (self.path / "config.json").is_file()

    @property
    def chats(self) -> bool:
        """Whether it comes with a template for chat messages, as far as the files that are here tell."""
        if not self.described:
            return False
        return (self.path / "chat_template.jinja").is_file() or reading.has_template(self.path)

    @property
    def layers(self) -> int | None:
        """How many it has, as far as the files that are here tell."""
        return reading.layers(self.path) if self.described else None

    def folder(self, weights: bool = False) -> Path:
        """Its folder; BadInput when there is none or it is no model, or, if weights are asked for, none of those."""
        if not self.described:
            raise BadInput("no_config" if self.kind == "folder" else "not_here", ref=self.text)
        if weights and self.kind == "hub" and not self.ready:
            raise BadInput("not_here", ref=self.text)
        if weights:
            reading.check_weights(self.path, self.text)
        return self.path


@dataclass(frozen=True)
class PairName:
    """Two models under one name: what `Request.pair`, the address and the queue go by."""

    name: str
    target: Reference
    draft: Reference | None

    @property
    def references(self) -> tuple[Reference, ...]:
        return (self.target,) if self.draft is None else (self.target, self.draft)

    @property
    def ready(self) -> bool:
        return all(reference.ready for reference in self.references)

    @property
    def table(self) -> Path | None:
        """The counts of its training text, which bundled pairs come with."""
        file = catalogue.WEIGHTS / self.name / "ngrams.safetensors"
        return file if self.name in catalogue.bundled() and file.is_file() else None

    @property
    def title(self) -> str:
        if self.name in catalogue.entries():
            return self.name
        return " ← ".join(reference.title for reference in self.references)


def parse(text: str) -> Reference:
    """A model by its reference; BadInput when it is neither something here nor something a hub could have."""
    name, _, side = text.partition("/")
    entry = catalogue.entries().get(name)
    model = entry and {"": entry.target, "target": entry.target, "draft": entry.draft}.get(side)
    if model:
        return Reference(
            text, model.kind, str(catalogue.WEIGHTS / model.at) if model.kind == "bundled" else model.at, model.wheel
        )
    if not text.strip():
        raise BadInput("no_model", ref=text)
    try:
        path = Path(text).expanduser()
        is_file, is_folder = path.is_file(), path.is_dir()
    except (OSError, RuntimeError, ValueError):  # a name longer than names can be, a home of nobody
        raise BadInput("no_model", ref=text) from None
    if text.lower().endswith(".gguf"):
        if not is_file:
            raise BadInput("no_file", path=text)
        return Reference(_one_name(text, path), "gguf", str(path))
    if is_folder:
        return Reference(_one_name(text, path), "folder", str(path))
    if not _could_be_of_a_hub(text):
        raise BadInput("no_model", ref=text)
    return Reference(text, "hub", text)


def parse_pair(name: str) -> PairName:
    """A pair by its one string: a name of the catalogue, TARGET, or TARGET|DRAFT; BadInput otherwise."""
    entry = catalogue.entries().get(name)
    if entry:
        return PairName(name, parse(f"{name}/target"), parse(f"{name}/draft") if entry.draft else None)
    target, bar, draft = name.partition("|")
    if not target or (bar and not draft) or "|" in draft:
        raise BadInput("no_pair", name=name, known=", ".join(catalogue.entries()))
    if not bar and not _names_a_place(target):
        raise BadInput("no_pair", name=name, known=", ".join(catalogue.entries()))
    return of(target, draft or None)


def of(target: str, draft: str | None = None) -> PairName:
    """A pair from two references."""
    models = parse(target), parse(draft) if draft else None
    return PairName(pair_name(*(model and model.text for model in models)), *models)


def pair_name(target: str, draft: str | None = None) -> str:
    """The one string of two references."""
    return target if draft is None else f"{target}|{draft}"


def _one_name(text: str, path: Path) -> str:
    """A place as all its spellings are called, so that it is loaded once; as it was spelt where no pair could be called so."""
    name = str(path.resolve())
    return name if "|" not in name and name.isprintable() else text


def _names_a_place(text: str) -> bool:
    return "/" in text or os.sep in text or text.lower().endswith(".gguf") or text.startswith(("~", "."))


def _could_be_of_a_hub(text: str) -> bool:
    """By the hub's own rule, for its library raises whatever it is asked of any other name."""
    from huggingface_hub.utils import HFValidationError, validate_repo_id

    try:
        validate_repo_id(text)
    except HFValidationError:
        return False
    return True


def home() -> Path:
    """The folder in which specviz keeps what it fetched and converted."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "specviz"


def converted(file: Path) -> Path:
    """Where a GGUF file lies in Hugging Face format; another file of the same name lies elsewhere."""
    facts = file.stat()
    key = hashlib.sha256(f"{file.resolve()} {facts.st_size} {facts.st_mtime_ns}".encode()).hexdigest()[:16]
    return home() / "gguf" / f"{file.stem}-{key}"


def has_weights(folder: Path) -> bool:
    """Whether safetensors lie there, every shard of them."""
    try:
        files = reading.shards(folder)
    except BadInput:
        return False
    return bool(files) and all(file.is_file() for file in files)


def _snapshot(hub_id: str) -> Path | None:
    """The folder of the hub's own cache that holds this model, if it is there."""
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(hub_id, "config.json")
    return Path(found).parent if isinstance(found, str) else None
