"""Numbers and a reader's own text, as they stand in a sentence."""

from __future__ import annotations

import re

from specviz.errors import BadInput
from specviz.ui import i18n

LONGEST = 24  # characters of a prompt that are quoted
_SIGNS = re.compile(r"([\\`*_{}\[\]#|~$<>:!])")
_ADDRESS = re.compile(r"((?:https?://|www\.)[!-~]*[\w/])", re.ASCII)


def small(x: float) -> str:
    """Three decimals; what they would call nothing keeps two figures and its power of ten."""
    return f"{x:.2g}" if 0 < x < 0.01 else f"{x:.3f}" if x else "0"


def share(x: float) -> str:
    """Two decimals, for a list that is to be looked over."""
    return f"{x:.2f}" if x >= 0.005 else "<.01" if x else "0"


def verbatim(text: str) -> str:
    """The end of a text in one line, with nothing in it that Markdown would take for its own."""
    line = " ".join(text.split())
    return literal(line if len(line) <= LONGEST else "…" + line[-LONGEST:])


def literal(text: str) -> str:
    """The whole text, with nothing in it that Markdown would take for its own; an address in it is no link, and does not
    take the words behind it along."""
    parts = _ADDRESS.split(text)
    return "".join(f"`{part.replace('`', '')}`" if i % 2 else _SIGNS.sub(r"\\\1", part) for i, part in enumerate(parts))


def refusal(error: BadInput) -> str:
    """Its sentence in the reader's language; an address or a path in it stays as it is."""
    return literal(bare(error))


def bare(error: BadInput) -> str:
    """The same where nothing is read as Markdown: in a picture of our own."""
    return error.sentence(i18n.language())


def shown(text: str) -> str:
    """A token's text with its spaces, tabs and line ends to be seen, as the pictures show them."""
    return text.replace("\r\n", "↵").replace("\n", "↵").replace("\t", "⇥").replace(" ", "⋅") or "∎"
