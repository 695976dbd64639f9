"""The court: the engine's own rule thrown at a real position, whole texts of the whole engine, the gallery of rules."""

from __future__ import annotations

import streamlit as st

from specviz import court
from specviz.engine.service import Job
from specviz.engine.work import Hearing, Trial
from specviz.errors import BadInput
from specviz.gallery import RULES
from specviz.settings import Settings
from specviz.ui import charts, controls, gallery, guessers, i18n, jobs, pair, widgets, words

THROWS = 100_000
TEXTS = 20_000
CHOSEN = "resample-p"  # the rule of the gallery that waits to be thrown: the mistake that looks most natural
# Here the models of a pair do not agree, and p is not all on one token: 空山不见人 or 空山新雨后; thou art more or not.
PLACES = {"poem": "空山", "english": "Thou art"}
# These repeat, so that a text that guesses for itself finds something.
REPEATING = {"poem": "空山不见人，空山"}
ANYWHERE = "The more you read, the more you know. The more you"
LARGEST_SEED = 999_999_999  # a text has a seed of its own, a million times this one


def show() -> None:
    st.markdown(i18n.prose("court"))
    seed, place = _position()
    st.markdown(i18n.prose("court_gallery"))
    shown = gallery.show(place)
    if shown:
        _gallery_trial(seed, *shown)
    st.markdown(i18n.prose("court_texts"))
    _texts(seed)
    with st.expander(i18n.t("court.homework"), key="homework", on_change="rerun"):
        st.markdown(i18n.prose("court_homework"))


def _position() -> tuple[int, Job | None]:
    """The engine's rule at one place; returns the seed on screen, which the texts are written with too, and the trial."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="court_controls"):
        name = pair.choose()
        place = _place(name)
        if st.session_state.get("court_prompt") in (*PLACES.values(), *REPEATING.values(), ANYWHERE):
            st.session_state["court_prompt"] = place  # nobody typed it: it goes with the pair, and with who guesses
        prompt = widgets.keep(
            st.text_input, i18n.t("court.prompt"), place, key="court_prompt", max_chars=controls.LONGEST_PROMPT
        )
        temperature = widgets.temperature(
            i18n.t("court.temperature"), 1.0, "court_temperature", min_value=0.1, max_value=2.0, width=220
        )
        seed = widgets.keep(
            st.number_input, i18n.t("court.seed"), 0, key="court_seed",
            min_value=0, max_value=LARGEST_SEED, step=1, width=140,
        )  # fmt: skip
        seed = int(seed or 0)
        drafter = guessers.choose(name, "court_drafter", width=190)
        pressed = st.button(i18n.t("court.throw", n=f"{THROWS:,}"), type="primary", key="court_throw")
    if not prompt.strip():
        st.error(words.refusal(BadInput("empty_prompt")))
        return seed, None
    request = Trial(name, prompt, Settings(temperature=temperature, seed=seed, drafter=drafter), THROWS)
    return seed, _trial("_court_position", pressed, request)


def _place(name: str) -> str:
    """Where a pair is thrown unless the reader says otherwise: where its guesser has something to guess."""
    places = REPEATING if guessers.asked(name, "court_drafter") == "lookup" else PLACES
    return places.get(name, ANYWHERE)


def _texts(seed: int) -> None:
    pressed = st.button(i18n.t("court.write", n=f"{TEXTS:,}"), key="court_write")
    _trial("_court_texts", pressed, Trial(None, "", Settings(seed=seed), TEXTS))


def _gallery_trial(seed: int, tokens, p, q) -> None:
    """A rule of the gallery, chosen by the reader, thrown as the engine's own is."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="gallery_controls"):
        rule = st.selectbox(
            i18n.t("court.which_rule"), list(RULES), list(RULES).index(CHOSEN), key="court_rule",
            bind="query-params", persist_state="session", width=240,
        )  # fmt: skip
        pressed = st.button(i18n.t("court.throw_rule", n=f"{THROWS:,}"), key="court_throw_rule")
    _trial("_court_rule", pressed, Hearing(rule, tuple(tokens), tuple(p.tolist()), tuple(q.tolist()), seed, THROWS))


def _trial(name: str, pressed: bool, request: Trial | Hearing) -> Job | None:
    """Start a trial when asked, show the one under this name while it grows, and return it."""

    def draw(job):
        _report(job.report)
        st.caption(_of(job.request, request))

    return jobs.follow(name, pressed, request, draw)


def _of(tried: Trial | Hearing, asked: Trial | Hearing) -> str:
    """What was on trial, so that it can be held again; and whether the controls still ask for it."""
    says = []
    if isinstance(tried, Hearing):
        says.append(i18n.t("court.rule_for", rule=tried.rule, what=gallery.columns_in_words(tried.tokens, tried.p, tried.q)))
        seed = tried.seed
    else:
        settings, seed = tried.settings, tried.settings.seed
        if tried.pair:
            says.append(i18n.t("court.at", prompt=words.verbatim(tried.prompt), temperature=settings.temperature))
            if settings.drafter != pair.drafter(tried.pair):
                says.append(i18n.t("court.guessed_by", who=guessers.title(settings.drafter)))
    says.append(i18n.t("court.drawn", seed=seed))
    if tried != asked:
        says.append(i18n.t("court.changed"))
    return " ".join(says)


def _report(found: dict) -> None:
    n = found["throws"]
    convicted = found["p_value"] < court.GUILTY
    says = i18n.t("court.guilty" if convicted else "court.innocent" if n == found["wanted"] else "court.innocent_so_far")
    st.markdown(f"### {'✗' if convicted else '✓'} {says}")
    st.html(charts.thrown(found["tokens"], found["p"], found["frequencies"], n, i18n.t("court.chart")))
    for name, side in found["rest"].items():
        st.markdown(_others(name, side, n))
    mean, band = found["tv_by_chance"]
    facts = {
        "n": f"{n:,}",
        "wanted": f"{found['wanted']:,}",
        "tv": f"{found['tv']:.4f}",
        "mean": f"{mean:.4f}",
        "band": f"{band:.4f}",
    }
    st.markdown(i18n.t("court.measured", p_value=words.small(found["p_value"]), **facts))
    if "law_error" in found:
        st.markdown(i18n.t("court.computed", error=words.small(found["law_error"]), vocabulary=f"{found['vocabulary']:,}"))
    else:
        st.markdown(i18n.t("court.enumerated", texts=found["texts"]))


def _others(name: str, side: dict, throws: int) -> str:
    """The outcomes that have no column, in words: together they would dwarf the columns."""
    p = side["p"]
    return i18n.t(
        f"court.rest_{name}",
        count=f"{side['count']:,}",
        p=words.small(p),
        seen=words.small(side["frequency"]),
        error=words.small(2 * (p * (1 - p) / throws) ** 0.5),
    )
