"""Every page runs through in both languages, without a browser and without loading a model."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

from specviz import examples
from specviz.engine import catalogue
from specviz.engine.drafters import CODES
from specviz.engine.service import ModelState
from specviz.engine.work import Request
from specviz.locale import say
from specviz.settings import Settings
from specviz.trace import Trace
from specviz.ui import controls, frame, words
from specviz.ui.state import engine
from tests.pages.app import ROOT, component, errors, open_page, state_of

BUNDLED = list(catalogue.bundled())


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


def test_every_bundled_pair_has_a_run_to_open_with():
    assert list(examples.BY_PAIR) == list(examples.OPENING) == list(examples.FIRST) == BUNDLED
    assert all({examples.OPENING[name], examples.FIRST[name]} <= set(examples.BY_PAIR[name]) for name in BUNDLED)
    assert all(examples.load(run)["pair"] == name for name in BUNDLED for run in examples.BY_PAIR[name])


def test_the_examples_of_the_english_pair_show_what_their_labels_say():
    runs = {name: examples.load(name)["trace"] for name in examples.BY_PAIR["english"]}
    verdicts = {name: [guess["verdict"] for guess in run["rounds"][0]["draft"]] for name, run in runs.items()}
    assert verdicts["news"][:2] == ["accepted", "rejected"]
    assert "Which alters when it alteration finds" in runs["minds"]["text"]
    assert verdicts["mark"] == ["rejected"] + ["discarded"] * 11
    for name, temperature in {"minds": 0.0, "stack": 0.6, "copy": 0.0, "wild": 2.0}.items():
        assert runs[name]["settings"]["temperature"] == temperature


@pytest.mark.parametrize("language, own", [("en", "english"), ("zh", "poem")])
def test_the_start_page_plays_the_pair_of_the_readers_language(language, own):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    app.query_params["lang"] = language
    assert state_of(app.run())["trace_id"] == f"recorded-{examples.FIRST[own]}"


def test_a_pair_chosen_once_stays_whatever_page_or_language():
    app = open_page("round", lang="en", pair="english")
    app.selectbox(key="pair_list").set_value("poem").run()
    assert app.text_input(key="prompt").value == examples.opening("poem")["prompt"], "nobody had typed the other"
    app.switch_page("pages/one_page.py").run()
    assert app.query_params["pair"] == "poem" and app.selectbox(key="pair_list").value == "poem"


def test_a_prompt_of_several_lines_keeps_them_in_a_field_of_one():
    app = open_page("round", lang="en", pair="english")
    app.selectbox(key="example").set_value("stack").run()
    assert app.text_input(key="prompt").value == "class Stack:↵    def __init__(self):↵"
    assert state_of(app)["trace_id"] == "recorded-stack"
    app.text_input(key="prompt").set_value("import os↵").run()
    app.button(key="run").click().run()
    (job,) = engine()._jobs.values()
    assert job.request.prompt == "import os\n"


@pytest.mark.parametrize("language, own", [("en", "english"), ("zh", "poem")])
def test_a_pair_without_recorded_runs_opens_with_those_of_the_readers_language(language, own):
    app = open_page("round", lang=language, pair="smollm2-135m")
    assert state_of(app)["trace_id"] == f"recorded-{examples.OPENING[own]}" and not app.exception


def test_what_was_typed_stays_when_the_pair_changes():
    app = open_page("round", lang="en", pair="english")
    app.text_input(key="prompt").set_value("to be").run()
    app.selectbox(key="pair_list").set_value("poem").run()
    assert app.text_input(key="prompt").value == "to be" and not app.exception


def loaded(*names):
    """As if this server had loaded these pairs."""
    for name in names:
        engine().models[name] = ModelState(state="ready")


def test_a_folder_that_is_gone_breaks_no_page(tmp_path, pair_folder):
    folder = tmp_path / "gone"
    shutil.copytree(pair_folder / "target", folder)
    open_page("round", lang="en")
    loaded(str(folder))
    ours = open_page("round", lang="en", pair=str(folder))
    assert ours.selectbox(key="pair_list").value == str(folder)
    shutil.rmtree(folder)
    strangers = open_page("round", lang="en")
    assert not strangers.exception and strangers.selectbox(key="pair_list").options == [
        say("en", f"pairs.{n}") for n in BUNDLED
    ]
    ours.run()
    assert not ours.exception and ours.selectbox(key="pair_list").value == "english"


def test_two_folders_of_one_name_are_told_apart(tmp_path, pair_folder):
    folders = [str(tmp_path / owner / "target") for owner in "ab"]
    for folder in folders:
        shutil.copytree(pair_folder / "target", folder)
    open_page("round", lang="en")
    loaded(*folders)
    options = open_page("round", lang="en").selectbox(key="pair_list").options
    assert len(options) == len(set(options)) == len(BUNDLED) + 2


@pytest.mark.parametrize("page", ["round", "one_page", "rule"])
@pytest.mark.parametrize("number", ["inf", "1e400", "nan", "-1", "999999999999999999999", "abc", ""])
def test_a_number_in_the_address_that_is_none_is_forgotten(page, number):
    names = ("court_seed", "court_temperature") if page == "rule" else ("seed", "gamma", "temperature", "length")
    app = open_page(page, lang="zh", view="court", **dict.fromkeys(names, number))
    noted = " ".join(note.value for note in app.toast)
    assert all((name.replace("_", "\\_") in noted) == bool(number) for name in names), noted
    assert not app.exception and not app.run().exception
    says = " ".join(label for element in app.main for label in [getattr(element, "label", "") or ""])
    assert "nan" not in says and "inf" not in says and "γ -1" not in says and "γ 999" not in says


def test_half_a_guess_in_the_address_is_named_and_forgotten():
    app = open_page("round", lang="en", gamma="2.5", seed="7")
    assert [note.value for note in app.toast] == [say("en", "errors.not_whole", name="gamma", value="2.5")]
    assert app.slider(key="gamma").value == 4 and app.number_input(key="seed").value == 7 and not app.exception


@pytest.mark.parametrize("page", ["round", "one_page", "speedup", "bottleneck", "rule", "models"])
def test_nothing_in_an_address_is_taken_for_markdown(page):
    evil = "![x](https://evil.example/x.png) [y](https://evil.example) **z** $a$"
    asked = dict.fromkeys(("pair", "device", "dtype", "target", "mode", "p", "q", "alpha", "survival"), evil)
    app = open_page(page, lang="zh", **asked)
    assert not app.exception
    for element in [*app.error, *app.info, *app.caption]:
        assert not re.search(r"(?<!\\)(!\[|\]\(|\*\*|\$)", element.value), element.value


def test_an_address_in_a_refusal_takes_no_words_along():
    assert words.literal("从 https://huggingface.co：请检查") == "从 `https://huggingface.co`：请检查"
    assert words.literal("see www.a.b/c_d: now") == "see `www.a.b/c_d`\\: now"


def test_every_refusal_on_a_page_goes_one_way():
    bare = [file for file in (ROOT / "specviz" / "ui").rglob("*.py") if ".sentence(" in file.read_text(encoding="utf-8")]
    assert [file.name for file in bare] == ["words.py"]


@pytest.mark.parametrize("page, key", [("speedup", "measured_run"), ("one_page", "compare")])
def test_what_needs_a_draft_says_so_where_there_is_none(page, key):
    app = open_page(page, lang="en", pair="smollm2-135m", view="court")
    assert app.button(key=key).disabled and say("en", "models.no_draft") in [c.value for c in app.caption]
    assert not open_page(page, lang="en", pair="poem", view="court").button(key=key).disabled


@pytest.mark.parametrize("name", ["nothing", "a|b|c", "|", "../x/..", "<b>x</b>", "x" * 3000])
def test_a_pair_in_the_address_that_is_none_is_one_sentence(name):
    app = open_page("round", lang="en", pair=name)
    assert len(app.error) == 1 and not app.exception
    assert app.selectbox(key="pair_list").value == "english"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_pressing_run_on_an_empty_prompt_says_what_to_do(language):
    app = open_page("round", lang=language)
    app.text_input(key="prompt").set_value("  ").run()
    assert any(words.literal(say(language, "errors.empty_prompt")) in e.value for e in app.error)
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
    app.button(key="run_cancel").click().run()
    newcomer = open_page("round", lang="en")
    assert not newcomer.exception and newcomer.button(key="run")
    assert state_of(newcomer)["recorded"] is True


def test_cancel_stands_while_a_run_that_was_joined_goes_on():
    app = open_page("round", lang="en", seed="40")
    app.button(key="run").click().run()
    joined = open_page("round", lang="en", seed="40")
    assert joined.button(key="run_cancel") and state_of(joined)["recorded"] is False


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
        "round", lang="en", pair=example["pair"], prompt=example["prompt"], gamma=str(s["gamma"]),
        temperature=str(float(s["temperature"])), seed=str(s["seed"]), length=str(s["max_new_tokens"]), drafter=s["drafter"],
    )  # fmt: skip
    assert state_of(app)["trace_id"] == f"recorded-{name}"


@pytest.mark.parametrize("pair", BUNDLED)
def test_a_fresh_page_claims_no_change(pair):
    assert say("en", "round.changed") not in [caption.value for caption in open_page("round", lang="en", pair=pair).caption]


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
    app.button(key="run_cancel").click().run()
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


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_who_guesses_is_chosen_among_those_who_can_and_travels_in_the_address(lang):
    app = open_page("round", lang=lang)
    asked = app.selectbox(key="drafter_list")
    assert asked.options == [say(lang, f"family.name_{code}") for code in CODES] and "drafter" not in app.query_params
    asked.set_value("early-exit").run()
    app.slider(key="layers_12").set_value(6).run()
    assert app.query_params["drafter"] in ("early-exit", ["early-exit"]) and not app.exception
    app.selectbox(key="pair_list").set_value("english").run()
    assert app.selectbox(key="drafter_list").value == "early-exit"


@pytest.mark.parametrize(("asked", "code"), [("oracle", "no_drafter"), ("model", "no_draft")])
def test_a_drafter_that_cannot_serve_is_answered_with_a_sentence_and_the_page_goes_on(asked, code):
    app = open_page("round", lang="en", pair="smollm2-135m", drafter=asked)
    assert len(errors(app)) == 1 and errors(app)[0].startswith(say("en", f"errors.{code}")[:20].replace("“{name}”", ""))
    assert app.selectbox(key="drafter_list").value == "lookup" and not app.exception
    assert "drafter" not in app.query_params


def test_the_court_tries_a_pair_without_a_draft_by_its_own_text():
    app = open_page("rule", lang="en", pair="smollm2-135m", view="court")
    assert app.selectbox(key="court_drafter_list").value == "lookup" and not app.button(key="court_throw").disabled


def test_the_first_picture_waits_for_nothing_heavy():
    """Neither what the home page runs before its picture, nor the mounting of it, imports what takes a third of a second."""
    script = Path(__file__).parent / "first_picture.py"
    told = subprocess.run([sys.executable, script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert json.loads(told.stdout) == {"pictures": 1, "asked": ["numpy"], "asked_before_the_picture_is_out": []}


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("page, key", [("round", "prompt"), ("drafters", "family_prompt"), ("rule", "court_prompt")])
def test_a_prompt_in_the_address_that_is_cut_is_said_to_be(page, key, lang):
    most = controls.LONGEST_PROMPT
    app = open_page(page, lang=lang, view="court", **{key: "月" * (most + 1)})
    said = words.literal(say(lang, "errors.text_cut", name=key, characters=most + 1, most=most))
    assert [note.value for note in app.toast] == [said] and not app.exception
    assert not open_page(page, lang=lang, view="court", **{key: "月" * most}).toast


def test_a_temperature_is_shown_as_it_runs():
    app = open_page("round", lang="en", temperature="0.123456")
    assert "T 0.12 " in app.get("popover")[0].proto.popover.label and app.slider(key="temperature").proto.format == "%.2f"
