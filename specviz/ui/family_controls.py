"""The controls of a run of all drafters: pair, prompt, ready texts, settings, who guesses. Every one travels in the address."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from specviz import examples, kinds
from specviz.engine.service import Job
from specviz.engine.work import Family
from specviz.errors import BadInput
from specviz.settings import Settings
from specviz.ui import controls, guessers, i18n, jobs, pair, widgets

KEY = "family_"  # before the name of every control here
DEFAULTS = {"gamma": 4, "temperature": 0.0, "length": 64, "seed": 0}
REACH = {"gamma": (1, 12), "temperature": (0.0, 2.0), "length": (1, 256), "seed": (0, 2**53 - 1)}


@dataclass
class Asked:
    """What the controls say: a request, or why there is none; who cannot serve this pair and why; whether Run was pressed."""

    request: Family | None
    error: BadInput | None
    pressed: bool
    refused: dict[str, BadInput]


def show(busy: Job | None) -> Asked:
    """Draw the controls and read them; while a run is on, Cancel stands where Run was."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
        name = pair.choose()
        offered = guessers.offered(name)
        refused = {code: reason for code, reason in offered.items() if reason}
        _follow(name)
        prompt = widgets.keep(
            st.text_input,
            i18n.t("drafters.prompt"),
            controls.in_one_line(start(name)["prompt"]),
            key=f"{KEY}prompt",
            placeholder=i18n.t("round.prompt_hint"),
            label_visibility="collapsed",
            max_chars=controls.LONGEST_PROMPT,
        )
        _texts(name)
        now = {one: f"{round(_now(one), 2):g}" for one in ("gamma", "temperature", "length")}
        with st.popover(i18n.t("drafters.settings", seed=_now("seed"), **now)):
            told = _settings(name)
        codes = [code for code, reason in offered.items() if not reason]
        with st.popover(_who_says(codes), key="family_who"):
            wanted = _who(codes)
            knobs = guessers.knobs(name, wanted, KEY)
        label = i18n.t("drafters.run" if wanted == codes else "drafters.run_some")
        pressed = jobs.start(label, "family_run", busy, type="primary", icon=":material/play_arrow:")
    try:
        if not prompt.strip():
            raise BadInput("empty_prompt")
        if not wanted:
            raise BadInput("no_drafters")
        request = Family(name, prompt.replace(controls.LINE_END, "\n"), Settings(**told, **knobs), tuple(wanted))
        return Asked(request, None, pressed, refused)
    except BadInput as error:
        return Asked(None, error, pressed, refused)


def start(name: str) -> dict:
    """{"prompt", "settings"} the controls begin with: those of the recorded run, else a ready text."""
    recorded = examples.family(name)
    if recorded:
        return {"prompt": recorded["prompt"], "settings": recorded["settings"]}
    return {"prompt": next(iter(kinds.ready(name).values())), "settings": {}}


def kind_of(name: str, prompt: str) -> str | None:
    """The kind of ready text a prompt is; None for one that somebody typed."""
    return next((kind for kind, text in kinds.ready(name).items() if text == prompt), None)


def _now(name: str):
    return widgets.now(f"{KEY}{name}", DEFAULTS[name])


def _texts(name: str) -> None:
    """A list of ready texts, each showing what one drafter lives on; what is taken fills the prompt."""
    ready = kinds.ready(name)

    def taken(kind):
        st.session_state[f"{KEY}prompt"] = controls.in_one_line(ready[kind])
        st.session_state[f"{KEY}chat"] = kind == "chat" and pair.chats(name)

    says = i18n.t("drafters.texts")
    widgets.take(says, list(ready), "family_text", lambda kind: i18n.t(f"drafters.text_{kind}"), taken, width=180)


def _settings(name: str) -> dict:
    """gamma, temperature, length, seed, and whether the prompt is a chat message."""

    def of(one):
        low, high = REACH[one]
        return {"label": i18n.t(f"round.{one}"), "value": DEFAULTS[one], "key": KEY + one, "min_value": low, "max_value": high}

    gamma = widgets.keep(st.slider, **of("gamma"))
    temperature = widgets.temperature(**of("temperature"))
    length = widgets.keep(st.slider, **of("length"))
    seed = widgets.keep(st.number_input, **of("seed"), step=1)
    chat = pair.chats(name) and widgets.keep(st.toggle, i18n.t("round.chat"), False, key=f"{KEY}chat")
    return {
        "gamma": gamma,
        "temperature": temperature,
        "max_new_tokens": length,
        "seed": int(seed or 0),
        "chat": bool(chat),
    }


def _who_says(codes: list[str]) -> str:
    n = len(_chosen(codes))
    return i18n.t("drafters.who_one") if n == 1 else i18n.t("drafters.who", n=n)


def _chosen(codes: list[str]) -> list[str]:
    """Those that are asked for: as the pills stand, else as the address has it, else all."""
    asked = st.session_state.get("family_drafters")
    if asked is None and "drafters" in st.query_params:
        asked = st.query_params["drafters"].split(",")
    if asked is None:
        asked = st.session_state.get("_family_drafters")
    return codes if asked is None else [code for code in codes if code in asked]


def _who(codes: list[str]) -> list[str]:
    chosen = st.pills(
        i18n.t("drafters.who_label"),
        codes,
        selection_mode="multi",
        default=_chosen(codes),
        key="family_drafters",
        format_func=guessers.title,
    )
    chosen = [code for code in codes if code in chosen]
    st.session_state["_family_drafters"] = chosen
    if chosen == codes:
        st.query_params.pop("drafters", None)
    else:
        st.query_params["drafters"] = ",".join(chosen)
    return chosen


def _follow(name: str) -> None:
    """Another pair brings its own prompt, unless one was typed."""
    before, st.session_state["_family_pair"] = st.session_state.get("_family_pair"), name
    if before in (None, name):
        return
    ours = {controls.in_one_line(text) for text in (*kinds.ready(before).values(), start(before)["prompt"])}
    if st.session_state.get(f"{KEY}prompt") in ours:
        kind = kind_of(before, (st.session_state[f"{KEY}prompt"] or "").replace(controls.LINE_END, "\n"))
        st.session_state[f"{KEY}prompt"] = controls.in_one_line(kinds.ready(name).get(kind) or start(name)["prompt"])
