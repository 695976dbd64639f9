"""Plotly pictures of a measurement. Colours as everywhere: blue the target, yellow the draft, blue with a yellow edge
what was guessed and stayed, grey what is neither; shapes tell the same apart."""

from __future__ import annotations

from itertools import pairwise

import plotly.graph_objects as go

from specviz.gap import LONGEST_LINE
from specviz.ui import i18n
from specviz.ui.charts import colours

_BAR = 26  # pixels of one horizontal row
_PALE = 0.6  # how much is seen of what proves nothing


def acceptance(told: dict) -> go.Figure:
    """α with its band, β, and accepted ÷ proposed, one row a kind."""
    c = colours()
    figure = _rows(told, [0, 1.02])
    _marks(figure, told, "accepted_over_proposed", "x-thin-open", c["quiet"], offset=0.24)
    _marks(figure, told, "beta", "diamond-open", c["ink"], offset=-0.24)
    _marks(figure, told, "alpha", "circle", c["p"], edge=c["q"])
    return figure


def speeds(told: dict, unsettled: bool = False) -> go.Figure:
    """Predicted and measured speed-up with their bands, and what the formula says with v = 1; the line at 1×. Pale, hollow
    and named so where the times are unsettled."""
    c = colours()
    highest = max(
        x for found in told.values() for x in (found["waterfall"][0]["speedup"], found["predicted"]["high"] or 0,
                                               found["measured"]["high"] or 0, found["measured"]["value"])
    )  # fmt: skip
    figure = _rows(told, [0, max(1.2, highest * 1.08)])
    kinds = list(told)
    formula = [told[kind]["waterfall"][0]["speedup"] for kind in kinds]
    figure.add_scatter(
        x=formula, y=[i - 0.24 for i in range(len(kinds))], mode="markers", name=i18n.t("measured.formula"),
        marker={"symbol": "triangle-left-open", "size": 11, "color": c["quiet"], "line": {"width": 2}},
        hovertemplate="%{x:.2f}×",
    )  # fmt: skip
    _marks(figure, told, "predicted", "square-open", c["ink"], offset=0.1, unit="×")
    _marks(figure, told, "measured", "circle", c["ink"], offset=0.32, unit="×")
    figure.add_vline(x=1, line={"color": c["quiet"], "dash": "dash", "width": 1.5})
    figure.update_xaxes(ticksuffix="×")
    return provisional(figure) if unsettled else figure


def survival(found: dict) -> go.Figure:
    """The share of rounds that passed each place, beside α^i."""
    c, bands = colours(), found["survival"]
    places, alpha = list(range(1, len(bands) + 1)), found["alpha"]["value"]
    values = [band["value"] for band in bands]
    figure = go.Figure()
    figure.add_bar(
        x=places, y=values, name=i18n.t("measured.survival"), error_y=_errors(bands, c["ink"]),
        marker={"color": c["p"], "line": {"color": c["q"], "width": 3}}, hovertemplate="%{y:.3f}", width=0.6,
    )  # fmt: skip
    figure.add_scatter(
        x=places, y=[alpha**i for i in places], name=i18n.t("measured.powers"), mode="lines+markers",
        line={"color": c["ink"], "dash": "dot", "width": 2}, hovertemplate="%{y:.3f}",
        marker={"symbol": "diamond", "size": 10, "color": c["paper"], "line": {"color": c["ink"], "width": 2}},
    )  # fmt: skip
    figure.update_xaxes(title=i18n.t("measured.axis_place"), dtick=1)
    figure.update_yaxes(range=[0, 1.02])
    return dressed(figure, 280)


