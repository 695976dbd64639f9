"""Headline against same-device figures of the whole family: one plotly chart, conditions on hover."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from specviz import variants
from specviz.ui import gap_charts, i18n
from specviz.ui.charts import colours

_ROW = 34  # pixels


def show() -> None:
    """Prose of the methods that do not run here, then the chart."""
    st.markdown(i18n.prose("variants"))
    st.markdown(f"**{i18n.t('variants.chart')}**")
    st.plotly_chart(chart(), key="variants", config={"displayModeBar": False})
    st.caption(i18n.t("variants.says"))


def chart() -> go.Figure:
    """A row a method: the span of its headline as a grey bar, the one device's figure as a diamond, 1× as a line."""
    c, rows = colours(), variants.variants()
    names = [i18n.t(f"variants.name_{row.name}") for row in rows]
    figure = go.Figure()
    told = [(row, name) for row, name in zip(rows, names, strict=True) if row.high]
    start = [row.low if row.low else 1.0 for row, _ in told]
    figure.add_bar(
        y=[name for _, name in told], x=[row.high - low for (row, _), low in zip(told, start, strict=True)], base=start,
        orientation="h", width=0.42, name=i18n.t("variants.headline"), customdata=[[_headline(row)] for row, _ in told],
        hovertemplate="%{y}<br>%{customdata[0]}<extra></extra>",
        marker={"color": [c["line"] if row.low else "rgba(0,0,0,0)" for row, _ in told],
                "line": {"color": c["line"], "width": 2},
                "pattern": {"shape": ["" if row.low else "/" for row, _ in told], "fgcolor": c["line"], "size": 7,
                            "solidity": 0.3}},
    )  # fmt: skip
    device = [(row, name) for row, name in zip(rows, names, strict=True) if row.same]
    figure.add_scatter(
        x=[row.same for row, _ in device], y=[name for _, name in device], mode="markers+text", name=i18n.t("variants.same"),
        text=[f" {row.same:.2f}×" for row, _ in device], textposition="top center",
        textfont={"color": c["ink"], "size": 13}, cliponaxis=False,
        marker={"symbol": "diamond", "size": 14, "color": c["p"], "line": {"color": c["ink"], "width": 1.5}},
        customdata=[[_same(row)] for row, _ in device], hovertemplate="%{y}<br>%{customdata[0]}<extra></extra>",
    )  # fmt: skip
    figure.add_vline(x=1, line={"color": c["quiet"], "dash": "dash", "width": 1.5})
    figure.update_yaxes(categoryorder="array", categoryarray=names[::-1], automargin=True, showgrid=False)
    figure.update_xaxes(range=[0, 6.8], ticksuffix="×", dtick=1)
    return gap_charts.dressed(figure, 70 + _ROW * len(names))


def _headline(row) -> str:
    says = i18n.t("variants.span", low=row.low, high=row.high) if row.low else i18n.t("variants.up_to", high=row.high)
    mean = i18n.t("variants.mean", mean=row.mean) if row.mean else ""
    note = i18n.t(f"variants.note_{row.note}") if row.note else ""
    return "<br>".join(filter(None, [says + mean, row.paper, i18n.t("variants.headline_on"), note]))


def _same(row) -> str:
    tokens = i18n.t("variants.tokens", tokens=row.tokens) if row.tokens else ""
    note = i18n.t(f"variants.note_{row.note}") if row.note else ""
    return "<br>".join(filter(None, [f"{row.same:.2f}×{tokens}", i18n.t("variants.same_on"), note]))
