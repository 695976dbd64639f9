"""Labels in every language, from the TOML files beside this one; knows nothing of a screen."""

from __future__ import annotations

import locale
import os
import tomllib
from functools import cache
from pathlib import Path

LANGUAGES = {"en": "English", "zh": "中文"}


@cache
def labels(language: str) -> dict[str, dict[str, str]]:
    """All tables of one language."""
    return tomllib.loads((Path(__file__).parent / f"{language}.toml").read_text(encoding="utf-8"))


def say(language: str, key: str, **facts) -> str:
    """The label `table.name` with its {gaps} filled; KeyError when there is none."""
    table, name = key.split(".", 1)
    label = labels(language)[table][name]
    return label.format(**facts) if facts else label


def of_environment() -> str:
    """The language of whoever reads the terminal: zh where the environment says so, English elsewhere."""
    named = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return "zh" if (named or locale.getlocale()[0] or "").lower().startswith("zh") else "en"
