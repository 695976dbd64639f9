"""The controls of a run: prompt, γ, temperature, seed, length, examples, Run. Every one travels in the address."""

from __future__ import annotations

import re
from dataclasses import dataclass

import streamlit as st

from specviz import examples
from specviz.engine.service import Job
from specviz.engine.work import Request
from specviz.errors import BadInput
from specviz.settings import Settings
from specviz.ui import guessers, i18n, jobs, pair, widgets

DEFAULTS = {"gamma": 4, "temperature": 1.0}
REACH = {"gamma": (1, 12), "temperature": (0.0, 2.0), "length": (1, 256), "seed": (0, 2**53 - 1)}
_HAN = re.compile(r"[\u3400-\u9fff]")
LINE_END = "↵"  # as the player writes it; typed or not, it ends a line of the prompt
LONGEST_PROMPT = 4000  # characters; the tokens are counted against the context when the run starts


@dataclass
class Asked:
    """What the controls say now: a request, or why there is none; and whether Run was pressed just now."""

    request: Request | None
    error: BadInput | None
    run: bool
    busy: bool = False  # Cancel stood where Run would


def show(busy: Job | None) -> Asked:
    """Draw the controls and read them; while a run is on, Cancel stands where Run was."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
        name = pair.choose()
        _follow(name)
        opening = examples.opening(pair.recorded(name))
        prompt = widgets.keep(
            st.text_input,
            i18n.t("round.prompt"),
            in_one_line(opening["prompt"]),
            key="prompt",
            placeholder=i18n.t("round.prompt_hint"),
            label_visibility="collapsed",
            max_chars=LONGEST_PROMPT,
        )
        _examples(name)
        with st.popover(_chosen(name, opening), key="settings"):
            gamma = widgets.keep(st.slider, i18n.t("round.gamma"), DEFAULTS["gamma"], key="gamma", **_reach("gamma"))
            temperature = widgets.temperature(
                i18n.t("round.temperature"), DEFAULTS["temperature"], "temperature", **_reach("temperature")
            )
            longest = opening["settings"]["max_new_tokens"]
            length = widgets.keep(st.slider, i18n.t("round.length"), longest, key="length", **_reach("length"))
            seed = widgets.keep(
                st.number_input,
                i18n.t("round.seed"),
                opening["settings"]["seed"],
                key="seed",
                step=1,
                **_reach("seed"),
            )
            chat = _chat(name)
            drafter = guessers.choose(name, "drafter")
            knobs = guessers.knobs(name, [drafter])
        run = jobs.start(i18n.t("round.run"), "run", busy, type="primary", icon=":material/play_arrow:")
    try:
        settings = Settings(gamma, temperature, max_new_tokens=length, seed=int(seed or 0), drafter=drafter, chat=chat, **knobs)
        if not prompt.strip():
            raise BadInput("empty_prompt")
        return Asked(Request(name, prompt.replace(LINE_END, "\n"), settings), None, run, bool(busy))
    except BadInput as error:
        return Asked(None, error, run, bool(busy))


def example(asked: Asked) -> str:
    """The recorded run to show when no other is at hand: the one the controls describe, or the opening."""
    now = pair.chosen()
    own = examples.BY_PAIR.get(now, ())
    same = [name for name in own if asked.request and matches(asked.request, name)]
    last = st.session_state.get("_example")
    return same[0] if same else last if last in own else examples.OPENING[pair.recorded(now)]


def matches(request: Request, name: str) -> bool:
    """Whether the controls still say what this example was recorded with."""
    recorded = examples.load(name)
    return request == Request(recorded["pair"], recorded["prompt"], Settings.from_json(recorded["settings"]))


def is_foreign(request: Request) -> bool:
    """Whether a pair that has read one language only cannot know what this prompt says."""
    letters = [character for character in request.prompt if character.isalpha()]
    han = len(_HAN.findall(request.prompt))
    chinese, latin = han >= len(letters) / 2, han < len(letters) / 2 and sum(map(str.isascii, letters)) > len(letters) / 2
    return bool(letters) and not {"zh": chinese, "en": latin}.get(pair.reads(request.pair), True)


def _follow(name: str) -> None:
    """Where the pair has changed, a prompt that nobody typed gives way to the opening of the new one."""
    before = st.session_state.get("_controls_pair")
    st.session_state["_controls_pair"] = name
    if before in (None, name):
        return
    typed = st.session_state.get("prompt")
    if typed in {in_one_line(examples.load(other)["prompt"]) for other in examples.NAMES}:
        _set(examples.opening(pair.recorded(name)))
        st.session_state.update(_example=None, _shown=None)


def in_one_line(prompt: str) -> str:
    """As it stands in a field of one line, which would drop the ends of lines without a word."""
    return prompt.replace("\n", LINE_END)


def _set(recorded: dict) -> None:
    """Make the controls say what a run was recorded with."""
    settings = recorded["settings"]
    st.session_state.update(
        prompt=in_one_line(recorded["prompt"]),
        gamma=settings["gamma"],
        temperature=float(settings["temperature"]),
        seed=settings["seed"],
        length=settings["max_new_tokens"],
    )
    st.query_params.pop("step", None)


def _reach(key: str) -> dict:
    low, high = REACH[key]
    return {"min_value": low, "max_value": high}


def _chat(name: str) -> bool:
    """Whether the prompt goes as a chat message; asked only where the pair has a template for one, and then at first so."""
    return pair.chats(name) and widgets.keep(st.toggle, i18n.t("round.chat"), True, key="chat")


def _chosen(name: str, opening: dict) -> str:
    return i18n.t(
        "round.chosen",
        gamma=widgets.now("gamma", DEFAULTS["gamma"], REACH["gamma"]),
        temperature=round(widgets.now("temperature", DEFAULTS["temperature"], REACH["temperature"]), 2),
        seed=widgets.now("seed", opening["settings"]["seed"], REACH["seed"]),
    ) + guessers.named(name, "drafter")


def _examples(name: str) -> None:
    own = examples.BY_PAIR.get(name, ())

    def taken(example):
        recorded = examples.load(example)
        _set(recorded)
        guessers.put("drafter", recorded["settings"]["drafter"])
        st.session_state.update(_example=example, _shown=None)

    says = i18n.t("round.examples")
    widgets.take(says, own, "example", lambda code: i18n.t(f"examples.{code}"), taken, disabled=not own, width=190)
