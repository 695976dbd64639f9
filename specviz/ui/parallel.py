"""One pass over γ + 1 tokens and γ + 1 passes, side by side on the loaded target."""

from __future__ import annotations

import streamlit as st

from specviz.engine.service import Job
from specviz.engine.work import Comparison, Request
from specviz.ui import i18n, jobs


def show(request: Request | None) -> None:
    """A button, and the two tables for the prompt, γ, temperature and seed of `request`."""
    st.markdown(i18n.prose("parallel"))
    pressed = st.button(i18n.t("one_page.compare"), key="compare", disabled=request is None, icon=":material/compare_arrows:")
    wanted = request and Comparison(request.pair, request.prompt, request.settings)
    jobs.follow("_comparison", pressed, wanted, _table)


def _table(job: Job) -> None:
    found, rows = job.report, []
    for i, place in enumerate(found["places"]):
        for text, one, own in place["tokens"]:
            rows.append(
                {
                    i18n.t("one_page.row"): i,
                    i18n.t("one_page.after"): place["after"],
                    i18n.t("one_page.token"): text,
                    i18n.t("one_page.one_pass"): f"{one:.9f}",
                    i18n.t("one_page.serial"): f"{own:.9f}",
                    i18n.t("one_page.difference"): f"{abs(one - own):.1e}" if one != own else "0",
                }
            )
    largest, count = found["largest_p"], len(found["places"])
    key = "same_to_rounding" if largest else "same_exactly"
    st.markdown(
        i18n.t(f"one_page.{key}", largest=f"{largest:.1e}", logit=f"{found['largest_logit']:.1e}")
        + " "
        + i18n.t("one_page.times", n=count, one=f"{found['one_ms']:.1f}", serial=f"{found['serial_ms']:.1f}")
    )
    st.table(rows)
