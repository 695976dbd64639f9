"""The pairs as a picture: what each needs at a context length against what is free here; choose one, drag the context."""

from specviz.ui import palette
from specviz.ui.components import component, source

# No DOM: what a pair needs, and how its bar is divided.
PURE = ("words.js", "roofline/scale.js", "catalogue/memory.js")
STOPS = [2**i for i in range(8, 18)]  # tokens of context

_mount = component(
    "specviz_catalogue",
    html=source("catalogue/catalogue.html"),
    css=palette.css() + source("catalogue/catalogue.css"),
    js=source(*PURE, "page.js", "catalogue/main.js"),
)


def catalogue(key, *, rows, room, chosen, context, labels, on_choice=None):
    """Mount the picture and return its result; `result.choice` is {"pair", "context"} where the reader came to rest.

    rows: a dict a pair: name, title, about (licence and language in words), sizes (target ← draft), memory: {dtype: bytes}
    of "target" and "draft", kv: {dtype: bytes a token}, most (tokens of context), held (bytes it has taken already), state
    (ready, here, busy, away) with state_says, and notes.
    room: {"free", "dtype", "says"}: bytes, the precision that loading takes here, and the machine in words.
    chosen, context: what to begin with, a pair's name and tokens, one of STOPS; then the reader's choice stands.
    labels: the table [catalogue] of the reader's language.
    on_choice: called when the reader has chosen a pair or lets go of the slider; never while dragging.
    """
    return _mount(
        key=key,
        data={
            "rows": rows,
            "room": room,
            "chosen": chosen,
            "context": context,
            "stops": STOPS,
            "labels": dict(labels),
        },
        default={"choice": None},
        height="content",
        on_choice_change=on_choice or _nothing,
    )


def _nothing():
    """Streamlit keeps a component's state only where a callback names it."""
