"""Every page runs through in both languages, without a browser and without loading a model."""

import shutil

import pytest
from streamlit.runtime.pages_manager import PagesManager

from specviz import examples
from specviz.engine.work import Request
from specviz.locale import say
from specviz.settings import Settings
from specviz.trace import Trace
from specviz.ui import frame
from specviz.ui.state import engine
from tests.pages.app import component, open_page, state_of


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
    verdicts = {name: [g["verdict"] for g in examples.load(name)["trace"]["rounds"][0]["draft"]] for name in examples.NAMES}
    home = examples.load("home")["trace"]
    assert home["first"]["text"] == "，" and home["rounds"][0]["draft"][0]["text"] == "低"
    assert verdicts["home"][:2] == ["accepted", "rejected"] and verdicts["lucky"][:2] == ["accepted", "accepted"]
    second, lucky = home["rounds"][0]["draft"][1], examples.load("lucky")["trace"]["rounds"][0]["draft"][1]
    assert second["id"] == lucky["id"] and 0.03 < second["p"] / second["q"] < 0.3
    ground = examples.load("ground")["trace"]
    assert verdicts["ground"][:2] == ["accepted", "rejected"] and ground["rounds"][0]["fix"]["text"] == "地"
    assert ground["text"] == "疑是地上霜。举头望明月，低头思故乡。"
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


def test_a_cold_link_says_its_own_settings_at_once():
    app = open_page("round", lang="en", gamma="3", seed="40", temperature="0.7")
    (popover,) = app.get("popover")
    assert popover.proto.popover.label == say("en", "round.chosen", gamma=3, temperature=0.7, seed=40)


def test_a_run_somebody_gave_up_is_not_what_a_newcomer_sees():
    app = open_page("round", lang="en")
    app.button(key="run").click().run()
    app.button(key="cancel").click().run()
    newcomer = open_page("round", lang="en")
    assert not newcomer.exception and newcomer.button(key="run")
    assert state_of(newcomer)["recorded"] is True


def test_cancel_stands_while_a_run_that_was_joined_goes_on():
    app = open_page("round", lang="en", seed="40")
    app.button(key="run").click().run()
    joined = open_page("round", lang="en", seed="40")
    assert joined.button(key="cancel") and state_of(joined)["recorded"] is False


@pytest.mark.parametrize("name", ["round", "one_page"])
def test_a_newcomer_sees_the_recorded_run_whatever_others_have_run(name):
    app = open_page(name, lang="en")
    app.button(key="run").click().run()
    assert state_of(app)["recorded"] is False, "who ran it sees the run"
    newcomer = open_page(name, lang="en")
    assert state_of(newcomer)["recorded"] is True and newcomer.button(key="run")


def test_an_example_sets_every_control():
    app = open_page("round", lang="en")
    app.selectbox(key="example").set_value("spring").run()
    assert not app.exception
    settings = examples.load("spring")["settings"]
    assert app.text_input(key="prompt").value == examples.load("spring")["prompt"]
    assert app.slider(key="gamma").value == 12 == settings["gamma"]
    assert app.number_input(key="seed").value == settings["seed"]


@pytest.mark.parametrize("name", examples.NAMES)
def test_a_link_to_an_example_shows_that_example(name):
    example = examples.load(name)
    s = example["settings"]
    app = open_page(
        "round", lang="en", prompt=example["prompt"], gamma=str(s["gamma"]), temperature=str(float(s["temperature"])),
        seed=str(s["seed"]), length=str(s["max_new_tokens"]),
    )  # fmt: skip
    assert state_of(app)["trace_id"] == f"recorded-{name}"


def test_a_chat_is_offered_only_where_the_pair_has_a_template_for_it(tmp_path, pair_folder):
    chatty = tmp_path / "chatty"
    shutil.copytree(pair_folder / "target", chatty)
    (chatty / "chat_template.jinja").write_text("{{ messages[0].content }}")
    assert not open_page("round", lang="en").toggle
    app = open_page("round", lang="en", pair=str(chatty))
    assert app.toggle(key="chat").label == say("en", "round.chat") and app.toggle(key="chat").value is True
    app.button(key="run").click().run()
    (job,) = engine()._jobs.values()
    assert job.request.settings.chat is True and not app.exception
    app.button(key="cancel").click().run()
    app.toggle(key="chat").set_value(False).run()
    app.button(key="run").click().run()
    assert [job.request.settings.chat for job in engine()._jobs.values()] == [True, False]
    app.selectbox(key="pair_list").set_value("poem").run()  # another pair: the choice does not stay with it
    assert not app.toggle and not app.exception


NOTES = [
    {"code": "no_end"},
    {"code": "little_room", "room": 3, "asked": 48, "context": 512},
    {"code": "short_draft", "context": 40, "target": 96},
]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_was_not_perfect_stands_under_the_player(language):
    job = engine().submit(Request("poem", "春眠不觉晓，", Settings(seed=77)))
    job.trace = Trace.from_json({**examples.load("ground")["trace"], "notes": NOTES})
    job.state = "done"
    app = open_page("round", lang=language, prompt="春眠不觉晓，", seed="77")
    said = [caption.value for caption in app.caption]
    assert all(say(language, f"notes.{note['code']}", **note) in said for note in NOTES)
    assert not any("{" in sentence for sentence in said)
