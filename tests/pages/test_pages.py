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


def test_a_link_to_the_speed_up_carries_the_whole_picture():
    app = open_page(
        "speedup", lang="en", alpha="0.7", gamma="6", c="0.11", s="0.02", mode="papers", row="ende-large-0", trap="1",
        survival="0.9,0.5,0.5", task="2",
    )  # fmt: skip
    data = state_of(app)
    assert (data["alpha"], data["gamma"], data["c"], data["s"]) == (0.7, 6, 0.11, 0.02)
    assert (data["mode"], data["row"], data["trap"], data["task"]) == ("papers", "ende-large-0", True, 2)
    assert data["survival"] == [0.9, 0.5, 0.5] and data["preset"] is None


def test_the_speed_up_opens_with_the_sum_of_a_recorded_run():
    data = state_of(open_page("speedup", lang="en"))
    preset = data["presets"][0]
    assert data["mode"] is None and data["preset"] == preset["code"] == "recorded" and data["survival"] == preset["survival"]
    assert 1 + sum(preset["survival"]) == pytest.approx(preset["tokens"] / preset["rounds"])
    assert {table["name"] for table in data["tables"]} == {"t5", "ideal", "alphas", "lenience", "chinchilla"}


@pytest.mark.parametrize(
    "name, bad",
    [("alpha", "1.2"), ("alpha", "x"), ("gamma", "30"), ("gamma", "2.5"), ("c", "-1"), ("s", "nan"), ("task", "4"),
     ("survival", "0.5,0.6"), ("survival", "0.5,2"), ("survival", "a"), ("survival", ",".join(["0.5"] * 21))],
)  # fmt: skip
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_broken_link_to_the_speed_up_is_one_sentence_and_a_page_that_works(name, bad, language):
    app = open_page("speedup", lang=language, **{name: bad})
    assert not app.exception and len(app.error) == 1
    assert state_of(app)["alpha"] == 0.8
