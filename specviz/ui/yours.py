"""Two models of the reader's own: whether they fit together, why not where they do not, and their way into memory."""

from __future__ import annotations

import streamlit as st

from specviz.engine import catalogue, references
from specviz.engine.references import PairName, Reference
from specviz.engine.service import Job
from specviz.engine.work import Check
from specviz.errors import BadInput, check_text
from specviz.ui import fetches, i18n, jobs, loading, tokenizations, widgets, words
from specviz.ui.state import engine

LONGEST = 1000  # characters of a path
_SIGN = {"pass": "✓", "pass-with-padding": "✓", "refuse": "✗"}


def show() -> None:
    """Two fields, the report, and the panel of the pair that passed."""
    st.markdown(i18n.prose("models_yours"))
    target, draft, pressed = _fields()
    if target and draft:
        _check(target, draft, pressed)
    elif target and not _typed("draft"):
        st.caption(i18n.t("yours.alone"))
        _panel(target)


def _fields() -> tuple[Reference | None, Reference | None, bool]:
    """What the two fields name, and whether to compare; what cannot be used is said under its own field."""
    left, middle, right = st.columns([5, 5, 3])
    with right, st.container(key="yours_button"):
        pressed = st.button(i18n.t("yours.check"), key="yours_check", type="primary")
    with left:
        target = _field("target", pressed)
    with middle:
        draft = _field("draft", False)
    return target, draft, pressed


def _field(side: str, needed: bool) -> Reference | None:
    hint, label = i18n.t("yours.hint"), i18n.t(f"yours.{side}")
    text = widgets.keep(st.text_input, label, "", key=side, placeholder=hint, max_chars=LONGEST).strip()
    try:
        if text:
            return _reference(side, text)
        if needed:
            st.error(i18n.t("yours.no_target"))
    except BadInput as error:
        st.error(words.refusal(error))
    return None


def _reference(side: str, text: str) -> Reference:
    check_text(**{side: text})
    if "|" in text:
        raise BadInput("no_model", ref=text)
    reference = references.parse(text)
    if reference.kind == "folder":
        reference.folder()
    return reference


def _typed(side: str) -> str:
    return st.session_state.get(side, "").strip()


def _check(target: Reference, draft: Reference, pressed: bool) -> None:
    """Fetch the two descriptions where they are not here, compare, say what was found."""
    pair = references.of(target.text, draft.text)
    request = Check(target.text, draft.text)
    if pressed:
        st.session_state["_to_check"] = pair.name
    wanted = st.session_state.get("_to_check") == pair.name
    if wanted and not _described(pair, pressed):
        return
    if wanted:
        del st.session_state["_to_check"]
    job = jobs.follow("_check", wanted, request, lambda job: _report(job, job.request == request))
    if job and job.state == "done" and job.request == request and job.report["verdict"] != "refuse":
        _panel(target, draft)


def _described(pair: PairName, begin: bool) -> bool:
    """Whether config and tokenizer of both are here; until then they are on their way, or it is said why they are not."""
    if all(reference.described for reference in pair.references):
        return True
    if begin:
        fetches.begin(pair.name, weights=False)
    fetch = engine().fetches[pair.name]
    if fetch.state == "done":
        return True
    if fetch.finished:
        del st.session_state["_to_check"]
        st.error(words.refusal(fetch.error)) if fetch.error else st.caption(i18n.t("loading.cancelled"))
        return False

    @st.fragment(run_every=loading.EVERY)
    def coming():
        loading.fetching(fetch)
        loading.cancel(pair.name, "yours_describe_cancel")
        if fetch.finished:
            st.rerun()

    coming()
    return False


def _panel(target: Reference, draft: Reference | None = None) -> None:
    """The way into memory of the two, or of a target alone."""
    name = references.pair_name(target.text, draft and draft.text)
    try:
        pair = references.parse_pair(f"{name}/target" if name in catalogue.entries() else name)
    except BadInput as error:
        st.error(words.refusal(error))
        return
    with st.container(border=True, key="yours_pair"):
        loading.panel(pair, "yours")


def _report(job: Job, asked: bool) -> None:
    """The verdict, its reasons, and where it is a refusal, what it teaches."""
    found, names = job.report, (job.request.target, job.request.draft)
    st.markdown(f"### {_SIGN[found['verdict']]} {i18n.t('check.' + found['verdict'].replace('-', '_'))}")
    st.caption(i18n.t("yours.of", target=words.literal(names[0]), draft=words.literal(names[1])))
    if not asked:
        st.caption(i18n.t("yours.changed"))
    st.markdown("\n".join(f"- {_said(finding)}" for finding in found["findings"]))
    if found["first_difference"] and found["sample"]:
        titles = (references.parse(name).title for name in names)
        tokenizations.show(found["sample"], dict(zip(tokenizations.SIDES, titles, strict=True)), found["first_difference"])
        st.markdown(i18n.prose("models_pieces"))


def _said(finding: dict) -> str:
    facts = {name: words.literal(fact) if isinstance(fact, str) else fact for name, fact in finding["facts"].items()}
    return i18n.t(finding["key"], **facts)
