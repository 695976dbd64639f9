"""The pictures that answer while a finger moves: JavaScript components, each in a folder of its own.

words.js, page.js and dom.js beside this file are shared by all of them.
"""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent


def source(*names: str) -> str:
    """The named files under this folder, joined in order: one module without a build step."""
    return "\n".join((HERE / name).read_text(encoding="utf-8") for name in names)
