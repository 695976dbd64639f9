"""Every page runs through in both languages, without a browser and without loading a model."""

from pathlib import Path

import pytest
import streamlit as st
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

from specviz import examples
from specviz.engine.service import Service
from specviz.locale import say
from specviz.ui import frame

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(autouse=True)
def no_models(monkeypatch):
    """A service that never gets to loading; caches are shared between tests."""
    monkeypatch.setattr(Service, "_work", lambda self: None)
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()


def open_page(name, **query):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    return app if name == "home" else app.switch_page(f"pages/{name}.py").run()


def component(app):
    return list(app.get("bidi_component"))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", ["home", *frame.CHAPTERS])
def test_every_page_runs_in_both_languages(name, language):
    app = open_page(name, lang=language)
    assert not app.exception
    assert component(app), "the first picture is there before any model"


def test_the_private_attribute_that_cold_deep_links_rest_on_still_exists():
    assert hasattr(PagesManager, "uses_pages_directory")


@pytest.mark.parametrize("name", examples.NAMES)
def test_every_example_is_a_whole_recorded_run(name):
    example = examples.load(name)
    trace = example["trace"]
    assert trace["finish_reason"] and trace["rounds"]
    assert len(example["plain"]["ms"]) == len(trace["output_ids"]) - 1
    assert trace["output_ids"] == [trace["first"]["id"], *(i for r in trace["rounds"] for i in r["emitted"])]
    if example["settings"]["temperature"] == 0:
        assert example["plain"]["output_ids"] == trace["output_ids"]


def test_the_examples_show_what_their_labels_say():
    from specviz.settings import Settings

    verdicts = {name: [g["verdict"] for g in examples.load(name)["trace"]["rounds"][0]["draft"]] for name in examples.NAMES}
    home = examples.load("home")["trace"]
    assert home["first"]["text"] == "举" and home["rounds"][0]["draft"][0]["text"] == "头"
    assert verdicts["home"][:2] == ["accepted", "rejected"] and verdicts["lucky"][:2] == ["accepted", "accepted"]
    second, lucky = home["rounds"][0]["draft"][1], examples.load("lucky")["trace"]["rounds"][0]["draft"][1]
    assert second["id"] == lucky["id"] and 0.03 < second["p"] / second["q"] < 0.3
    assert verdicts["spring"] == ["rejected"] + ["discarded"] * 11
    assert "举头望明月，低头思故乡" in examples.load("moon")["trace"]["text"]
    assert all(Settings.from_json(examples.load(name)["settings"]) for name in examples.NAMES)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_pressing_run_on_an_empty_prompt_says_what_to_do(language):
    app = open_page("round", lang=language)
    app.text_input(key="prompt").set_value("  ").run()
    assert any(say(language, "errors.empty_prompt") in e.value for e in app.error)
    assert not app.exception


def test_pressing_run_queues_one_job_and_waits_for_it():
    app = open_page("round", lang="en")
    app.button(key="run").click().run()
    assert not app.exception
    assert any(say("en", "round.queued", place=1) in c.value for c in app.caption)


def test_an_example_sets_every_control():
    app = open_page("round", lang="en")
    app.button_group(key="example").set_value("spring").run()
    assert not app.exception
    settings = examples.load("spring")["settings"]
    assert app.text_input(key="prompt").value == examples.load("spring")["prompt"]
    assert app.slider(key="gamma").value == 12 == settings["gamma"]
    assert app.number_input(key="seed").value == settings["seed"]


def state_of(app):
    import json

    return json.loads(component(app)[0].proto.json)


def test_a_link_to_the_rule_carries_the_whole_picture():
    app = open_page(
        "rule", lang="en", p="0.5,0.3,0.2", q="0.1,0.6,0.3", tokens='["x","y","z"]', seed="7", mode="rain", throws="100"
    )
    data = state_of(app)
    assert data["p"] == [0.5, 0.3, 0.2] and data["q"] == [0.1, 0.6, 0.3] and data["tokens"] == ["x", "y", "z"]
    assert (data["seed"], data["tab"], data["throws"]) == (7, "rain", 100)


