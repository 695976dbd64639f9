"""What every page stands in: page config, navigation, the language switch, the style of the whole."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from specviz.ui import address, i18n
from specviz.ui.palette import THEMES

ROOT = Path(__file__).parent.parent.parent
ROOMS = Path(__file__).parent / "rooms.toml"
# Those that exist, in the order of the lesson.
CHAPTERS = ("bottleneck", "round", "rule", "speedup", "drafters", "one_page", "models")
# Streamlit writes white on the bright blue of the dark theme, which is 2:1.
_DARK = 'button[kind="primary"], button[kind="primary"] p, button[kind="primary"] span { color: #0E1117; }'
_STYLE = (Path(__file__).parent / "frame.css").read_text(encoding="utf-8")
_SCRIPTS = "".join((Path(__file__).parent / f"{name}.js").read_text(encoding="utf-8") for name in ("address", "focus"))


def pages() -> dict[str, st.Page]:
    """Name -> page, home first."""
    names = ("home", *CHAPTERS)
    return {
        name: st.Page(ROOT / "pages" / f"{name}.py", title=i18n.t(f"{name}.title"), url_path=name, default=name == "home")
        for name in names
    }


def run() -> None:
    """Run the page that was asked for inside the frame; called by app.py."""
    st.set_page_config(page_title="specviz", page_icon="🎯", layout="wide", initial_sidebar_state="collapsed")
    address.restore()
    i18n.language()
    chosen = st.navigation(list(pages().values()), position="top")
    style()
    with st.container(key="corner"):
        i18n.switch()
    st.session_state["_entered"] = st.session_state.get("_page") != chosen.url_path
    st.session_state["_page"] = chosen.url_path
    chosen.run()


def style() -> None:
    """The look of every page, what it is to the browser's history, and where the keyboard stands."""
    st.html(f"<script>{_SCRIPTS}</script>", unsafe_allow_javascript=True)
    st.html(f"<style>{look('dark' if st.context.theme.type == 'dark' else 'light')}{rooms(i18n.language())}</style>")


def look(theme: str) -> str:
    """The style sheet of the page in a theme, whose colours it takes for what Streamlit does not draw."""
    c = THEMES[theme]
    return f":root {{ --wide-paper: {c['paper']}; --wide-shadow: {c['quiet']}; }}\n{_STYLE}{_DARK if theme == 'dark' else ''}"


@cache
def rooms(code: str) -> str:
    """Style that keeps free what each picture will need, so that nothing below it moves when it comes.

    A picture's height follows the width it is given, and the language: a float that is nothing but height holds it.
    """
    rules = []
    for key, heights in tomllib.loads(ROOMS.read_text(encoding="utf-8")).get(code, {}).items():
        rules.append(f".st-key-{key} {{ display: flow-root; container: room / inline-size; }}")
        rules.append(f'.st-key-{key}::before {{ content: ""; float: left; }}')
        for width, height in heights.items():
            rules.append(f"@container room (min-width: {width}px) {{ .st-key-{key}::before {{ height: {height}px; }} }}")
    return "\n".join(rules)


def enter() -> None:
    """First line of every page.

    With a pages/ folder beside app.py, Streamlit runs a page file alone when the very first request after a server
    start is a deep link. Then the whole frame is run from here instead.
    """
    if PagesManager.uses_pages_directory:
        run()
        st.stop()
