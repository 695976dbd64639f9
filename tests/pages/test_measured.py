"""The measured half of the speed-up chapter, without a browser and without loading a model."""

import csv
import io
import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from specviz import gap
from specviz.locale import say
from specviz.ui import clock, measured
from specviz.ui.components.clock import START
from tests.test_gap import COST, sample

HERE = Path(__file__).parent


def report(gamma=4, **kinds):
    """A report as the engine makes it, of invented counts."""
    kinds = kinds or {
        "known": [sample([4, 3, 4, 4], beta=0.95), sample([4, 4, 2], beta=0.9)],
        "new": [sample([2, 1, 0, 4], speculative=130.0), sample([0, 1, 1])],
        "repeating": [sample([1, 0, 1], speculative=100.0, beta=0.6)] * 2,
        "unlike": [sample([0, 0, 0, 1], beta=0.02), sample([0, 0], beta=0.05)],
    }
    return {
        "pair": {"name": "poem"},
        "settings": {"gamma": gamma, "temperature": 1.0},
        "machine": {"cpu": "a processor", "cores": 2},
        "done": 6,
        "of": 6,
        "seconds": 31.0,
        "cost": {"target_ms": COST.target_ms, "c": COST.c, "v": [*COST.v, 1.4, 1.5, 1.6], "draft_ms": 1.0},
        "kinds": {kind: gap.told(samples, gamma, COST, 0) for kind, samples in kinds.items()},
        "samples": None,
    }


def open_sections(language="en", found=None, **query):
    app = AppTest.from_file(str(HERE / "sections.py"), default_timeout=60)
    app.query_params["lang"] = language
    for key, value in query.items():
        app.query_params[key] = value
    if found:
        app.session_state["_gain"] = found
    return app.run()


def words(app):
    return "\n".join([*(m.value for m in app.markdown), *tables(app)])


def tables(app):
    return [h.proto.body for h in app.get("html") if "<table>" in h.proto.body]


def clock_data(app):
    return json.loads(app.get("bidi_component")[-1].proto.json)[0]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_is_measured_unasked_and_the_button_queues_one_job(language):
    app = open_sections(language)
    assert not app.exception and "_gain_job" not in app.session_state
    assert say(language, "measured.run") == app.button(key="measured_run").label
    app.button(key="measured_run").click().run()
    assert not app.exception
    assert app.button(key="measured_run_cancel").label == say(language, "round.cancel")
    assert any(say(language, "round.queued", place=1) in p.proto.text for p in app.get("progress"))
    app.button(key="measured_run_cancel").click().run()
    assert not app.exception and any(say(language, "measured.cancelled") in c.value for c in app.caption)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_results_say_whether_it_pays_in_both_languages(language):
    app = open_sections(language, report())
    assert not app.exception
    text = words(app)
    for kind, sign in (("known", "✓"), ("new", "≈"), ("repeating", "✗"), ("unlike", "✗")):
        assert f"{sign} **{say(language, f'measured.kind_{kind}')}**" in text
    assert len(app.get("plotly_chart")) == 6 and len(app.get("download_button")) == 2


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_two_acceptance_rates_are_always_named(language):
    text = words(open_sections(language, report()))
    for name in ("alpha", "accepted_over_proposed", "beta"):
        assert say(language, f"measured.{name}") in text


def test_a_kind_on_which_no_gamma_pays_is_said_to_be_so():
    found = report()["kinds"]["unlike"]
    assert found["best_gamma"] == 0
    assert "does not pay here" in say("en", "measured.verdict_never", kind="", gamma=4, measured=1)
    app = open_sections("en", report())
    assert "the best γ is 0" in words(app)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_times_of_a_busy_machine_conclude_nothing(language):
    found = report()
    found["cost"]["v"] = [1.0, 1.3, 2.36, 1.2, 0.93, 1.0, 1.0, 1.1, 1.2]
    app = open_sections(language, found)
    assert not app.exception and [w.value for w in app.warning] == [say(language, "measured.busy")]
    assert not any(sign in words(app) for sign in ("✓", "✗", "≈"))
    assert say(language, "measured.gammas_busy") in words(app)
    assert '"busy": true' in measured.as_json(found) and ",busy,,1," in measured.as_csv(found)
    assert not open_sections(language, report()).warning


def charts(app):
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_a_busy_machine_timed_is_drawn_as_proving_nothing(language):
    found = report()
    sure = charts(open_sections(language, found))
    found["cost"]["v"] = [1.0, 1.3, 2.36, 1.2, 0.93, 1.0, 1.0, 1.1, 1.2]
    app = open_sections(language, found)
    (_, speeds, _, waterfall, line, gammas), best = charts(app), say(language, "measured.best")
    assert best in [trace["name"] for trace in sure[5]["data"]] and best not in str(gammas)
    assert not any("star" in str(trace["marker"]) for trace in gammas["data"])
    for trace in (*speeds["data"], *gammas["data"]):
        assert trace["opacity"] < 1 and trace["marker"]["symbol"].endswith("-open") and trace["name"].endswith("?")
    assert gammas["data"][0]["line"]["dash"] == "dot"
    bars, words_ = waterfall["data"]
    assert bars["opacity"] < 1 and all(text.endswith("?") for text in words_["text"])
    assert line == sure[4], "what was counted stands"
    (table,) = tables(app)
    assert "<b>" not in table and table.count("×") == table.count("×?<") + table.count("× (") == 2 * len(found["kinds"])
    assert table.count(f'title="{say(language, "measured.doubt")}"') == 2 * len(found["kinds"])


