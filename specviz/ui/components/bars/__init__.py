"""The rule, in one picture to drag, step through, rebuild in bricks and throw points at. The picture is in the .js files."""

from __future__ import annotations

from specviz.ui import palette
from specviz.ui.components import component, source

# No DOM: the rule, the generator, the rain, and what follows from them.
PURE = ("words.js", *(f"bars/{name}.js" for name in ("rule", "philox", "rain", "give", "layout", "steps")))
DRAWN = (
    "page.js",
    "report.js",
    "dom.js",
    *(f"bars/{name}.js" for name in ("plot", "handles", "bricks", "shower", "side", "controls", "time", "main")),
)

MOST_COLUMNS = 10
CROWDS = {"over": "…q>p", "under": "…p≥q"}  # columns that stand for many tokens; give.js knows them by these names

_mount = component(
    "specviz_bars",
    html=source("bars/bars.html"),
    css=palette.css() + source("bars/bars.css"),
    js=source(*PURE, *DRAWN),
)


def bars(
    key,
    *,
    p,
    q,
    tokens,
    labels,
    seed=0,
    tab=None,
    throws=0,
    step=0,
    temperature=1.0,
    preset=None,
    base=None,
    presets=None,
    from_run=None,
    on_change=None,
    height=None,
):
    """Mount the picture and return its result; `result.state` is where the reader came to rest, None before that.

    key: constant for one place on the page; new data with the same key never remounts.
    p, q: 2 to 10 probabilities each, summing to 1 (see specviz.court.check); tokens: what stands under the columns.
    labels: the table [bars] of the reader's language.
    seed: of the steps and the rain (philox.py draws the same numbers); throws: points already thrown.
    tab: steps, bricks, rain or formula; None is a first visit, whose picture moves by itself. step: 0..4 of the steps.
    temperature, base: where the slider stands and the {"p", "q"} of its T = 1, when p and q are not those.
    presets: [{"code", "name", "tokens", "p", "q", "temperature"?}]; preset: the code of the one that is shown, or None.
    from_run: one more, of the visitor's own run, or None.
    on_change: called when the reader lets go of a handle, presses a button, or an animation ends.
    height: pixels, or None for what the picture needs (about 620).

    state: {"p", "q", "tokens", "seed", "throws", "tab", "step", "temperature", "preset", "base"}: this function's own
    arguments, so that `bars(key, labels=labels, **state)` shows it again.
    """
    return _mount(
        key=key,
        data={
            "p": _row(p),
            "q": _row(q),
            "tokens": [str(token) for token in tokens],
            "labels": dict(labels),
            "seed": int(seed),
            "tab": tab,
            "throws": int(throws),
            "step": int(step),
            "temperature": float(temperature),
            "preset": preset,
            "base": {"p": _row(base["p"]), "q": _row(base["q"])} if base else None,
            "presets": [_plain(entry) for entry in presets or []],
            "from_run": _plain(from_run) if from_run else None,
        },
        default={"state": None},
        height="content" if height is None else height,
        on_state_change=on_change or _nothing,
    )


def examples(labels) -> list[dict]:
    """The invented presets: alike, disjoint, one-hot, a peaked draft, and T = 0."""
    tokens = list(labels["example_tokens"].split())
    p, q = [0.30, 0.25, 0.18, 0.12, 0.09, 0.06], [0.12, 0.34, 0.24, 0.05, 0.20, 0.05]
    rows = {
        "dragged": (p, q),
        "alike": ([0.30, 0.25, 0.18, 0.12, 0.09, 0.06], [0.28, 0.27, 0.17, 0.13, 0.08, 0.07]),
        "disjoint": ([0.45, 0.35, 0.20, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.25, 0.40, 0.35]),
        "one_hot": ([1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.40, 0.20, 0.15, 0.10, 0.10, 0.05]),
        "peaked": (p, [0.02, 0.90, 0.03, 0.02, 0.02, 0.01]),
    }
    entries = [
        {"code": code, "name": labels[f"example_{code}"], "tokens": tokens, "p": a, "q": b} for code, (a, b) in rows.items()
    ]
    return [*entries, entries[0] | {"code": "zero", "name": labels["example_zero"], "temperature": 0.0}]


def of_place(token: dict, code: str, name: str) -> dict:
    """A judged place of a trace (its `top` and `rest`) as a preset: real tokens and the two rest columns.

    At most ten columns: the least of the top tokens join the rest of their own side, so that β stays exact.
    """
    top = sorted(token["top"], key=lambda t: max(t[2] or 0, t[3] or 0), reverse=True)
    rest = {side: dict((token.get("rest") or {}).get(side) or {"p": 0.0, "q": 0.0}) for side in ("over", "under")}
    shown = [t for t in top if t[0] == token.get("id")] or top[:1]
    shown += [t for t in top if t not in shown][: MOST_COLUMNS - 2 - len(shown)]
    for t in top:
        if t not in shown:
            side = rest["over" if (t[3] or 0) > (t[2] or 0) else "under"]
            side["p"] += t[2] or 0
            side["q"] += t[3] or 0
    columns = [(t[1], t[2] or 0.0, t[3] or 0.0) for t in top if t in shown]
    columns += [(CROWDS[name], side["p"], side["q"]) for name, side in rest.items() if side["p"] or side["q"]]
    tokens, p, q = zip(*columns, strict=True)
    return {"code": code, "name": name, "tokens": list(tokens), "p": [x / sum(p) for x in p], "q": [x / sum(q) for x in q]}


def _row(values) -> list[float]:
    return [float(x) for x in values]


def _plain(entry: dict) -> dict:
    """A preset as plain numbers: NumPy's would turn the whole payload into a string."""
    plain = {
        "code": str(entry["code"]),
        "name": str(entry["name"]),
        "tokens": [str(t) for t in entry["tokens"]],
        "p": _row(entry["p"]),
        "q": _row(entry["q"]),
    }
    return plain | ({"temperature": float(entry["temperature"])} if entry.get("temperature") is not None else {})


def _nothing():
    """Streamlit keeps a component's state only where a callback names it."""
