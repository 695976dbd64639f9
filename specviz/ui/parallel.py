"""One pass over γ + 1 tokens and γ + 1 passes, side by side on the loaded target."""

from __future__ import annotations

from html import escape

import streamlit as st

from specviz.engine.service import Job
from specviz.engine.work import Comparison, Request
from specviz.ui import i18n, jobs, pair
from specviz.ui.words import verbatim


def show(request: Request | None) -> None:
    """A button, and the two tables for the prompt, γ, temperature and seed of `request`."""
    st.markdown(i18n.prose("parallel"))
    off = request is None or pair.is_alone(request.pair)
    pressed = st.button(i18n.t("one_page.compare"), key="compare", disabled=off, icon=":material/compare_arrows:")
    if request:
        pair.note_alone(request.pair)
    wanted = request and Comparison(request.pair, request.prompt, request.settings)
    jobs.follow("_comparison", pressed, wanted, _table)


def _table(job: Job) -> None:
    found, rows = job.report, []
    for i, place in enumerate(found["places"]):
        for text, one, own in place["tokens"]:
            difference = f"{abs(one - own):.1e}" if one != own else "0"
            rows.append((str(i), place["after"], text, f"{one:.9f}", f"{own:.9f}", difference))
    names = ("row", "after", "token", "one_pass", "serial", "difference")
    guesses = " ".join(verbatim(text) for text in found["guesses"])
    st.markdown(i18n.t("one_page.read", prompt=verbatim(job.request.prompt), guesses=guesses))
    largest, count = found["largest_p"], len(found["places"])
    key = "same_to_rounding" if largest else "same_exactly"
    st.markdown(
        i18n.t(f"one_page.{key}", largest=f"{largest:.1e}", logit=f"{found['largest_logit']:.1e}")
        + " "
        + i18n.t("one_page.times", n=count, one=f"{found['one_ms']:.1f}", serial=f"{found['serial_ms']:.1f}")
    )
    head = "".join(f'<th scope="col">{escape(i18n.t(f"one_page.{name}"))}</th>' for name in names)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    st.html(
        f'<div class="wide-table" tabindex="0" role="region" aria-label="{escape(i18n.t("one_page.compare"))}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
