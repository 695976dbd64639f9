"""The round, played: guess, verify, fix, from a trace that may still be growing. The picture is in the .js files."""

from specviz.ui import palette
from specviz.ui.components import component, source

# No DOM: frame(trace, events, t) and what it needs.
PURE = ("words.js", "player/events.js", "player/frames.js", "player/layout.js", "player/scenes.js")
DRAWN = (
    "page.js",
    "report.js",
    *(
        f"player/{name}.js"
        for name in ("text", "cards", "distribution", "scene", "lanes", "controls", "sum", "time", "lens", "main")
    ),
)

_mount = component(
    "specviz_player",
    html=source("player/player.html"),
    css=palette.css() + source("player/player.css"),
    js=source(*PURE, *DRAWN),
)


def player(
    key,
    *,
    trace,
    trace_id,
    live,
    recorded,
    plain=None,
    step=None,
    autoplay=True,
    labels,
    on_step=None,
    height=None,
):
    """Mount the player and return its result; `result.step` is where the reader came to rest, None before that.

    key: constant for one place on the page; new data with the same key never remounts.
    trace: Trace JSON, cumulative; rounds known so far while live, `first` null until the prefill is done.
    trace_id: names the run; the player remembers its step by it, also over page switches.
    plain: None until measured, else {"ms": [ms of each token after the first], "first_ms": ms or None, "text": str}; with
    "busy": True where these times are known to prove nothing.
    step: where a run not seen before starts (then paused); None plays from the beginning if autoplay.
    labels: the table [player] of the reader's language.
    on_step: called when the reader pauses, steps, lets go of the scrubber, or the run ends.
    height: pixels, or None for what the picture needs (about 620).
    """
    return _mount(
        key=key,
        data={
            "trace": trace,
            "trace_id": str(trace_id),
            "live": bool(live),
            "recorded": bool(recorded),
            "plain": plain,
            "step": step,
            "autoplay": bool(autoplay),
            "labels": dict(labels),
        },
        default={"step": None},
        height="content" if height is None else height,
        on_step_change=on_step or _nothing,
    )


def _nothing():
    """Streamlit keeps a component's state only where a callback names it."""
