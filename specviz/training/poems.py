"""Tang poems from the npm package chinese-poetry (MIT), cleaned and split.

Contract: `load(dist)` reads the unpacked package and returns `Poems(known, train, held_out)`, each a list of
strings in simplified characters, one poem a string, lines joined by their own punctuation. `known` are the
Three Hundred Tang Poems in their popular wording; no other wording of them is left in `train` or `held_out`.
The split depends only on the text, so it is the same on every machine.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import tarfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "chinese-poetry@2.0.1"
HELD_OUT_SHARE = 0.02
LONGEST = 500  # characters: what one context holds

_NOTE = re.compile(r"[（(\[【〔{].*?[)）\]】〕}]")
_CLAUSE_END = "，。！？；：、"
_HAN = re.compile(r"^[\u3007\u3400-\u9fff\U00020000-\U0003ffff]+$")


@dataclass(frozen=True)
class Poems:
    known: list[str]
    train: list[str]
    held_out: list[str]


def fetch(folder: Path) -> Path:
    """Download and unpack the package with npm; returns its dist folder. Does nothing when it is there."""
    dist = folder / "package" / "dist"
    if not dist.exists():
        folder.mkdir(parents=True, exist_ok=True)
        name = subprocess.run(
            ["npm", "pack", PACKAGE, "--silent"], cwd=folder, check=True, capture_output=True, text=True
        ).stdout.strip()
        with tarfile.open(folder / name) as archive:
            archive.extractall(folder, filter="data")
    return dist


def load(dist: Path) -> Poems:
    simplify = _converter()
    known = _unique(_known(dist, simplify))
    taken = _Fingerprints(known)
    everything = _unique(poem for poem in _quantangshi(dist, simplify) if _regular(poem))
    others = [poem for poem in everything if not taken.resembles(poem)]
    held_out = [poem for poem in others if _lot(poem) < HELD_OUT_SHARE]
    # Another wording of a held-out poem would tell the model the answer.
    secret = _Fingerprints(held_out)
    train = [p for p in others if _lot(p) >= HELD_OUT_SHARE and not secret.resembles(p)]
    return Poems(known, train, held_out)


def opening(poem: str) -> str:
    """The first clause with its punctuation: 床前明月光，"""
    return re.match(rf"[^{_CLAUSE_END}]*[{_CLAUSE_END}]?", poem).group()


def clean(paragraphs: list[str], simplify) -> str:
    """One poem as one string: notes cut out, punctuation made uniform, every couplet closed by a full stop."""
    text = ""
    for paragraph in paragraphs:
        line = simplify(_NOTE.sub("", paragraph)).strip().replace(",", "，").replace("．", "。")
        text += line[:-1] + "。" if line.endswith(("，", "；")) else line
    return re.sub(r"[\s“”‘’「」『』《》\"']", "", text)


def _converter():
    from opencc import OpenCC

    return OpenCC("t2s").convert


def _known(dist, simplify):
    book = json.loads((dist / "mengxue/tangshisanbaishou.json").read_text())
    for chapter in book["content"]:
        for poem in chapter["content"]:
            text = clean(poem["paragraphs"], simplify)
            if len(text) <= LONGEST:
                yield text


def _quantangshi(dist, simplify):
    files = sorted(dist.glob("quantangshi/poet.tang.*.json"), key=lambda p: int(p.name.split(".")[2]))
    for file in files:
        for poem in json.loads(file.read_text()):
            yield clean(poem["paragraphs"], simplify)


def _clauses(poem):
    return [c for c in re.split(rf"[{_CLAUSE_END}]", poem) if c]


def _regular(poem):
    clauses = _clauses(poem)
    lengths = {len(c) for c in clauses}
    whole = all(_HAN.match(c) for c in clauses)
    return len(clauses) >= 2 and lengths <= {5, 7} and whole and len(poem) <= LONGEST and poem[-1] in _CLAUSE_END


def _unique(poems):
    seen = {}
    for poem in poems:
        seen.setdefault("".join(_clauses(poem)), poem)
    return list(seen.values())


def _lot(poem):
    """A number in [0, 1) that depends on the words alone."""
    return int.from_bytes(hashlib.sha256(poem.encode()).digest()[:6], "big") / 2**48


class _Fingerprints:
    """Recognises other wordings of the given poems: a poem resembles one when it shares a third of its clauses,
    or half of its bigrams."""

    def __init__(self, poems):
        self.bigrams = [_bigrams(p) for p in poems]
        self.clauses = [set(_clauses(p)) for p in poems]
        self.where: dict[str, list[int]] = {}
        for i, grams in enumerate(self.bigrams):
            for gram in grams:
                self.where.setdefault(gram, []).append(i)

    def resembles(self, poem):
        grams, clauses = _bigrams(poem), set(_clauses(poem))
        shared = Counter(i for gram in grams for i in self.where.get(gram, ()))
        for i, count in shared.most_common(3):
            if count > len(grams) / 2 or 3 * len(clauses & self.clauses[i]) > len(clauses):
                return True
        return False


def _bigrams(poem):
    return {clause[i : i + 2] for clause in _clauses(poem) for i in range(len(clause) - 1)}
