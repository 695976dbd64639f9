"""Pictures that grow with every report: plain HTML, so that nothing remounts and nothing flickers."""

from __future__ import annotations

from html import escape

import streamlit as st

from specviz.ui.palette import THEMES

HEIGHT = 190  # pixels of the tallest column with its bracket


def colours() -> dict[str, str]:
    """The palette of the visitor's theme."""
    return THEMES["dark" if st.context.theme.type == "dark" else "light"]


def thrown(tokens: list[str], p: list[float], frequencies: list[float], throws: int, title: str) -> str:
    """p as solid columns, what was thrown as dots with its figure, and two standard errors about p as brackets."""
    errors = [2 * (a * (1 - a) / throws) ** 0.5 for a in p]
    c, scale = colours(), HEIGHT / max(*frequencies, *(a + error for a, error in zip(p, errors, strict=True)))
    width = 100 / len(tokens) - 2
    cells = "".join(
        _column(c, token, a * scale, f * scale, error * scale, f, width)
        for token, a, f, error in zip(tokens, p, frequencies, errors, strict=True)
    )
    return (
        f'<div style="container-type:inline-size"><div role="img" aria-label="{escape(title)}" style="display:flex;gap:2%;'
        f'align-items:flex-end;color:{c["ink"]};overflow:hidden">{cells}</div></div>'
        f'<div style="color:{c["ink"]};margin-top:.4rem">{escape(title)}</div>'
    )


def _column(c, token, high, dot, error, frequency, width) -> str:
    """width: of the column, in hundredths of the chart's; a long token gets a smaller type, so that none is cut off."""
    middle = "position:absolute;left:50%;box-sizing:border-box;"
    span = f"bottom:{high - error:.1f}px;height:{2 * error:.1f}px"
    bracket = f"{middle}width:1px;margin-left:-1px;{span};border-left:2px solid {c['ink']}"
    ends = "".join(
        f'<div style="{middle}width:22px;margin-left:-11px;bottom:{at - 1:.1f}px;height:2px;background:{c["ink"]}"></div>'
        for at in (high - error, high + error)
    )
    return (
        f'<div style="flex:1;min-width:0;text-align:center">'
        f'<div style="position:relative;height:{HEIGHT + 34}px;border-bottom:2px solid {c["line"]}">'
        f'<div style="position:absolute;left:18%;right:18%;bottom:0;height:{high:.1f}px;background:{c["p"]}"></div>'
        f'<div style="{bracket}"></div>{ends}'
        f'<div style="{middle}width:12px;height:12px;margin-left:-6px;bottom:{dot - 6:.1f}px;border-radius:6px;'
        f'background:{c["paper"]};border:3px solid {c["ink"]}"></div>'
        f'<div style="position:absolute;left:0;right:0;bottom:{max(high + error, dot) + 8:.1f}px;font-size:.9rem;'
        f'font-variant-numeric:tabular-nums">{escape(_share(frequency))}</div></div>'
        f'<div style="font-size:min(1.4rem, {width / _ems(token):.1f}cqw);line-height:2rem;white-space:nowrap">'
        f"{escape(token) or '∎'}</div></div>"
    )


def _ems(token: str) -> float:
    """Width of a token in em, about: a Chinese character is square, a letter is little more than half of that."""
    return max(1.0, sum(1.0 if ord(char) > 0x2E7F else 0.62 for char in token))


def _share(x: float) -> str:
    return "0" if x == 0 else "<.001" if x < 0.0005 else f"{x:.3f}"
