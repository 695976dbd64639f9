"""When a run is over: end of text, a stop string, the number of tokens asked for, the end of the context."""

from __future__ import annotations

from specviz.engine.text import Piece


class Ending:
    """Watches the output grow token by token. `reason` is None until it is over; `text` never holds a stop string."""

    def __init__(self, eos: frozenset[int], stop: tuple[str, ...], most: int, context: int, prompt_length: int):
        self.eos, self.stop = eos, stop
        self.most, self.context, self.prompt_length = most, context, prompt_length
        self.ids: list[int] = []
        self.text = ""
        self.reason: str | None = None

    @property
    def room(self) -> int:
        """How many more tokens may be emitted."""
        return min(self.most - len(self.ids), self.context - self.prompt_length - len(self.ids))

    def add(self, id: int, piece: Piece) -> bool:
        """Append a token; True when it was the last one."""
        self.ids.append(id)
        before, self.text = len(self.text), self.text + piece.adds
        if id in self.eos:
            self.reason = "eos"
        elif self._cut(before):
            self.reason = "stop"
        elif len(self.ids) >= self.most:
            self.reason = "length"
        elif self.room <= 0:
            self.reason = "context"
        if self.reason and self.reason != "stop":
            self.text += piece.left  # what the last token began will not be finished
        return self.reason is not None

    def _cut(self, before):
        """Cut the text at the earliest stop string; only the newest characters can have completed one."""
        found = [at for s in self.stop if (at := self.text.find(s, max(0, before - len(s) + 1))) >= 0]
        if found:
            self.text = self.text[: min(found)]
        return bool(found)
