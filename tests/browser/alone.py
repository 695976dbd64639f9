"""The player alone on a blank page, from a trace, without a server: what Streamlit would do, done by hand."""

from specviz.locale import labels
from specviz.ui import palette
from specviz.ui.components import source
from specviz.ui.components.player import DRAWN, PURE

PAPER = {"light": "#ffffff", "dark": "#0e1117"}
SCRIPT = source(*PURE, *DRAWN).replace("export default function", "window.mountPlayer = function")
MOUNT = """
([html, css, data]) => {
  const host = document.body.appendChild(document.createElement("div")), tree = host.attachShadow({ mode: "open" });
  tree.innerHTML = "<style>" + css + "</style>" + html;
  window.show = (data) => window.mountPlayer({ data: [data], parentElement: tree, setStateValue: () => {} });
  window.show(data);
}
"""


def mount(page, trace, theme="light", language="en", plain=None, step=0):
    """Put the player on `page`, at rest at `step`; returns its root. `window.show(data)` hands it another snapshot."""
    paper = f"--st-background-color: {PAPER[theme]}; background: {PAPER[theme]}"
    page.set_content(f"<style>body {{ margin: 0 16px; {paper} }}</style>")
    page.add_script_tag(content=SCRIPT)
    return _put(page, snapshot(trace, language, plain, step))


def mount_again(page, trace, language="en", plain=None, step=None):
    """What a page switch and the way back do: the player leaves the page and is mounted anew; returns its new root."""
    page.evaluate("document.body.lastElementChild.remove()")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")  # it sees that it has left
    return _put(page, snapshot(trace, language, plain, step))


def _put(page, data):
    page.evaluate(MOUNT, [source("player/player.html"), palette.css() + source("player/player.css"), data])
    root = page.locator('[data-specviz="player"]')
    root.wait_for()
    return root


def snapshot(trace, language="en", plain=None, step=0):
    """What the page hands to the component."""
    return {
        "trace": trace, "trace_id": "a", "live": False, "recorded": False, "plain": plain, "step": step, "autoplay": False,
        "labels": labels(language)["player"],
    }  # fmt: skip
