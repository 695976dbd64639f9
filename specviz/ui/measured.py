"""The reader's own machine: what guessing gains on several kinds of text, predicted and measured, and the gap between."""

from __future__ import annotations

import csv
import io
import json

import streamlit as st

from specviz import gap, speedup
from specviz.engine.service import Job
from specviz.engine.work import Gain
from specviz.errors import BadInput
from specviz.settings import Settings
from specviz.ui import gap_charts, i18n, jobs, pair, words
from specviz.ui.state import engine, presence

POLL = 0.5  # seconds between two looks at a running measurement
MOST_GUESSES = 8  # the widest verification that is timed holds one more token
_CHART = {"displayModeBar": False}


def section() -> None:
    """Controls, progress and results; nothing is measured before it is asked for."""
    st.markdown(i18n.prose("measured"))
    job = _job()
    request, pressed = _controls(job if job and job.wanted_by(presence()) else None)
    if pressed:
        job = _submit(request) or job
    if job and not job.finished:
        job.watch(presence())
    _watch(job)
    found = st.session_state.get("_gain")
    if found:
        results(found)


def last() -> dict | None:
    """The visitor's last complete report."""
    return st.session_state.get("_gain")


def results(report: dict) -> None:
    """All of a complete report: first what it comes to, then kind by kind where it comes from."""
    told = {kind: found for kind, found in report["kinds"].items() if found}
    if not told:
        st.info(i18n.t("measured.nothing"))
        return
    gamma = report["settings"]["gamma"]
    if gap.busy(report):
        st.warning(i18n.t("measured.busy"))
    else:
        st.markdown("  \n".join(verdict(kind, found, gamma) for kind, found in told.items()))
    left, right = st.columns(2)
    with left:
        _chart(gap_charts.acceptance(told), "measured.chart_acceptance", "acceptance")
    with right:
        _chart(gap_charts.speeds(told, gap.busy(report)), "measured.chart_speeds", "speeds")
    _table(told, gap.busy(report))
    st.caption(_conditions(report))
    kind = _choose(list(told))
    _detail(kind, told[kind], report)
    _downloads(report)


def verdict(kind: str, found: dict, gamma: int) -> str:
    """One kind in a sentence or two: whether guessing pays, and whether the prediction held."""
    measured, predicted, best = found["measured"]["value"], found["predicted"]["value"], found["best_gamma"]
    facts = {
        "kind": i18n.t(f"measured.kind_{kind}"),
        "gamma": gamma,
        "measured": f"{measured:.2f}",
        "predicted": f"{predicted:.2f}",
        "best": best,
        "gain": f"{found['curve'][best]:.2f}",
    }
    low, high = found["measured"]["low"], found["measured"]["high"]
    if measured < 1 and best == 0:
        how = "never"
    elif low is not None and low < 1 < high:
        how, facts = "unsure", {**facts, "low": f"{low:.2f}", "high": f"{high:.2f}"}
    else:
        how = "pays" if measured >= 1 else "slower"
    says = i18n.t(f"measured.verdict_{how}", **facts)
    if best == 0 and measured >= 1:
        says += " " + i18n.t("measured.best_none")
    off = {"n": f"{100 * abs(found['off']):.0f}", "step": i18n.t(f"measured.step_{found['by']}")}
    if abs(found["off"]) <= gap.CLAIM:
        return f"{says} {i18n.t('measured.held', **off)}"
    return f"{says} {i18n.t('measured.off_below' if found['off'] < 0 else 'measured.off_above', **off)}"


def as_csv(report: dict) -> str:
    """The report as a long table with a head line."""
    out = io.StringIO()
    table = gap.rows(report)
    writer = csv.DictWriter(out, list(table[0]))
    writer.writeheader()
    writer.writerows(table)
    return out.getvalue()


def as_json(report: dict) -> str:
    """The report as it was measured; `busy` where its times say nothing."""
    return json.dumps({**report, "busy": gap.busy(report)}, ensure_ascii=False, allow_nan=False)


def _job() -> Job | None:
    """The visitor's measurement, running or over."""
    return engine().find(st.session_state.get("_gain_job", ""))


