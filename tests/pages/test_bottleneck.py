"""The bottleneck page without a browser: its address, its one job, and what a measurement does to it."""

import pytest

from specviz.locale import say
from specviz.ui import bottleneck
from specviz.ui.components.roofline import FRESH
from specviz.ui.state import engine
from tests.pages.app import errors, open_page, state_of


def test_a_link_to_the_bottleneck_carries_every_control():
    asked = {"params": "7e9", "dtype": "int4", "device": "rtx-4090", "tokens": "64", "context": "2000", "batch": "8"}
    values = state_of(open_page("bottleneck", lang="en", **asked))["values"]
    assert (values["params"], values["dtype"], values["device"]) == (7e9, "int4", "rtx-4090")
    assert (values["tokens"], values["context"], values["batch"]) == (64, 2000, 8)


@pytest.mark.parametrize(
    "bad",
    [
        {"params": "0"}, {"params": "x"}, {"params": "nan"}, {"params": "1e99"}, {"dtype": "fp7"}, {"device": "abacus"},
        {"tokens": "-1"}, {"tokens": "inf"}, {"context": "-1"}, {"batch": "0"}, {"layers": "0"}, {"bandwidth": "0"},
        {"tflops": "x"}, {"tokens": "1.7"}, {"batch": "2.5"}, {"context": "0.5"}, {"layers": "9.9"}, {"heads": "1"},
    ],
)  # fmt: skip
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_broken_link_to_the_bottleneck_is_one_sentence_and_a_page_that_works(bad, language):
    app = open_page("bottleneck", lang=language, **bad)
    ((name, value),) = bad.items()
    assert not app.exception and len(app.error) == 1
    assert name in errors(app)[0] or value in errors(app)[0]
    assert state_of(app)["values"] == FRESH


def test_what_is_right_in_a_broken_link_stands_and_each_fault_is_named():
    app = open_page("bottleneck", lang="en", params="7e9", dtype="int4", device="nonsense", tokens="1e9", batch="8")
    (says,) = errors(app)
    assert "device" in says and "tokens is 1000000000" in says
    assert state_of(app)["values"] == {**FRESH, "params": 7e9, "dtype": "int4", "batch": 8}


def test_a_link_to_a_model_as_it_was_measured_can_be_opened():
    """The bundled models are in FP16, which is not offered: what the page writes into its address it also reads."""
    app = open_page("bottleneck", lang="en", dtype="fp16")
    data = state_of(app)
    assert not app.error and data["values"]["dtype"] == "fp16"
    assert [entry["code"] for entry in data["dtypes"]] == ["fp32", "bf16", "fp8", "int8", "int4", "fp16"]


def errors_of(**query):
    return errors(open_page("bottleneck", lang="en", **query))


def test_more_kv_heads_than_query_heads_are_not_dropped_without_a_word():
    ((says),) = errors_of(kv_heads="8", heads="1")
    assert "kv-heads" in says and "8" in says and "1" in says
    assert not errors_of(kv_heads="8", heads="8")


def test_a_part_of_a_token_is_refused_and_not_cut_off():
    assert errors_of(tokens="1.7") == [say("en", "errors.not_whole", name="tokens", value="1.7")]
    assert not errors_of(tokens="2.0")


@pytest.mark.parametrize("name", [*FRESH])
def test_an_empty_value_says_as_little_as_none(name):
    app = open_page("bottleneck", lang="en", **{name: ""})
    assert not app.error and not app.exception and state_of(app)["values"] == FRESH


@pytest.mark.parametrize("query, says", [
    ({"device": "own", "bandwidth": "1e9"}, "bandwidth is 1000000000; it must lie between 0.0001 and 10000."),
    ({"params": "9"}, "params is 9; it must lie between 100000 and 100000000000000."),
])  # fmt: skip
def test_whole_numbers_are_written_whole(query, says):
    assert errors_of(**query) == [says]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_this_machine_is_not_measured_unasked_and_a_link_to_it_says_so(language):
    app = open_page("bottleneck", lang=language, device="this")
    assert any(say(language, "bottleneck.unmeasured") in i.value for i in app.info)
    assert state_of(app)["values"]["device"] == "h100-sxm" and state_of(app)["measured"] is None
    assert not engine()._jobs


