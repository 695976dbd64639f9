"""The table that is a picture: a row a drafter, its text by origin, what it guesses and costs; sort it, open a row."""

from specviz.ui import palette
from specviz.ui.components import component, source

# No DOM: in which order the rows stand, and how long their bars are.
PURE = ("words.js", "roofline/scale.js", "family/order.js")
DRAWN = ("page.js", "family/glyphs.js", "family/row.js", "family/main.js")

_mount = component(
    "specviz_family",
    html=source("family/family.html"),
    css=palette.css() + source("family/family.css"),
    js=source(*PURE, *DRAWN),
)


def family(key, *, rows, run, says, share, recorded, busy, sort, chosen, lines, labels, on_choice=None):
    """Mount the picture and return its result; `result.choice` is {"drafter", "sort"} where the reader came to rest.

    rows: of `specviz.family.rows`, each with its words besides: name, about, says (why there are no figures), trained,
    lossless, lossless_says.
    run: names the run; with another one the order is made anew. says: one line on it. share: 0..1 while it goes on, else None.
    recorded: whether it is a recorded one. busy: whether the machine was, so that its times prove nothing: they are drawn so.
    sort: "" (as they come) or a column, with "-" before it for the reverse; chosen: the code of the row that is open.
    Both are the reader's own once the picture stands.
    lines: of text in a row, 1 or 2. labels: the table [family] of the reader's language.
    on_choice: called when the reader opens a row or sorts.
    """
    return _mount(
        key=key,
        data={
            "rows": rows,
            "run": run,
            "says": says,
            "share": share,
            "recorded": bool(recorded),
            "busy": bool(busy),
            "sort": sort,
            "chosen": chosen,
            "lines": lines,
            "labels": dict(labels),
        },
        default={"choice": None},
        height="content",
        on_choice_change=on_choice or _nothing,
    )


def _nothing():
    """Streamlit keeps a component's state only where a callback names it."""
