"""The page of drafters: what stands there before anything is run, what an address brings, what is said when it cannot be."""

import json

import pytest

from specviz import examples, family, kinds
from specviz.engine import catalogue
from specviz.engine.drafters import CODES
from specviz.engine.work import Family
from specviz.errors import BadInput
from specviz.locale import LANGUAGES, say
from specviz.settings import Settings
from specviz.ui import variants, words
from specviz.ui.state import engine
from tests.pages.app import component, errors, open_page
from tests.reports import report

BUNDLED = list(catalogue.bundled())


def page(lang="en", **query):
    return open_page("drafters", lang=lang, **query)


def mounted(app) -> list[dict]:
    return [json.loads(one.proto.json)[0] for one in component(app)]


def table(app) -> dict:
    return mounted(app)[0]


def rows(app) -> dict[str, dict]:
    return {row["drafter"]: row for row in table(app)["rows"]}


def job_of(app, told, state="done"):
    """As if the worker had done what was asked for."""
    (job,) = [job for job in engine()._jobs.values() if isinstance(job.request, Family)]
    job.report, job.state = told, state
    return job


@pytest.mark.parametrize("pair", BUNDLED)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_recorded_run_stands_there_in_the_readers_words(language, pair):
    app = page(language, pair=pair)
    assert not app.exception and table(app)["recorded"]
    found = rows(app)
    assert list(found) == ["plain", *CODES] and {row["state"] for row in found.values()} == {"done"}
    assert found["lookup"]["name"] == say(language, "family.name_lookup")
    assert say(language, "drafters.changed") not in [c.value for c in app.caption], "the controls say what was recorded"


@pytest.mark.parametrize("pair", BUNDLED)
def test_what_was_recorded_is_a_whole_report_of_real_runs(pair):
    told = examples.family(pair)
    assert told["now"] is None and set(told["rows"]) == set(CODES) and told["kind"] == "copied"
    assert told["prompt"] == kinds.ready(pair)["copied"] and set(told["kinds"]) == set(kinds.ready(pair))
    for code, row in told["rows"].items():
        trace = row["trace"]
        made = sum(len(one["emitted"]) for one in trace["rounds"])
        assert row["tokens_per_round"] == pytest.approx(made / len(trace["rounds"]))
        assert row["same_as_plain"] and trace["drafter"]["code"] == code and trace["finish_reason"]
        assert family.figures(told)[code]["speed"] == row["speed"] == told["kinds"]["copied"][code]["speed"]
    size = (examples.FOLDER / "family" / f"{pair}.json").stat().st_size
    assert size < 300_000


def test_the_player_plays_the_row_of_the_address():
    for code in CODES:
        app = page(row=code)
        trace = mounted(app)[1]
        assert trace["trace"]["drafter"]["code"] == code and trace["recorded"]
    assert mounted(page(row="nobody"))[1]["trace"]["drafter"]["code"] == "model"


def test_an_address_starts_nothing_and_brings_every_control():
    app = page(family_prompt="山", family_gamma="3", family_temperature="0.5", drafters="lookup,ngram", sort="-speed")
    assert not engine()._jobs and not app.exception
    assert app.text_input(key="family_prompt").value == "山" and app.slider(key="family_gamma").value == 3
    assert table(app)["sort"] == "-speed" and app.query_params["drafters"] == "lookup,ngram"
    assert say("en", "drafters.changed") in [c.value for c in app.caption]


def test_run_asks_for_exactly_what_the_controls_say():
    app = page(family_gamma="3", drafters="lookup,ngram", family_n="2")
    app.button(key="family_run").click().run()
    (job,) = engine()._jobs.values()
    assert job.request.drafters == ("lookup", "ngram") and job.request.settings == Settings(3, 0.0, max_new_tokens=64, n=2)
    assert app.button(key="family_run_cancel") and rows(app)["lookup"]["state"] == "waiting"
    assert list(rows(app)) == ["plain", "lookup", "ngram"]


def test_rows_come_in_while_others_wait():
    app = page()
    app.button(key="family_run").click().run()
    job_of(app, {**report(codes=CODES[:2]), "now": "ngram", "share": 0.5}, "running")
    app.run()
    states = {code: row["state"] for code, row in rows(app).items()}
    assert states == {
        "plain": "done", "model": "done", "lookup": "done", "ngram": "running", "early-exit": "waiting", "quantised": "waiting",
    }  # fmt: skip
    assert table(app)["share"] == 0.5 and not table(app)["recorded"]


def test_what_was_finished_stays_when_a_run_is_cancelled():
    app = page()
    app.button(key="family_run").click().run()
    job = job_of(app, {**report(codes=CODES[:2]), "now": "ngram"}, "running")
    app.run()
    app.button(key="family_run_cancel").click().run()
    job.state = "cancelled"
    app.run()
    assert not app.exception and rows(app)["lookup"]["state"] == "done" and rows(app)["ngram"]["state"] == "left"
    assert say("en", "drafters.left") in table(app)["says"]


def busy_report():
    told = report()
    told["rows"]["lookup"] |= {"speed": 1.48, "tokens_per_round": 1.0}
    return told


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("state", ["running", "done", "cancelled"])
def test_the_speeds_of_a_busy_machine_are_handed_on_as_proving_nothing(language, state):
    app = page(language)
    assert not table(app)["busy"]
    app.button(key="family_run").click().run()
    job_of(app, {**busy_report(), "now": "quantised" if state == "running" else None}, state)
    app.run()
    shown, played = mounted(app)[:2]
    assert shown["busy"] and played["plain"]["busy"] and shown["labels"]["doubt"] == say(language, "family.doubt")
    assert state == "running" or say(language, "drafters.busy") in shown["says"]


