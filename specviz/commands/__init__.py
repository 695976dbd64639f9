"""The verbs of the command line, one a file: a summary, an example, its arguments, and run(arguments) -> JSON value.

A verb prints for people unless arguments.json is set; the document it returns is printed by `specviz.__main__`.
"""

from __future__ import annotations

from specviz.commands import bench, check, generate, law, pairs, roofline, speedup

VERBS = {
    "generate": generate,
    "law": law,
    "speedup": speedup,
    "roofline": roofline,
    "pairs": pairs,
    "check": check,
    "bench": bench,
}
