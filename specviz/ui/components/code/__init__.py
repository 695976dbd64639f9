"""The running code beside a player: what acts is lit, with its values. The two speak in the page, not over the server."""

from dataclasses import asdict

from specviz import listing
from specviz.ui import palette
from specviz.ui.components import component, source

# No DOM: the values of an event.
PURE = ("words.js", "player/events.js", "code/values.js")

_mount = component(
    "specviz_code",
    html=source("code/code.html"),
    css=palette.css() + source("code/code.css"),
    js=source(*PURE, "page.js", "code/view.js", "code/main.js"),
)


def code(key: str, labels: dict[str, str]) -> None:
    """Mount the listing. It follows the player of the same page and steers it.

    key: constant for one place on the page. labels: the table [code] of the reader's language.
    """
    listings = {"python": listing.python(), "paper": (listing.paper(),)}
    data = {view: [asdict(block) for block in blocks] for view, blocks in listings.items()}
    _mount(key=key, data={"listings": data, "labels": dict(labels)}, height="content")