def test_a_run_that_failed_says_why_in_one_sentence():
    app = page()
    app.button(key="family_run").click().run()
    job = job_of(app, None, "failed")
    job.error = BadInput("not_here", ref="poem")
    app.run()
    assert errors(app) == [say("en", "errors.not_here", ref="poem")] and not app.exception
    assert {row["state"] for row in rows(app).values()} == {"left"}


def test_a_link_shows_the_run_this_server_has_done():
    app = page(family_seed="7")
    app.button(key="family_run").click().run()
    job_of(app, report())
    other = page(family_seed="7")
    assert not table(other)["recorded"] and len(engine()._jobs) == 1


def test_a_fresh_visitor_sees_the_recording_whatever_others_have_run():
    app = page()
    app.button(key="family_run").click().run()
    job_of(app, report())
    assert not table(app.run())["recorded"] and table(page())["recorded"]


def test_a_run_of_another_pair_is_no_reason_to_offer_cancel():
    app = page()
    app.button(key="family_run").click().run()
    assert "family_run_cancel" in {button.key for button in app.button}
    app.selectbox(key="pair_list").set_value("english").run()
    assert not app.exception and "family_run" in {button.key for button in app.button}


def test_a_drafter_that_cannot_serve_is_there_with_its_reason_and_cannot_be_chosen():
    app = page(pair="smollm2-135m")
    found = rows(app)
    assert found["model"]["state"] == found["ngram"]["state"] == "refused"
    assert found["model"]["says"] == say("en", "errors.no_draft") and found["ngram"]["says"] == say("en", "errors.no_table")
    app.button(key="family_run").click().run()
    (job,) = engine()._jobs.values()
    assert job.request.drafters == ("lookup", "early-exit", "quantised")


@pytest.mark.parametrize("language", LANGUAGES)
def test_above_zero_the_trial_stands_where_the_text_would(language):
    app = page(language)
    app.button(key="family_run").click().run()
    job_of(app, report(greedy=False, trial=1e-9))
    app.run()
    row = rows(app)["model"]
    assert row["verdict"] == "guilty" and row["lossless"] and "20,000" in row["lossless_says"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("query", "code"), [({"family_prompt": "  "}, "empty_prompt"), ({"drafters": "nobody"}, "no_drafters")]
)
def test_bad_input_is_one_sentence(language, query, code):
    app = page(language, **query)
    assert errors(app) == [say(language, f"errors.{code}")] and not app.exception
    app.button(key="family_run").click().run()
    assert not engine()._jobs and not app.exception


@pytest.mark.parametrize("number", ["inf", "nan", "-1", "999999999999999999999", "abc", ""])
def test_a_number_in_the_address_that_is_none_is_forgotten(number):
    names = ("gamma", "temperature", "length", "seed", "n", "layers_12", "bits", "of")
    app = page("zh", **{f"family_{name}": number for name in names}, row=number, sort=number, room=number, step=number)
    assert not app.exception and not app.run().exception and not app.error


def test_nothing_in_an_address_is_taken_for_markdown():
    evil = "![x](https://evil.example/x.png) **z** $a$"
    app = page(pair=evil, family_prompt=evil, drafters=evil, row=evil, sort=evil, task=evil)
    assert not app.exception
    for element in [*app.error, *app.caption]:
        assert "![x]" not in element.value.replace("\\", "") or "\\!" in element.value


def test_a_ready_text_fills_the_prompt_and_another_pair_brings_its_own():
    app = page(pair="english")
    app.selectbox(key="family_text").set_value("chat").run()
    assert app.text_input(key="family_prompt").value == kinds.ready("english")["chat"].replace("\n", "↵")
    app.selectbox(key="pair_list").set_value("poem").run()
    assert app.text_input(key="family_prompt").value == examples.family("poem")["prompt"]
    app.text_input(key="family_prompt").set_value("mine").run()
    app.selectbox(key="pair_list").set_value("english").run()
    assert app.text_input(key="family_prompt").value == "mine"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_advice_follows_from_the_figures_of_the_chosen_text(language):
    app = page(language, task="copied", room="0", prepared="none")
    recorded = examples.family("poem")["kinds"]["copied"]
    said = family.advise(recorded, 0, "none")
    best = words.literal(say(language, f"family.name_{said['first']}")) if said["first"] else say(language, "advice.slow")[:8]
    assert any(best in element.value for element in app.markdown if element.value.startswith("**"))
    left = [code for code, reason in said["left_out"] if reason == "training"]
    assert left and all(any(say(language, f"family.name_{code}") in e.value for e in app.markdown) for code in left)


def test_without_figures_the_advice_says_what_to_do():
    app = page(pair="smollm2-135m")
    assert say("en", "advice.nothing") in [c.value for c in app.caption]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_point_of_the_chart_says_its_conditions(language):
    page(language)
    import streamlit as st

    st.session_state["_lang"] = language
    figure = variants.chart()
    told = [text for trace in figure.data if trace.customdata is not None for (text,) in trace.customdata]
    assert len(told) >= 15 and all("<br>" in text for text in told)
    assert sum(say(language, "variants.same_on") in text for text in told) >= 9
