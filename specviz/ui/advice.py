"""Which drafter to try first: memory, task and what can be prepared in, one sentence out, from what was measured."""

from __future__ import annotations

import math

import streamlit as st

from specviz import amounts, examples, family
from specviz.ui import family_controls, guessers, i18n, models, pair, widgets

ROOM = ("any", "0", "1e6", "1e7", "1e8", "1e9")  # bytes that may be added to the target
HERE = "here"  # the text of the table
KEPT = 40  # measured texts of one visitor


def show(report: dict | None) -> None:
    """Three questions and the answer."""
    measured = _measured(report)
    st.subheader(i18n.t("advice.title"))
    if not measured:
        st.caption(i18n.t("advice.nothing"))
        return
    st.markdown(i18n.t("advice.task"))
    task = widgets.choice(i18n.t("advice.task"), list(measured), "task", _task)
    left, right = st.columns(2)
    with left:
        st.markdown(i18n.t("advice.room"))
        room = widgets.choice(i18n.t("advice.room"), list(ROOM), "room", _room)
    with right:
        st.markdown(i18n.t("advice.prepared"))
        prepared = widgets.choice(
            i18n.t("advice.prepared"), list(family.PREPARED[::-1]), "prepared", lambda code: i18n.t(f"advice.prepared_{code}")
        )
    figures, recorded = measured[task]
    said = family.advise(figures, math.inf if room == "any" else float(room), prepared)
    with st.container(border=True, key="advice"):
        st.markdown(sentence(said, figures))
        st.caption(_source(task, report, recorded))


def sentence(said: dict, figures: dict) -> str:
    """The advice in words, with the figures it rests on and whoever was left out."""
    lines = [_first(said, figures)]
    for reason in ("lossy", "training", "room"):
        codes = [code for code, why in said["left_out"] if why == reason]
        if codes:
            names = i18n.t("advice.comma").join(guessers.title(code) for code in codes)
            lines.append(i18n.t(f"advice.left_out_{reason}", names=names))
    return "  \n".join(lines)


def _first(said: dict, figures: dict) -> str:
    code, over = said["first"], said["over"]
    if code is None:
        facts = {"name": guessers.title(over), "speed": f"{figures[over]['speed']:.2f}"} if over else {}
        return i18n.t(f"advice.{said['why']}", **facts)
    row = figures[code]
    facts = {
        "name": guessers.title(code),
        "speed": f"{row['speed']:.2f}",
        "tokens": f"{row['tokens_per_round']:.2f}",
        "needs": i18n.t(f"advice.needs_{row['training']}"),
        "bytes": amounts.size(row["bytes"]) if row["bytes"] else i18n.t("advice.no_bytes"),
    }
    if over:
        return i18n.t("advice.cheaper", other=guessers.title(over), faster=f"{figures[over]['speed']:.2f}", **facts)
    return i18n.t("advice.fastest", **facts)


def _measured(report: dict | None) -> dict[str, tuple[dict, bool]]:
    """Task -> (figures, whether they were recorded): the text of the table first, then what this visitor has run and what
    was recorded for the other ready texts of this pair."""
    name = pair.chosen()
    recorded = examples.family(name)
    found = {}
    if report and report["rows"] and not family.busy(report):
        kind = family_controls.kind_of(name, report["prompt"])
        live = recorded is None or report is not recorded
        found[kind or HERE] = (family.figures(report), not live)
        if live and kind and report["now"] is None:
            _keep(name, kind, family.figures(report))
    for (of, kind), figures in st.session_state.get("_family_kinds", {}).items():
        if of == name:
            found.setdefault(kind, (figures, False))
    for kind, figures in ((recorded or {}).get("kinds") or {}).items():
        found.setdefault(kind, (figures, True))
    return {task: told for task, told in found.items() if told[0]}


def _keep(name: str, kind: str, figures: dict) -> None:
    kept = st.session_state.setdefault("_family_kinds", {})
    kept.pop((name, kind), None)
    kept[name, kind] = figures
    while len(kept) > KEPT:
        del kept[next(iter(kept))]


def _task(code: str) -> str:
    return i18n.t("advice.here") if code == HERE else i18n.t(f"drafters.text_{code}")


def _room(code: str) -> str:
    return (
        i18n.t("advice.room_any") if code == "any" else i18n.t("advice.room_none") if code == "0" else amounts.size(float(code))
    )


def _source(task: str, report: dict | None, recorded: bool) -> str:
    how = i18n.t("advice.recorded" if recorded else "advice.measured")
    return i18n.t("advice.source", pair=models.name(pair.chosen()), task=_task(task), how=how)