def test_texts_that_there_was_no_time_for_are_named():
    caption = [c.value for c in open_sections("en", {**report(), "planned": 48}).caption]
    assert any(say("en", "measured.cut", done=6, planned=48) in text for text in caption)
    assert not any("time was up" in c.value for c in open_sections("en", report()).caption)


def test_a_measurement_above_the_best_that_was_calculated_is_not_passed_over():
    found = report()["kinds"]["known"]
    found["measured"]["value"] = found["curve"][found["best_gamma"]] + 0.02
    said = measured._gammas_says(found, False)
    assert say("en", "measured.gammas_above", measured=f"{found['measured']['value']:.2f}") in said


def test_the_waterfall_is_named_when_the_prediction_fails():
    found = report()
    off = found["kinds"]["new"]["off"]
    assert off < -gap.CLAIM
    step = say("en", "measured.step_outside")
    assert say("en", "measured.off_below", n=f"{-100 * off:.0f}", step=step) in words(open_sections("en", found))


def test_a_kind_can_be_looked_at_closely():
    app = open_sections("en", report())
    app.button_group(key="measured_kind").set_value("unlike").run()
    assert not app.exception
    assert say("en", "measured.gammas_none", gain="1.00") in words(app)


def test_a_growing_report_stands_beside_the_last_whole_one():
    from specviz.ui.state import engine

    app = open_sections("en", report())
    app.button(key="measured_run").click().run()
    engine().find(app.session_state["_gain_job"]).report = {**report(), "done": 3}
    app.run()
    assert not app.exception and len(tables(app)) == 2


def test_a_report_of_nothing_is_a_sentence():
    app = open_sections("zh", report(known=[sample([])]))
    assert not app.exception and any(say("zh", "measured.nothing") in i.value for i in app.info)


def test_the_csv_and_the_json_hold_every_figure():
    found = report()
    rows = list(csv.DictReader(io.StringIO(measured.as_csv(found))))
    table = {(r["kind"], r["figure"], r["place"]): r for r in rows}
    for kind, told in found["kinds"].items():
        assert float(table[kind, "alpha", ""]["value"]) == told["alpha"]["value"]
        assert float(table[kind, "alpha", ""]["low"]) == told["alpha"]["low"]
        assert float(table[kind, "accepted_over_proposed", ""]["value"]) == told["accepted_over_proposed"]["value"]
        assert float(table[kind, "survival", "4"]["value"]) == told["survival"][3]["value"]
        product = 1.0
        for name in gap.STEPS:
            product *= float(table[kind, f"step_{name}", ""]["value"])
        assert product == pytest.approx(float(table[kind, "measured", ""]["value"]))
    assert float(table["", "v", "5"]["value"]) == COST.v[4]
    assert table["", "busy", ""]["value"] == "0"
    json.dumps(found, allow_nan=False)


def test_the_clock_shows_the_recorded_run_when_there_is_no_other():
    data = clock_data(open_sections("en"))
    assert data["recorded"] and data["start"] == START and data["facts"]["measured"] is None
    assert data["trace"]["rounds"]


def test_the_clock_of_this_machine_can_be_chosen_once_it_is_measured():
    found = report()
    data = clock_data(open_sections("en", found, device="this"))
    assert data["start"]["device"] == "this"
    assert data["facts"]["measured"] == {name: found["cost"][name] for name in ("target_ms", "c", "v")}
    assert clock_data(open_sections("en", device="this"))["start"]["device"] == START["device"]


def test_times_of_a_busy_machine_are_no_clock_of_its_own():
    found = report()
    found["cost"]["v"] = [1.0, 1.3, 2.36, 1.2, 0.93, 1.0, 1.0, 1.1, 1.2]
    data = clock_data(open_sections("en", found, device="this"))
    assert data["facts"]["measured"] is None and data["start"]["device"] == START["device"]


@pytest.mark.parametrize(
    "query, name, value",
    [
        ({"device": "rtx-4090"}, "device", "rtx-4090"),
        ({"target": "8e+09"}, "target", 8e9),
        ({"batch": "64"}, "batch", 64),
        ({"context": "131072"}, "context", 131072),
        ({"dtype": "int4"}, "dtype", "int4"),
        ({"device": "abacus"}, "device", START["device"]),
        ({"batch": "-3"}, "batch", 1),
        ({"target": "x"}, "target", START["target"]),
    ],
)
def test_a_link_carries_the_choice_and_a_broken_one_does_no_harm(query, name, value):
    app = open_sections("en", **query)
    assert not app.exception and clock_data(app)["start"][name] == value


def test_every_stop_of_a_slider_survives_the_address():
    from specviz.ui.components.clock import STOPS

    for stops in STOPS.values():
        assert len({f"{x:g}" for x in stops}) == len(stops)
    assert clock.KEY