def line(found: dict) -> go.Figure:
    """Mean β by place in the line."""
    c, rows = colours(), found["by_line"]
    names = [place_name(row["place"]) for row in rows]
    figure = go.Figure()
    figure.add_bar(
        x=names, y=[row["beta"] for row in rows], name="β", width=0.6, customdata=[row["count"] for row in rows],
        marker={"color": c["p"], "line": {"color": c["q"], "width": 3}}, hovertemplate="β = %{y:.3f} (n = %{customdata})",
    )  # fmt: skip
    figure.update_xaxes(title=i18n.t("measured.axis_line"), type="category")
    figure.update_yaxes(range=[0, 1.02], title="β")
    figure.update_layout(showlegend=False)
    return dressed(figure, 250)


def place_name(place: int) -> str:
    """The last place stands for all later ones too."""
    return f"{place}+" if place == LONGEST_LINE else str(place)


def waterfall(found: dict, unsettled: bool = False) -> go.Figure:
    """From the formula to the clock, one step a row: what it takes or adds, with its factor. Pale bars, and figures with a
    question mark, where the times are unsettled."""
    c, steps = colours(), found["waterfall"]
    tint = {"places": c["ink"], "verify": c["p"], "draft": c["q"], "passes": c["p"], "outside": c["line"]}
    names, starts, widths, fills, words = [], [], [], [], []
    for before, row in zip([None, *steps], steps, strict=False):
        names.append(i18n.t(f"measured.step_{row['name']}"))
        starts.append(0.0 if before is None else min(before["speedup"], row["speedup"]))
        widths.append(row["speedup"] if before is None else abs(row["speedup"] - before["speedup"]))
        fills.append(c["quiet"] if before is None else tint[row["name"]])
        words.append(f"{row['speedup']:.2f}" if before is None else f"× {row['factor']:.2f} = {row['speedup']:.2f}")
    names.append(i18n.t("measured.measured"))
    starts, widths, fills = [*starts, 0.0], [*widths, steps[-1]["speedup"]], [*fills, c["ink"]]
    words.append(f"{steps[-1]['speedup']:.2f}")
    if unsettled:
        words = [f"{w}?" for w in words]
    top = max(row["speedup"] for row in steps)
    down = [before["speedup"] > row["speedup"] for before, row in pairwise(steps)]
    shapes = ["", *("\\" if d else "/" for d in down), ""]
    hatch = {"shape": shapes, "fgcolor": c["paper"], "size": 7, "solidity": 0.22}
    figure = go.Figure()
    figure.add_bar(
        y=names, x=widths, base=starts, orientation="h", width=0.66, hoverinfo="skip", showlegend=False,
        marker={"color": fills, "line": {"color": c["ink"], "width": 1}, "pattern": hatch},
    )  # fmt: skip
    ends = [start + width for start, width in zip(starts, widths, strict=True)]
    figure.add_vline(x=1, line={"color": c["quiet"], "dash": "dash", "width": 1.5}, layer="below")
    # The words of a row stand to the right of the line at 1, never across it.
    ends = [max(end, 1.0) for end in ends]
    figure.add_scatter(x=ends, y=names, text=[f" {w}" for w in words], mode="text", textposition="middle right",
                       textfont={"color": c["ink"], "size": 14}, hoverinfo="skip", showlegend=False)  # fmt: skip
    figure.update_yaxes(autorange="reversed", automargin=True)
    if unsettled:
        figure.update_traces(opacity=_PALE, selector={"type": "bar"})
    figure.update_xaxes(range=[0, top * 1.75], ticksuffix="×")
    return dressed(figure, 70 + 34 * len(names))


