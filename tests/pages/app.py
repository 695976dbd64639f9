"""One page of the app in a visitor's hands, without a browser."""

import json
import re
from pathlib import Path

from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parent.parent.parent


def open_page(name, **query):
    """With the poem pair unless the address names another: what tests type is Chinese."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    for key, value in {"pair": "poem", **query}.items():
        app.query_params[key] = value
    app.run()
    return app if name == "home" else app.switch_page(f"pages/{name}.py").run()


def component(app):
    return list(app.get("bidi_component"))


def state_of(app):
    """What the page hands to its first component."""
    return json.loads(component(app)[0].proto.json)[0]


def errors(app) -> list[str]:
    """The refusals on a page, as they are read: without what keeps Markdown away from them."""
    return [re.sub(r"\\(.)", r"\1", error.value) for error in app.error]