@pytest.mark.parametrize(
    "p, q",
    [("0.5,0.6", "0.5,0.5"), ("a,b", "0.5,0.5"), ("1", "1"), ("nan,1", "0.5,0.5"), ("-1,2", "0.5,0.5"), ("0.5,0.5", "1,0,0")],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_broken_link_to_the_rule_is_one_sentence_and_a_page_that_works(p, q, language):
    app = open_page("rule", lang=language, p=p, q=q)
    assert not app.exception and len(app.error) == 1
    assert sum(state_of(app)["p"]) == pytest.approx(1)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_court_lists_the_whole_gallery(language):
    from specviz import gallery

    app = open_page("rule", lang=language, view="court")
    assert not app.exception
    table = next(m.value for m in app.markdown if "`speculative`" in m.value)
    assert all(f"`{name}`" in table for name in gallery.RULES)


COURT = {"court_prompt": "举头望明月，低头", "court_temperature": "0.7", "court_seed": "42"}


def controls_of(court):
    return (
        court.text_input(key="court_prompt").value,
        court.slider(key="court_temperature").value,
        court.number_input(key="court_seed").value,
    )


def asked_of(app):
    """The trials that wait in the queue."""
    from specviz.ui.state import engine

    return [job.request for job in engine()._waiting()]


def test_a_link_to_the_court_carries_its_controls_and_starts_nothing():
    app = open_page("rule", lang="en", view="court", **COURT)
    assert controls_of(app) == ("举头望明月，低头", 0.7, 42)
    assert not app.exception and not asked_of(app)


def test_what_the_court_is_asked_is_what_its_controls_say():
    app = open_page("rule", lang="en", view="court", **COURT)
    app.button(key="court_throw").click().run()
    app.button(key="court_write").click().run()
    place, texts = asked_of(app)
    assert (place.prompt, place.settings.temperature, place.settings.seed) == ("举头望明月，低头", 0.7, 42)
    assert texts.pair is None and texts.settings.seed == 42


def test_the_controls_of_the_court_survive_a_page_switch_and_a_change_of_view():
    app = open_page("rule", lang="en", view="court", **COURT)
    app.switch_page("pages/round.py").run()
    app.switch_page("pages/rule.py").run()
    assert controls_of(app) == ("举头望明月，低头", 0.7, 42)
    app.button_group(key="view").set_value("play").run()
    app.button_group(key="view").set_value("court").run()
    assert controls_of(app) == ("举头望明月，低头", 0.7, 42)


@pytest.mark.parametrize(
    "bad",
    [
        {"court_temperature": "hot"}, {"court_temperature": "0"}, {"court_temperature": "99"}, {"court_temperature": "nan"},
        {"court_seed": "-1"}, {"court_seed": "1e99"}, {"court_seed": "x"}, {"court_seed": str(10**40)},
    ],
)  # fmt: skip
def test_bad_values_in_the_address_of_the_court_fall_back(bad):
    app = open_page("rule", lang="en", view="court", **bad)
    assert not app.exception and not asked_of(app)
    assert controls_of(app) == controls_of(open_page("rule", lang="en", view="court"))


def test_a_prompt_in_the_address_is_cut_at_the_length_that_can_be_typed():
    from specviz.ui.controls import LONGEST_PROMPT

    app = open_page("rule", lang="en", view="court", court_prompt="x" * 9000)
    assert not app.exception and controls_of(app)[0] == "x" * LONGEST_PROMPT


def test_a_view_that_does_not_exist_is_the_first_one():
    app = open_page("rule", lang="en", view="nowhere")
    assert not app.exception and component(app) and app.query_params["view"] in ("play", ["play"])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_empty_place_is_answered_with_a_sentence(language):
    app = open_page("rule", lang=language, view="court", court_prompt="  ")
    assert [e.value for e in app.error] == [say(language, "errors.empty_prompt")]
    app.button(key="court_throw").click().run()
    assert not app.exception and not asked_of(app)


def test_a_link_to_the_court_carries_the_picture_too():
    app = open_page("rule", lang="en", view="court", p="0.5,0.3,0.2", q="0.1,0.6,0.3", tokens='["x","y","z"]')
    assert any("x p=0.50 q=0.10 · y p=0.30 q=0.60" in c.value for c in app.caption)


@pytest.mark.parametrize("name", examples.NAMES)
def test_a_link_to_an_example_shows_that_example(name):
    example = examples.load(name)
    s = example["settings"]
    app = open_page(
        "round", lang="en", prompt=example["prompt"], gamma=str(s["gamma"]), temperature=str(float(s["temperature"])),
        seed=str(s["seed"]), length=str(s["max_new_tokens"]),
    )  # fmt: skip
    assert state_of(app)["trace_id"] == f"recorded-{name}"


def test_a_link_that_the_rule_page_writes_is_one_that_it_reads():
    import numpy as np

    from specviz import court
    from specviz.ui import play

    for seed in range(300):
        rows = np.random.default_rng(seed).dirichlet(np.ones(6), 2)
        court.check(*([float(x) for x in play._joined(row).split(",")] for row in rows))