def gammas(found: dict, asked: int, unsettled: bool = False) -> go.Figure:
    """Speed-up by γ for the survival of these texts, c and v; the best is a star, the γ that was run a ring. Where the times
    are unsettled none is best: a pale dotted curve."""
    c, curve, best = colours(), found["curve"], found["best_gamma"]
    figure = go.Figure()
    figure.add_scatter(
        x=list(range(len(curve))), y=curve, mode="lines+markers", name=i18n.t("measured.predicted"), hovertemplate="%{y:.3f}×",
        line={"color": c["ink"], "width": 2}, marker={"size": 8, "color": c["ink"]},
    )  # fmt: skip
    if not unsettled:
        figure.add_scatter(
            x=[best], y=[curve[best]], mode="markers+text", text=[f"{curve[best]:.2f}×"], textposition="top center",
            name=i18n.t("measured.best"), marker={"symbol": "star", "size": 18, "color": c["ink"]},
            textfont={"color": c["ink"], "size": 15}, hoverinfo="skip",
        )  # fmt: skip
    figure.add_scatter(
        x=[asked], y=[found["measured"]["value"]], mode="markers", name=i18n.t("measured.measured"), hovertemplate="%{y:.3f}×",
        marker={"symbol": "circle-open", "size": 14, "color": c["ink"], "line": {"width": 3}},
    )  # fmt: skip
    figure.add_hline(y=1, line={"color": c["quiet"], "dash": "dash", "width": 1.5})
    low, high = min(*curve, found["measured"]["value"], 1), max(*curve, found["measured"]["value"], 1)
    figure.update_xaxes(title="γ", dtick=1)
    figure.update_yaxes(range=[max(0, low - 0.15), high + 0.1 + 0.15 * (high - low)], ticksuffix="×")
    dressed(figure, 280)
    return provisional(figure) if unsettled else figure


def provisional(figure: go.Figure) -> go.Figure:
    """The same picture of what proves nothing: pale, hollow, its lines dotted, and every name with a question mark."""
    for trace in figure.data:
        symbol = trace.marker.symbol or "circle"
        trace.update(
            opacity=_PALE,
            name=f"{trace.name}?",
            marker={"symbol": symbol if symbol.endswith("-open") else f"{symbol}-open", "line": {"width": 2}},
            hovertemplate=f"{trace.hovertemplate}?",
        )
        if "lines" in trace.mode:
            trace.line.dash = "dot"
    return figure


def _rows(told: dict, span: list[float]) -> go.Figure:
    """An empty picture with one row a kind of text."""
    figure = go.Figure()
    names = [i18n.t(f"measured.kind_{kind}") for kind in told]
    figure.update_yaxes(
        tickvals=list(range(len(names))), ticktext=names, range=[len(names) - 0.4, -0.6], automargin=True, showgrid=False
    )
    figure.update_xaxes(range=span)
    return dressed(figure, 110 + 2 * _BAR * len(names))


def _marks(figure, told, name, symbol, colour, edge=None, offset=0.0, unit="") -> None:
    bands = [found[name] for found in told.values()]
    figure.add_scatter(
        x=[band["value"] for band in bands], y=[i + offset for i in range(len(bands))], mode="markers",
        name=i18n.t(f"measured.{name}"), error_x=_errors(bands, colour), hovertemplate="%{x:.3f}" + unit,
        marker={"symbol": symbol, "size": 13, "color": colour, "line": {"color": edge or colour, "width": 3 if edge else 2}},
    )  # fmt: skip


def _errors(bands: list[dict], colour: str) -> dict:
    known = [band["low"] is not None for band in bands]
    return {
        "array": [band["high"] - band["value"] if k else 0 for band, k in zip(bands, known, strict=True)],
        "arrayminus": [band["value"] - band["low"] if k else 0 for band, k in zip(bands, known, strict=True)],
        "color": colour,
        "thickness": 2,
        "width": 5,
    }


def dressed(figure: go.Figure, height: int) -> go.Figure:
    """Any chart in the look of the house: the page's own paper, ink and faint lines."""
    c = colours()
    figure.update_layout(
        height=height, margin={"l": 8, "r": 8, "t": 8, "b": 8}, paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)",
        font={"size": 14, "color": c["ink"]}, legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        dragmode=False,
    )  # fmt: skip
    for axes in (figure.update_xaxes, figure.update_yaxes):
        axes(
            title_font={"size": 14, "color": c["ink"]},
            gridcolor=_faint(c["line"]),
            zeroline=False,
            tickfont={"size": 14, "color": c["ink"]},
            fixedrange=True,
        )
    return figure


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.3)"
