"""What a reader did that cannot be done, as a code with facts; the sentence is in the locale files."""

from __future__ import annotations

import math

from specviz.locale import say


class BadInput(ValueError):
    """Raised for input that cannot be used. `code` names a sentence under [errors]; `facts` fill its gaps."""

    def __init__(self, code: str, **facts):
        self.code, self.facts = code, facts
        super().__init__(self.sentence("en"))

    def sentence(self, language: str) -> str:
        """What is wrong and what to do, in one sentence."""
        return say(language, f"errors.{self.code}", **self.facts)


class Cancelled(Exception):
    """The run was given up by whoever asked for it."""


def check_limits(limits: dict[str, tuple[float, float]], **values: float) -> None:
    """BadInput that names the first value which is not a finite number within its (low, high) of `limits`."""
    for name, value in values.items():
        low, high = limits[name]
        if not (math.isfinite(value) and low <= value <= high):
            raise BadInput("out_of_range", name=name, value=value, low=low, high=high)
