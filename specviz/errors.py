"""What a reader did that cannot be done, as a code with facts; the sentence is in the locale files."""

from __future__ import annotations

from specviz.locale import say

LONGEST = 80  # characters of a name that are quoted
_OURS = {"known": None, "why": 240}  # what a reader may choose from stays whole, and a reason is a sentence


class BadInput(ValueError):
    """Raised for input that cannot be used. `code` names a sentence under [errors]; `facts` fill its gaps."""

    def __init__(self, code: str, **facts):
        self.code, self.facts = code, facts
        super().__init__(self.sentence("en"))

    def sentence(self, language: str) -> str:
        """What is wrong and what to do, in one sentence."""
        return say(language, f"errors.{self.code}", **{name: _quoted(name, fact) for name, fact in self.facts.items()})


class Cancelled(Exception):
    """The run was given up by whoever asked for it."""


def _quoted(name: str, fact) -> str:
    """A fact as it stands in a sentence: a whole number without its point, a long text by its two ends."""
    text = str(fact).removesuffix(".0") if isinstance(fact, float) else str(fact)
    most = _OURS.get(name, LONGEST)
    return text if most is None or len(text) <= most else f"{text[: most // 2]}…{text[len(text) - (most - 1) // 2 :]}"


def check_limits(limits: dict[str, tuple[float, float]], **values: float) -> None:
    """BadInput that names the first value which is not a number within its finite (low, high) of `limits`."""
    for name, value in values.items():
        low, high = limits[name]
        if not low <= value <= high:  # nan is within nothing
            raise BadInput("out_of_range", name=name, value=value, low=low, high=high)


def check_text(**texts: str) -> None:
    """BadInput that names the first text which is no Unicode: bytes of a terminal or an address that spelt nothing."""
    for name, text in texts.items():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise BadInput("not_unicode", name=name) from None