def test_pressing_measure_queues_one_job_and_cancel_takes_it_away():
    app = open_page("bottleneck", lang="en")
    app.button(key="measure").click().run()
    assert not app.exception
    (job,) = engine()._jobs.values()
    assert job.state == "queued" and state_of(app)["measured"] is None
    app.button(key="measure_cancel").click().run()
    assert job.state == "cancelled" and app.button(key="measure")


REPORT = {
    "stage": "over",
    "share": 1.0,
    "device": {
        "code": "this", "name": "this machine", "memory": 25.0, "bandwidth": 0.02, "tflops": {"fp32": 0.08, "bf16": 0.2},
        "source": "this", "launch_ms": 0.4, "layer_ms": 0.45,
    },
    "model": {"params": 9_978_880, "dtype": "fp32", "context": 48,
              "shape": {"layers": 12, "kv_heads": 4, "head_dim": 64, "heads": 4}},
    "passes": [{"tokens": k, "q1": 8 + k / 10, "median": 9 + k / 10, "q3": 12 + k / 10} for k in (1, 2, 4, 5, 8, 16, 32, 64)],
}  # fmt: skip


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_was_measured_moves_the_picture_and_survives_a_change_of_page(language):
    app = open_page("bottleneck", lang=language)
    app.button(key="measure").click().run()
    (job,) = engine()._jobs.values()
    job.report, job.state = REPORT, "done"  # as the worker leaves it
    app.run()
    assert not app.exception
    assert state_of(app)["values"]["device"] == "this" and state_of(app)["values"]["layers"] == 12
    assert len(state_of(app)["measured"]["passes"]) == 8
    v5 = f"{9.5 / 9.1:.2f}"
    assert any(say(language, "bottleneck.means_free", v5=v5) in m.value for m in app.markdown)
    app.switch_page("pages/home.py").run()
    app.switch_page("pages/bottleneck.py").run()
    assert state_of(app)["values"]["device"] == "this" and state_of(app)["measured"]


def test_a_drag_that_the_page_has_overtaken_changes_nothing(monkeypatch):
    state = {"_roofline_turn": 2, "_roofline": dict(FRESH), bottleneck.KEY: {"state": {**FRESH, "tokens": 9, "turn": 1}}}
    monkeypatch.setattr(bottleneck.st, "session_state", state)
    monkeypatch.setattr(bottleneck, "_to_address", lambda values: None)
    bottleneck._changed()
    assert state["_roofline"] == FRESH
    state[bottleneck.KEY]["state"]["turn"] = 2
    bottleneck._changed()
    assert state["_roofline"]["tokens"] == 9


def test_times_that_contradict_each_other_conclude_nothing():
    passes = REPORT["passes"]
    assert not bottleneck.unsettled(passes)
    fallen = [{**row, "q1": 3.0, "median": 3.5, "q3": 4.0} if row["tokens"] == 16 else row for row in passes]
    assert bottleneck.unsettled(fallen), "sixteen tokens cheaper than one, beyond the quartiles of both"
    assert bottleneck.unsettled([{**row, "q3": 2 * row["q3"]} if row["tokens"] == 5 else row for row in passes])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_busy_machine_is_named_in_place_of_a_conclusion(language):
    app = open_page("bottleneck", lang=language)
    app.button(key="measure").click().run()
    (job,) = engine()._jobs.values()
    wide = [{**row, "q1": 0.1 * row["q1"]} for row in REPORT["passes"]]
    job.report, job.state = {**REPORT, "passes": wide}, "done"
    app.run()
    assert not app.exception and [w.value for w in app.warning] == [say(language, "bottleneck.busy")]
    assert not any("v(5)" in m.value for m in app.markdown)


@pytest.mark.parametrize(("slow", "kind"), [(1.1, "free"), (2.0, "some"), (4.6, "dear")])
def test_a_machine_on_which_guessing_cannot_pay_is_told_so(slow, kind):
    assert bottleneck.kind_of(slow) == kind
