"""How much memory there is, how much a model will take, and how much it took."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Room:
    """Memory of one device in bytes. device: cpu, cuda or mps; dtype: the precision that `auto` takes there."""

    device: str
    total: int
    free: int
    dtype: str

    def to_json(self) -> dict:
        return asdict(self)


def host() -> Room:
    """This machine's own memory; asks no torch."""
    raise NotImplementedError


def room(device: str = "auto") -> Room:
    """What the device that loading would take has; imports torch."""
    raise NotImplementedError
