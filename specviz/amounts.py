"""Sizes as people say them: of models, of memory, of files."""

from __future__ import annotations


def parameters(n: float) -> str:
    """How large a model is, as models are called: 135M, 1.7B."""
    number, unit = (n / 1e9, "B") if n >= 0.9995e9 else (n / 1e6, "M")
    text = f"{number:.2g}" if number < 9.95 else f"{number:.1f}" if number < 99.5 else f"{number:.0f}"
    return text.removesuffix(".0") + unit


def size(n: float) -> str:
    """Bytes in decimal units, three figures."""
    for unit, power in (("TB", 12), ("GB", 9), ("MB", 6), ("kB", 3)):
        if n >= 0.9995 * 10**power:
            return f"{n / 10**power:.3g} {unit}"
    return f"{n:.0f} B"
