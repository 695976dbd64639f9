"""The player on another machine's clock: the same verdicts, every pass priced by the roofline or as measured here."""

from specviz import clock as pricing
from specviz import roofline
from specviz.ui import palette
from specviz.ui.components import component, player, source

PURE = (*player.PURE, "clock/price.js")
DRAWN = (*(name for name in player.DRAWN if name != "player/main.js"), "clock/main.js")
STOPS = {
    "target": [x * 1e9 for x in (0.5, 1, 2, 3, 4, 8, 14, 32, 70, 140, 405, 700)],
    "draft": [x * 1e9 for x in (0.05, 0.1, 0.25, 0.5, 1, 2, 3, 4, 8, 14, 32, 70)],
    "batch": [2**i for i in range(10)],
    "context": [0, *(2**i for i in range(9, 18))],
}
START = {"device": "h200-sxm", "dtype": "bf16", "target": 70e9, "draft": 1e9, "batch": 1, "context": 2048}

_mount = component(
    "specviz_clock",
    html=source("clock/clock.html").replace("PLAYER", source("player/player.html")),
    css=palette.css() + source("player/player.css", "clock/clock.css"),
    js=source(*PURE, *DRAWN),
)


def facts(measured: dict | None) -> dict:
    """What the picture needs to price a pass: devices, bytes a weight, the family of shapes, the stops of the sliders.

    measured: {"target_ms", "c", "v": [v(1), v(2), …]} of this machine, or None.
    """
    return {
        "devices": {
            code: {"name": d.name, "memory": d.memory, "bandwidth": d.bandwidth, "tflops": dict(d.tflops)}
            for code, d in roofline.DEVICES.items()
        },
        "bytes": dict(roofline.BYTES),
        "family": [list(member) for member in pricing.FAMILY],
        "kv_heads": pricing.KV_HEADS,
        "stops": STOPS,
        "measured": measured,
    }


def clock(key, *, trace, trace_id, recorded, start, measured=None, labels, player_labels, on_choice=None):
    """Mount the clock and return its result; `result.choice` is what the reader last chose, None before that.

    trace: Trace JSON of a finished run. start: the choice to begin with, as START. measured: as in `facts`.
    labels, player_labels: the tables [clock] and [player] of the reader's language.
    on_choice: called when the reader lets go of a control.
    """
    return _mount(
        key=key,
        data={
            "trace": trace,
            "trace_id": f"clock-{trace_id}",
            "recorded": bool(recorded),
            "start": dict(start),
            "facts": facts(measured),
            "labels": dict(labels),
            "player_labels": dict(player_labels),
        },
        default={"choice": None},
        height="content",
        on_choice_change=on_choice or _nothing,
    )


def _nothing():
    """Streamlit keeps a component's state only where a callback names it."""