def _controls(busy: Job | None) -> tuple[Gain, bool]:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = pair.choose()
        gamma = st.slider(i18n.t("round.gamma"), 1, MOST_GUESSES, 4, key="measured_gamma", persist_state="session", width=260)
        temperature = st.slider(
            i18n.t("measured.temperature"), 0.0, 2.0, 1.0, 0.1, key="measured_temperature", persist_state="session", width=260
        )
        look = {"type": "primary", "icon": ":material/timer:", "disabled": pair.is_alone(name)}
        pressed = jobs.start(i18n.t("measured.run"), "measured_run", busy, **look)
    pair.note_alone(name)
    return Gain(name, Settings(gamma=gamma, temperature=round(temperature, 2))), pressed


def _submit(request: Gain) -> Job | None:
    try:
        job = engine().submit(request, presence())
    except BadInput as error:
        st.error(words.refusal(error))
        return None
    st.session_state["_gain_job"] = job.key
    st.rerun()  # so that Cancel stands where Run was


def _watch(job: Job | None) -> None:
    """The progress of a measurement; its report is kept for the visitor when it is over."""
    if job is None or (not job.wanted_by(presence()) and st.session_state.get("_measured_over") == id(job)):
        if job and job.state == "failed":
            st.error(words.refusal(job.error))
        elif job and job.state != "done":
            st.caption(i18n.t("measured.cancelled"))
        return

    @st.fragment(run_every=POLL)
    def progress():
        report, finished = job.report, not job.wanted_by(presence())
        done, of = (report["done"], report["of"]) if report else (0, 1)
        st.progress(done / of, _now(job, report))
        told = {kind: found for kind, found in (report["kinds"] if report else {}).items() if found}
        if told:
            _table(told, gap.busy(report))
        if finished:
            st.session_state["_measured_over"] = id(job)
            if job.state == "done":
                st.session_state["_gain"] = job.report
            st.rerun()  # stops the polling

    progress()


def _now(job: Job, report: dict | None) -> str:
    if job.state == "queued":
        return i18n.t("measured.giving_way" if report else "round.queued", place=engine().place(job))
    if report is None:
        return i18n.t("measured.warming")
    return i18n.t("measured.progress", done=report["done"], of=report["of"])


