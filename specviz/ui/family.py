"""All drafters on one prompt: the table that is a picture, and the run of any row in the player."""

from __future__ import annotations

import streamlit as st

from specviz import examples, family
from specviz.engine.drafters import CODES
from specviz.engine.service import Job
from specviz.errors import BadInput
from specviz.ui import family_controls, guessers, i18n, jobs, pair, words
from specviz.ui.components.family import family as picture
from specviz.ui.components.player import player
from specviz.ui.state import engine, presence

KEY = "family"
COLUMNS = ("tokens", "alpha", "guess", "verify", "speed", "weights", "kv", "training", "lossless")
LETTERS_IN_A_LINE = 48  # more need a second line, with a mark for every guess that was rejected


def show() -> dict | None:
    """Controls, table and player; the report that is shown, or None where this pair was never run."""
    asked = family_controls.show(_busy())
    job = _job(asked)
    if job and job.wanted_by(presence()) and asked.pressed:
        st.rerun()  # Cancel belongs where Run stands
    recorded = examples.family(pair.chosen())
    report = _report(job, recorded)
    notice = st.container()  # always there: what comes and goes above a component would mount it anew
    if asked.request and report and not _is_of(report, asked.request):
        notice.caption(i18n.t("drafters.changed"))
    _table(asked, job, recorded)
    _play(report, "recorded" if not (job and job.report) else f"{job.key}-{id(job)}")
    return report


# ---- which run


def _busy() -> Job | None:
    """The visitor's job of this pair while it is not over for them; one of another pair goes on and is found there."""
    job = engine().find(st.session_state.get("_family", ""))
    return job if job and job.request.pair == pair.chosen() and job.wanted_by(presence()) else None


def _job(asked) -> Job | None:
    """A new one when Run was pressed, else the one of this address, else the visitor's last of this pair."""
    if asked.error:
        st.error(words.refusal(asked.error))
    elif asked.pressed:
        try:
            st.session_state["_family"] = engine().submit(asked.request, presence()).key
        except BadInput as error:
            st.error(words.refusal(error))
    elif (held := engine().find(asked.request.key)) and held.state == "done" and not _is_recorded(asked.request):
        st.session_state["_family"] = held.key
    job = engine().find(st.session_state.get("_family", ""))
    if job and job.request.pair != pair.chosen():
        return None
    if job and not job.finished:
        job.watch(presence())  # whoever watches keeps it going
    return job


def _is_recorded(request) -> bool:
    """Whether this is what was recorded, and the visitor has run nothing: then the recording stands, whatever others ran."""
    recorded = examples.family(request.pair)
    return "_family" not in st.session_state and recorded is not None and _is_of(recorded, request)


def _report(job: Job | None, recorded: dict | None) -> dict | None:
    return job.report if job and job.report else None if job else recorded


def _is_of(report: dict, request) -> bool:
    """Whether a report is what this request would make, or more."""
    ours, theirs = ({**told, "drafter": ""} for told in (request.settings.to_json(), report["settings"]))
    return ours == theirs and report["prompt"] == request.prompt and set(request.drafters) <= set(report["wanted"])


# ---- the table


def _table(asked, job: Job | None, recorded: dict | None) -> None:
    me = presence()
    every = jobs.EVERY if job and job.wanted_by(me) else None
    opened = st.session_state.get("_family_row")

    @st.fragment(run_every=every)
    def table():
        i18n.keep()
        over = job is None or not job.wanted_by(me)
        report = _report(job, recorded)
        wanted = list(job.request.drafters) if job else report["wanted"] if report else _wanted(asked)
        rows = family.rows(
            report, [code for code in CODES if code in wanted or code in asked.refused], over and job is not None
        )
        picture(
            KEY,
            rows=[_worded(row, asked.refused, job is not None) for row in rows],
            run=f"{job.key}-{id(job)}" if job else f"recorded-{pair.chosen()}",
            says=_says(job, report, over),
            share=None if over else (report or {}).get("share", 0.0),
            recorded=job is None and report is not None,
            busy=report is not None and family.busy(report),
            sort=_asked_sort(),
            chosen=_row(report),
            lines=_lines(report or {"prompt": job.request.prompt if job else "", "settings": {"max_new_tokens": 64}}),
            labels=i18n.table("family"),
            on_choice=_chosen,
        )
        if job and job.state == "failed":
            st.error(words.refusal(job.error))
        if (over and every) or opened != st.session_state.get("_family_row") or _is_new(job, report):
            st.rerun()  # stops the polling; or the player has another row to play

    table()


def _is_new(job: Job | None, report: dict | None) -> bool:
    """Whether a first row has come in that the player can open with."""
    seen = (id(job), _row(report))
    before, st.session_state["_family_seen"] = st.session_state.get("_family_seen"), seen
    return before is not None and before != seen


def _wanted(asked) -> list[str]:
    return list(asked.request.drafters) if asked.request else [code for code in CODES if code not in asked.refused]


def _says(job: Job | None, report: dict | None, over: bool) -> str:
    """One line: what the table shows, or what is being done."""
    if job and report is None:
        return "" if job.state == "failed" else jobs.waiting(job)
    if job and not over:
        now = report["now"]
        if now is None or job.state == "queued":
            return jobs.waiting(job)
        return i18n.t("drafters.running_plain") if now == family.PLAIN else i18n.t("drafters.running", name=guessers.title(now))
    if report is None:
        return i18n.t("drafters.never")
    settings, prompt = report["settings"], " ".join(report["prompt"].split())
    says = i18n.t(
        "drafters.shown_live" if job else "drafters.shown_recorded",
        prompt=prompt if len(prompt) <= 40 else f"{prompt[:20]}…{prompt[-16:]}",
        gamma=settings["gamma"],
        temperature=f"{settings['temperature']:g}",
        tokens=settings["max_new_tokens"],
    )
    if job and job.state != "done":
        says = f"{says} · {i18n.t('drafters.left')}"
    return f"{says} · {i18n.t('drafters.busy')}" if family.busy(report) else says


