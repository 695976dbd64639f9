"""The draggable picture of the rule with its state: in the session, in the address, and from the visitor's last run."""

from __future__ import annotations

import json

import streamlit as st

from specviz import court, examples, locale
from specviz.errors import BadInput
from specviz.ui import address, i18n, stage
from specviz.ui.components.bars import bars, of_place
from specviz.ui.components.bars import examples as invented

KEY = "bars"
NUMBERS = {"seed": int, "throws": int, "step": int, "temperature": float}
FRESH = {"seed": 0, "throws": 0, "step": 0, "temperature": 1.0}
MODES = ("steps", "bricks", "rain", "formula")


def show() -> None:
    labels = i18n.table("bars")
    presets = [*invented(labels), of_place(poem_place(), "poem", i18n.t("rule.poem_place"))]
    bars(
        KEY,
        **_state(),
        labels=labels,
        presets=presets,
        from_run=_from_run(),
        on_change=_changed,
    )
    st.markdown(i18n.prose("rule"))


def poem_place() -> dict:
    """A guess of a recorded run at whose place the two models disagree over several tokens: how 低鬟独夜 goes on."""
    return examples.load("lucky")["trace"]["rounds"][1]["draft"][1]


def distributions() -> tuple[list[str], list[float], list[float]]:
    """Tokens, p and q that the picture shows now, for others to put on trial."""
    state = _state()
    return state["tokens"], state["p"], state["q"]


def _state() -> dict:
    """The picture as the visitor left it, or as the address has it; the address then has it too."""
    if "_bars" not in st.session_state:
        st.session_state["_bars"] = _from_address(_start(invented(i18n.table("bars"))[0]))
    if "p" not in st.query_params:
        _to_address(st.session_state["_bars"])  # a change of page has emptied it
    state = st.session_state["_bars"]
    if state["tokens"] in _own_tokens():
        state = st.session_state["_bars"] = {**state, "tokens": invented(i18n.table("bars"))[0]["tokens"]}
        _to_address(state)
    return state


def _own_tokens() -> list[list[str]]:
    """The invented tokens as the other languages have them: they follow the reader's language, a reader's own do not."""
    return [invented(locale.labels(code)["bars"])[0]["tokens"] for code in locale.LANGUAGES if code != i18n.language()]


def _start(preset) -> dict:
    return {name: preset[name] for name in ("tokens", "p", "q")}


def _from_run() -> dict | None:
    """The first rejected place of the visitor's last run, or its first guess."""
    job = stage.shown_job()
    trace = job and job.snapshot()
    guesses = [g for r in (trace or {}).get("rounds", ()) for g in r["draft"] if g["verdict"] != "discarded"]
    chosen = next((g for g in guesses if g["verdict"] == "rejected"), guesses[0] if guesses else None)
    return chosen and of_place(chosen, "run", i18n.t("rule.my_run", token=chosen["text"]))


def _changed() -> None:
    mounted = st.session_state.get(KEY)
    state = mounted.get("state") if mounted else None
    if not state:
        return
    st.session_state["_bars"] = dict(state)
    _to_address(state)


def _to_address(state: dict) -> None:
    base = state.get("base") or {"p": [], "q": []}
    st.query_params.update(
        p=_joined(state["p"]),
        q=_joined(state["q"]),
        base_p=_joined(base["p"]),
        base_q=_joined(base["q"]),
        tokens=json.dumps(state["tokens"], ensure_ascii=False),
        mode=state.get("tab") or MODES[0],
        **{name: str(kind(state.get(name, FRESH[name]))) for name, kind in NUMBERS.items()},
    )


def _joined(row) -> str:
    return ",".join(f"{x:.12g}" for x in row)


def _from_address(start: dict) -> dict:
    """The state a link carries, and `start` where it carries none or what cannot be used, which is said."""
    named = "p" if st.query_params.get("p") else "q"  # one without the other is said, not passed over
    found = address.read({
        named: lambda _: _pair("p", "q"),
        "base_p": lambda _: _pair("base_p", "base_q"),
        "mode": address.one_of("mode", MODES),
        **{name: address.number(name, kind, low=0) for name, kind in NUMBERS.items()},
    })  # fmt: skip
    state, base = {**start, "tab": found.pop("mode", None)}, found.pop("base_p", None)
    if pair := found.pop(named, None):
        state |= {**pair, "tokens": _tokens(st.query_params.get("tokens", ""), len(pair["p"]))}
        state["base"] = base if base and len(base["p"]) == len(pair["p"]) else None
    return state | found


def _pair(p_name, q_name) -> dict:
    """p and q under these names in the address; BadInput where one of them is missing or cannot be used."""
    texts = [st.query_params.get(name) for name in (p_name, q_name)]
    p, q = court.check(*(address.numbers(name, text) if text else [] for name, text in zip("pq", texts, strict=True)))
    if len(p) > 10:
        raise BadInput("law_too_long", most=10)
    return {"p": p.tolist(), "q": q.tolist()}


def _tokens(text, count) -> list[str]:
    try:
        tokens = json.loads(text)
    except (ValueError, RecursionError):  # brackets without end are no list either
        tokens = None
    good = isinstance(tokens, list) and len(tokens) == count and all(isinstance(t, str) and len(t) <= 20 for t in tokens)
    return tokens if good else [chr(97 + i) for i in range(count)]