def _table(told: dict, unsettled: bool = False) -> None:
    """Every figure with its band; where the times are unsettled, speeds in question and no best γ. HTML, so that a narrow
    screen can scroll it by keyboard too."""
    names = ("kind", "alpha", "accepted_over_proposed", "beta", "tokens", "predicted", "measured", "best")
    head = "".join(f'<th scope="col">{i18n.t(f"measured.{name}")}</th>' for name in names)
    body = ""
    for kind, found in told.items():
        cells = (
            _band(found["alpha"]),
            _band(found["accepted_over_proposed"]),
            f"{found['beta']['value']:.2f}",
            f"{found['tokens_per_round']['value']:.2f}",
            _doubted(found["predicted"]) if unsettled else _band(found["predicted"], "×"),
            _doubted(found["measured"]) if unsettled else f"<b>{_band(found['measured'], '×')}</b>",
            "–" if unsettled else str(found["best_gamma"]),
        )
        row = "".join(f"<td>{cell}</td>" for cell in cells)
        body += f'<tr><th scope="row">{i18n.t(f"measured.kind_{kind}")}</th>{row}</tr>'
    name = i18n.t("measured.table")
    st.html(
        f'<div class="wide-table" tabindex="0" role="region" aria-label="{name}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _band(figure: dict, unit: str = "") -> str:
    if figure["value"] is None:
        return "–"
    if figure["low"] is None:
        return f"{figure['value']:.2f}{unit}"
    return f"{figure['value']:.2f}{unit} ({figure['low']:.2f}–{figure['high']:.2f})"


def _doubted(speed: dict) -> str:
    """A speed that proves nothing, with the reason for eyes and ears."""
    why = i18n.t("measured.doubt")
    return f'<i title="{why}">{_band(speed, "×")}?<span class="unseen"> {why}</span></i>'


def _conditions(report: dict) -> str:
    cost, machine, settings = report["cost"], report["machine"], report["settings"]
    v = ", ".join(f"v({k}) = {cost['v'][k - 1]:.2f}" for k in (2, 3, 5, 9))
    says = i18n.t(
        "measured.conditions",
        cpu=machine["cpu"],
        cores=machine["cores"],
        gamma=settings["gamma"],
        temperature=settings["temperature"],
        texts=report["of"],
        seconds=f"{report['seconds']:.0f}",
        target=f"{cost['target_ms']:.1f}",
        draft=f"{cost['draft_ms']:.2f}",
        c=f"{cost['c']:.3f}",
        v=v,
    )
    if report.get("planned", report["of"]) > report["of"]:
        says += " " + i18n.t("measured.cut", done=report["of"], planned=report["planned"])
    return says


def _choose(kinds: list[str]) -> str:
    chosen = st.segmented_control(
        i18n.t("measured.choose"),
        kinds,
        default=kinds[0],
        required=True,
        key="measured_kind",
        format_func=lambda kind: i18n.t(f"measured.kind_{kind}"),
    )
    return chosen if chosen in kinds else kinds[0]


def _detail(kind: str, found: dict, report: dict) -> None:
    gamma = report["settings"]["gamma"]
    left, right = st.columns(2)
    with left:
        _chart(gap_charts.survival(found), "measured.chart_survival", "survival")
        st.markdown(_survival_says(found, gamma))
    with right:
        _chart(gap_charts.waterfall(found, gap.busy(report)), "measured.chart_waterfall", "waterfall")
        st.markdown(_waterfall_says(found, report))
    left, right = st.columns(2)
    with left:
        _chart(gap_charts.line(found), "measured.chart_line", "line")
        st.markdown(_line_says(found["by_line"]))
    with right:
        _chart(gap_charts.gammas(found, gamma, gap.busy(report)), "measured.chart_gammas", "gammas")
        st.markdown(_gammas_says(found, gap.busy(report)))
    with st.expander(i18n.t("measured.texts")):
        st.markdown("\n".join(f"- {e['prompt']}**{_flat(e['text'])}**" for e in found["examples"]))


def _gammas_says(found: dict, unsettled: bool) -> str:
    best, measured = found["best_gamma"], found["measured"]["value"]
    if unsettled:
        return i18n.t("measured.gammas_busy")
    says = i18n.t("measured.gammas_says" if best else "measured.gammas_none", best=best, gain=f"{found['curve'][best]:.2f}")
    # A clock above the best that was calculated contradicts it.
    return says if measured < found["curve"][best] else f"{says} {i18n.t('measured.gammas_above', measured=f'{measured:.2f}')}"


def _survival_says(found: dict, gamma: int) -> str:
    alpha, other, tokens = (found[name]["value"] for name in ("alpha", "accepted_over_proposed", "tokens_per_round"))
    return i18n.t(
        "measured.survival_says",
        tokens=f"{tokens:.2f}",
        alpha=f"{alpha:.2f}",
        formula=f"{speedup.expected_tokens(alpha, gamma):.2f}",
        other=f"{other:.2f}",
        trap=f"{speedup.expected_tokens(other, gamma):.2f}",
    )


def _waterfall_says(found: dict, report: dict) -> str:
    run, cost, gamma = found["clocked"], report["cost"], report["settings"]["gamma"]
    return i18n.t(
        "measured.waterfall_says",
        guess=f"{run['guess']:.2f}",
        draft=f"{cost['draft_ms']:.2f}",
        k=gamma + 1,
        verify=f"{run['verify']:.1f}",
        bench=f"{cost['target_ms'] * cost['v'][gamma]:.1f}",
        plain=f"{run['plain']:.1f}",
        target=f"{cost['target_ms']:.1f}",
        outside=f"{100 * run['outside']:.0f}",
    )


def _line_says(rows: list[dict]) -> str:
    easy, hard = (choose(rows, key=lambda row: row["beta"]) for choose in (max, min))
    return i18n.t(
        "measured.line_says",
        easy=gap_charts.place_name(easy["place"]),
        most=f"{easy['beta']:.2f}",
        hard=gap_charts.place_name(hard["place"]),
        least=f"{hard['beta']:.2f}",
    )


def _flat(text: str) -> str:
    """A written text as one line that Markdown leaves alone."""
    return "".join("\\" + x if x in "\\`*_[]<>#|~$" else x for x in text.strip().replace("\n", "↵")) or "∎"


def _downloads(report: dict) -> None:
    with st.container(horizontal=True):
        name = f"specviz-{report['pair']['name']}-gamma{report['settings']['gamma']}"
        st.download_button("CSV", as_csv(report), f"{name}.csv", "text/csv", key="measured_csv", icon=":material/download:")
        st.download_button(
            "JSON", as_json(report), f"{name}.json", "application/json", key="measured_json", icon=":material/download:"
        )


def _chart(figure, title: str, key: str) -> None:
    st.markdown(f"**{i18n.t(title)}**")
    st.plotly_chart(figure, key=f"measured_{key}", config=_CHART)