def _lines(report: dict) -> int:
    """Lines of text a row has room for: a script of characters needs one for what an alphabet says in two."""
    prompt = report["prompt"]
    wide = sum(ord(sign) > 0x2E7F for sign in prompt)
    written = [len(row["trace"]["output_ids"]) for row in report["rows"].values()] if report.get("kind") else []  # recorded
    dense = max(written, default=report["settings"]["max_new_tokens"]) * (1 if wide * 2 > len(prompt) else 4.5)
    return 1 if dense <= LETTERS_IN_A_LINE else 2


def _worded(row: dict, refused: dict[str, BadInput], asked: bool) -> dict:
    """A row with what is said about it in the reader's language; asked: whether it waits for its turn, or for the button."""
    code, told = row["drafter"], dict(row)
    if code in refused:
        told["state"] = "refused"
    told["name"], told["about"] = guessers.title(code), _about(row)
    told["trained"] = i18n.t(f"family.trained_{row['training']}") if row["training"] else ""
    told["silent"] = ""
    if row["silent_rounds"]:
        told["silent"] = i18n.t("family.silent", silent=row["silent_rounds"], rounds=row["rounds"])
    told["says"] = ""
    if told["state"] == "refused":
        reason = refused.get(code) or BadInput(row["refusal"]["code"], **row["refusal"]["facts"])
        told["says"] = words.bare(reason)
    elif told["state"] in ("running", "left") or (asked and told["state"] == "waiting"):
        told["says"] = i18n.t(f"family.{told['state']}")
    told |= _lossless(row)
    return told


def _about(row: dict) -> str:
    """The knob a drafter ran with, in small."""
    code, about = row["drafter"], row["about"] or {}
    key = {
        "lookup": "lookup_n" if "n" in about else None,
        "ngram": f"ngram_{about['n']}" if about.get("n") in (1, 2) else None,
        "early-exit": "early-exit_k" if "layers" in about else None,
        "quantised": f"quantised_{about['of']}" if about.get("of") else None,
    }.get(code)
    if key is None:
        return i18n.t(f"family.about_{code}")
    facts = {name: value for name, value in about.items() if isinstance(value, (int, str))}
    return i18n.t(f"family.about_{key}", **facts)


def _lossless(row: dict) -> dict:
    verdict = row["verdict"]
    if not verdict:
        return {"lossless": "", "lossless_note": "", "lossless_says": ""}
    facts = {}
    if row["trial"]:
        trial = row["trial"]
        facts = {"p": words.small(trial["p_value"]), "throws": f"{trial['throws']:,}", "places": trial["places"]}
    return {
        "lossless": i18n.t(f"family.lossless_{verdict}", **facts),
        "lossless_note": i18n.t("family.lossless_note", **facts) if facts else "",
        "lossless_says": i18n.t(f"family.lossless_says_{verdict}", **facts),
    }


# ---- what the reader has chosen in it


def _chosen() -> None:
    mounted = st.session_state.get(KEY)
    choice = mounted.get("choice") if mounted else None
    if not choice:
        return
    if choice["drafter"]:
        st.session_state["_family_row"] = choice["drafter"]
    st.session_state["_family_sort"] = choice["sort"]
    _to_address("row", choice["drafter"])
    _to_address("sort", choice["sort"])
    st.query_params.pop("step", None)


def _to_address(name: str, value: str | None) -> None:
    if value:
        st.query_params[name] = value
    else:
        st.query_params.pop(name, None)


def _asked_sort() -> str:
    asked = st.query_params.get("sort", st.session_state.get("_family_sort", ""))
    return asked if asked.removeprefix("-") in COLUMNS else ""


def _row(report: dict | None) -> str | None:
    """The row that is open: the one of the address or chosen before, else the fastest that has come in."""
    done = {code: row for code, row in (report or {"rows": {}})["rows"].items() if row["state"] == "done"}
    for asked in (st.session_state.get("_family_row"), st.query_params.get("row")):
        if asked in done:
            return asked
    return next((code for code in CODES if code in done), None)


# ---- the player


def _play(report: dict | None, run: str) -> None:
    code = _row(report)
    if code is None:
        st.caption(i18n.t("drafters.open_hint"))
        return
    row, plain = report["rows"][code], report["plain"]
    made = len(row["trace"]["output_ids"])
    st.markdown(f"**{i18n.t('drafters.played', name=guessers.title(code))}**")
    player(
        "family_player",
        trace=row["trace"],
        trace_id=f"family-{run}-{report['pair']['name']}-{code}",
        live=False,
        recorded=run == "recorded",
        plain={
            "ms": plain["ms"][: made - 1],
            "first_ms": plain["first_ms"],
            "text": plain["text"],
            "busy": family.busy(report),
        },
        step=_step(),
        labels=i18n.table("player"),
        on_step=_step_to_address,
    )


def _step() -> int | None:
    """Where a run begins: at the step of the address; one that was just opened by hand plays, the first rests."""
    step = st.query_params.get("step", "")
    if step.isascii() and step.isdigit() and len(step) < 8:
        return int(step)
    return None if st.session_state.get("_family_row") else 0


def _step_to_address() -> None:
    state = st.session_state.get("family_player")
    step = state.get("step") if state else None
    if step is not None:
        st.query_params["step"] = str(int(step))
