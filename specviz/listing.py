"""The running code as the lesson shows it: the lines of `engine/loop.py` and `rule.py`, and which of them acts at what.

Lines are read from the modules themselves, never copied, and without importing torch. An event is named as on the
player's time line, apart from a verdict and a fix, which are named by how they ended.
"""

from __future__ import annotations

import ast
import importlib.util
import io
import keyword
import re
import textwrap
import tokenize
from dataclasses import dataclass
from functools import cache

# module, function, and what is shown of it
SHOWN = (
    ("specviz.engine.loop", "_round"),
    ("specviz.engine.loop", "_fix"),
    ("specviz.rule", "accepts"),
    ("specviz.rule", "residual"),
)

# event -> (function, a part of exactly one of its lines), in the order in which they act
ACTS = {
    "guess": [("_round", "self.drafter.propose(")],
    "verify": [("_round", "logits = self.target.forward(")],
    "accepted": [
        ("_round", "if not rule.accepts("),
        ("accepts", "return u * q_x < p_x"),
        ("_round", 'verdicts[i] = "accepted"'),
    ],
    "rejected": [
        ("_round", "if not rule.accepts("),
        ("accepts", "return u * q_x < p_x"),
        ("_round", 'verdicts[i] = "rejected"'),
    ],
    "void": [("_round", "break  # the rest is void")],
    "residual": [
        ("_round", "own = self._fix("),
        ("_fix", "row = rule.residual("),
        ("residual", "return missing / mass"),
        ("_fix", "own = Own(draw(row, u)"),
    ],
    "bonus": [("_round", "own = self._fix("), ("_fix", "row = rule.residual("), ("_fix", "own = Own(draw(row, u)")],
    "commit": [("_round", "self.slots.length = ")],
}

# The same in the notation of the paper (Leviathan et al. 2023, Algorithm 1): line, events at which it acts.
PAPER = (
    ("for i = 1 … γ:", ()),
    ("    q_{i} ← M_{q}(prefix, x_{1} … x_{i−1});  x_{i} ~ q_{i}", ("guess",)),
    ("p_{1} … p_{γ+1} ← M_{p}(prefix, x_{1} … x_{γ}), all in one pass", ("verify",)),
    ("for i = 1 … γ:", ()),
    ("    r_{i} ~ U(0, 1)", ("accepted", "rejected")),
    ("    if r_{i} < p_{i}(x_{i}) / q_{i}(x_{i}):  accept x_{i}", ("accepted",)),
    ("    else:  n ← i − 1, stop", ("rejected", "void")),
    ("if none was rejected:  n ← γ", ()),
    ("if n < γ:  p′ ← norm(max(0, p_{n+1} − q_{n+1}))", ("residual",)),
    ("else:  p′ ← p_{γ+1}", ("bonus",)),
    ("t ~ p′", ("residual", "bonus")),
    ("return prefix, x_{1} … x_{n}, t", ("commit",)),
)
_SUB = re.compile(r"_\{(.*?)\}")


@dataclass(frozen=True)
class Line:
    """One line: its number in the file, its text in pieces [(kind, text)] with kind "", comment, string,
    keyword or sub (a subscript), and the events at which it acts."""

    number: int
    pieces: tuple[tuple[str, str], ...]
    events: tuple[str, ...]

    @property
    def text(self) -> str:
        return "".join(text for _, text in self.pieces)


@dataclass(frozen=True)
class Block:
    """One function as it stands in its file."""

    file: str
    name: str
    lines: tuple[Line, ...]


@cache
def python() -> tuple[Block, ...]:
    """The functions of SHOWN. LookupError when a part named in ACTS is not in exactly one line of its function."""
    blocks = tuple(_block(module, name) for module, name in SHOWN)
    for parts in ACTS.values():
        for function, part in parts:
            (lines,) = (block.lines for block in blocks if block.name == function)
            if sum(part in line.text for line in lines) != 1:
                raise LookupError(f"“{part}” does not name one line of {function}")
    return blocks


def paper() -> Block:
    """The algorithm in the paper's notation."""
    lines = (Line(number, _subscripts(text), events) for number, (text, events) in enumerate(PAPER, 1))
    return Block("Leviathan et al. 2023, Algorithm 1", "", tuple(lines))


def _subscripts(text: str) -> tuple[tuple[str, str], ...]:
    return tuple(("sub" if i % 2 else "", piece) for i, piece in enumerate(_SUB.split(text)) if piece)


def _block(module: str, name: str) -> Block:
    spec = importlib.util.find_spec(module)
    whole = spec.loader.get_source(module)
    (node,) = (n for n in ast.walk(ast.parse(whole)) if isinstance(n, ast.FunctionDef) and n.name == name)
    rows = textwrap.dedent("\n".join(whole.splitlines()[node.lineno - 1 : node.end_lineno])).splitlines()
    kinds = _coloured(rows)
    lines = (Line(node.lineno + i, kinds[i], _events(name, row)) for i, row in enumerate(rows))
    return Block(module.removeprefix("specviz.").replace(".", "/") + ".py", name, tuple(lines))


def _events(function: str, row: str) -> tuple[str, ...]:
    return tuple(event for event, parts in ACTS.items() if any(f == function and part in row for f, part in parts))


def _coloured(rows: list[str]) -> list[tuple[tuple[str, str], ...]]:
    """Every row cut into pieces by what they are to Python."""
    marks = [[] for _ in rows]  # (from, to, kind)
    for token in tokenize.generate_tokens(io.StringIO("\n".join(rows) + "\n").readline):
        kind = {tokenize.COMMENT: "comment", tokenize.STRING: "string"}.get(token.type)
        if token.type == tokenize.NAME and keyword.iskeyword(token.string):
            kind = "keyword"
        if kind:
            for row in range(token.start[0], token.end[0] + 1):
                start = token.start[1] if row == token.start[0] else 0
                end = token.end[1] if row == token.end[0] else len(rows[row - 1])
                marks[row - 1].append((start, end, kind))
    return [_pieces(row, found) for row, found in zip(rows, marks, strict=True)]


def _pieces(row, marks):
    pieces, at = [], 0
    for start, end, kind in marks:
        pieces += [("", row[at:start]), (kind, row[start:end])]
        at = end
    return tuple(piece for piece in [*pieces, ("", row[at:])] if piece[1])
