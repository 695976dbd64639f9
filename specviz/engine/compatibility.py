"""Whether a draft can guess for a target: the report behind `check`, the Models page and every loading.

Reads configs and tokenizers, never weights. The rule compares p and q token by token, so every id must spell the same
text in both; equal sizes alone prove nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from specviz.locale import say

SAMPLE = "The king's 2 horses — 两匹马 🐎 — print('hello')"


@dataclass(frozen=True)
class Reason:
    """One finding; `code` names a sentence under [check], `facts` fill its gaps. level: refuse, padding or note."""

    code: str
    level: str
    facts: dict

    def sentence(self, language: str) -> str:
        return say(language, f"check.{self.code}", **self.facts)


@dataclass(frozen=True)
class Report:
    """verdict: pass, pass-with-padding or refuse. first_difference: {"id", "target", "draft"}, the token texts at the
    first id that differs (None past the end of one). sample: {"sentence", "target": [texts], "draft": [texts]}, the same
    sentence cut by both."""

    verdict: str
    reasons: list[Reason] = field(default_factory=list)
    first_difference: dict | None = None
    sample: dict | None = None

    def to_json(self) -> dict:
        """Plain JSON; reasons are English sentences, `findings` the same as codes with facts for other languages."""
        return {
            "verdict": self.verdict,
            "reasons": [reason.sentence("en") for reason in self.reasons],
            "findings": [{"code": r.code, "level": r.level, "facts": r.facts} for r in self.reasons],
            "first_difference": self.first_difference,
            "sample": self.sample,
        }


def report(target: Path, draft: Path) -> Report:
    """Of two folders in Hugging Face format; BadInput when one cannot be read."""
    raise NotImplementedError
