"""What speculative decoding gains: the sum that is always true, the formula as its special case, and the curves of speed-up.

The picture is in the .js files; formula.js is specviz/speedup.py once more, held to it by a test.
"""

from __future__ import annotations

from specviz.ui import palette
from specviz.ui.components import component, source

# No DOM: the formulas, the bars, the questions, sizes and scales.
PURE = ("words.js", *(f"speedup/{name}.js" for name in ("formula", "places", "tasks", "layout")))
DRAWN = (
    "page.js",
    "report.js",
    "dom.js",
    *(f"speedup/{name}.js" for name in ("strips", "columns", "curves", "papers", "aside", "controls", "time", "main")),
)

MODES = ("sum", "power", "speed", "find", "papers")
MOST_PLACES = 20  # of the γ slider and of the bars

_mount = component(
    "specviz_speedup",
    html=source("speedup/speedup.html"),
    css=palette.css() + source("speedup/speedup.css"),
    js=source(*PURE, *DRAWN),
)


def speedup(
    key,
    *,
    alpha,
    gamma,
    c,
    s,
    survival,
    preset=None,
    mode=None,
    task=1,
    trap=False,
    row=None,
    presets=(),
    tables=(),
    labels,
    on_change=None,
):
    """Mount the picture and return its result; `result.state` is where the reader came to rest, None before that.

    key: constant for one place on the page; new data with the same key never remounts.
    alpha, gamma, c, s: the sliders; gamma at most 20; s is the slope of v(k) = 1 + s·(k − 1).
    survival: the bars of the first mode, chances that never rise, at least one; places beyond go on like the last.
    preset: the code of the preset these bars are, or None; presets: [{"code", "name", "survival", "rounds"?, "tokens"?}].
    mode: one of MODES; None is a first visit, whose bars rise by themselves. task: 1..3 of the questions.
    trap: whether the formula is also fed with accepted ÷ proposed. row: the name of the published row that is chosen.
    tables: [{"name", "label", "source", "conditions", "rows": [{"name", "gamma", "alpha", "c", "measured", …}]}].
    labels: the table [speedup] of the reader's language.
    on_change: called when the reader lets go of a slider or a bar, or presses a button.

    state: {"alpha", "gamma", "c", "s", "survival", "preset", "mode", "task", "trap", "row"}: this function's own arguments.
    """
    return _mount(
        key=key,
        data={
            "alpha": float(alpha),
            "gamma": int(gamma),
            "c": float(c),
            "s": float(s),
            "survival": [float(x) for x in survival],
            "preset": preset,
            "mode": mode,
            "task": int(task),
            "trap": bool(trap),
            "row": row,
            "presets": [{**entry, "survival": [float(x) for x in entry["survival"]]} for entry in presets],
            "tables": list(tables),
            "labels": dict(labels),
        },
        default={"state": None},
        height="content",
        on_state_change=on_change or _nothing,
    )


def _nothing():
    """Streamlit keeps a component's state only where a callback names it."""
