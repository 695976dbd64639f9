"""What one pass costs, reading against multiplying: to drag, and to hold against this machine. The .js files draw it."""

from __future__ import annotations

from specviz import roofline as model
from specviz.ui import palette
from specviz.ui.components import component, source

# No DOM: the price of a pass, scales, what the picture says, which units are lit.
PURE = ("words.js", *(f"roofline/{name}.js" for name in ("price", "scale", "says", "stream")))
DRAWN = ("page.js", "report.js", "dom.js", *(f"roofline/{name}.js" for name in ("bars", "flow", "curve", "controls", "main")))

DTYPES = ("fp32", "bf16", "fp8", "int8", "int4")
DTYPE_NAMES = {dtype: dtype.upper() for dtype in DTYPES}
# How far the sliders go; what is typed may lie anywhere within roofline.LIMITS.
ENDS = {"params": (1e8, 7e11), "tokens": (1, 1024), "context": (0, 1_000_000), "batch": (1, 1024)}
SHAPE = ("layers", "kv_heads", "head_dim", "heads")
OWN = ("bandwidth", "tflops", "memory")
FRESH = {
    **{"params": 70e9, "dtype": "bf16", "device": "h100-sxm", "tokens": 1, "context": 0, "batch": 1},
    **vars(model.Shape()),
    **{"bandwidth": 1.0, "tflops": None, "memory": None},
}

_mount = component(
    "specviz_roofline",
    html=source("roofline/roofline.html"),
    css=palette.css() + source("roofline/roofline.css"),
    js=source(*PURE, *DRAWN),
)


def roofline(key, *, values, labels, sources, measured=None, turn=0, on_change=None):
    """Mount the picture and return its result; `result.state` is where the reader came to rest, None before that.

    key: constant for one place on the page; new data with the same key never remounts.
    values: the controls, by the names of FRESH: weights, precision, device code, tokens, context, batch, the KV shape,
    and the reader's own numbers. device "this" needs `measured`.
    labels, sources: the tables [roofline] and [sources] of the reader's language.
    measured: the last report of specviz.engine.measure.bottleneck, or None.
    turn: another number whenever the page, not the reader, has moved the picture: then `values` hold whatever was dragged.
    on_change: called when the reader lets go of a slider, has typed, or has chosen; never while dragging.

    state: the values, and the turn they were set in: those of an earlier one came too late.
    """
    own = [values["dtype"], *([measured["model"]["dtype"]] if measured else [])]  # a model may be in one that is not offered
    offered = [*DTYPES, *sorted({dtype for dtype in own if dtype not in DTYPES})]
    dtypes = [{"code": code, "name": code.upper()} for code in offered]
    return _mount(
        key=key,
        data={
            **world(measured),
            "dtypes": dtypes,
            "turn": int(turn),
            "values": dict(values),
            "labels": dict(labels),
            "sources": dict(sources),
        },
        default={"state": None},
        height="content",
        on_state_change=on_change or _nothing,
    )


def world(measured=None) -> dict:
    """Everything about devices and sizes that the JavaScript knows; it copies none of it."""
    devices = [device.to_json() for device in model.DEVICES.values()]
    return {
        "devices": devices + ([measured["device"]] if measured else []),
        "bytes": dict(model.BYTES),
        "dtypes": [{"code": code, "name": name} for code, name in DTYPE_NAMES.items()],
        "limits": {name.replace("-", "_"): list(ends) for name, ends in model.LIMITS.items()},
        "ends": {name: list(ends) for name, ends in ENDS.items()},
        "measured": measured and {"model": measured["model"], "passes": measured["passes"]},
    }


def _nothing():
    """Streamlit keeps a component's state only where a callback names it."""
