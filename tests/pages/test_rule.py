"""The rule and its court as pages: links, controls, the gallery, and what a trial tells."""

import pytest

from specviz.locale import say
from tests.pages.app import component, errors, open_page, state_of


def test_a_link_to_the_rule_carries_the_whole_picture():
    app = open_page(
        "rule", lang="en", p="0.5,0.3,0.2", q="0.1,0.6,0.3", tokens='["x","y","z"]', seed="7", mode="rain", throws="100"
    )
    data = state_of(app)
    assert data["p"] == [0.5, 0.3, 0.2] and data["q"] == [0.1, 0.6, 0.3] and data["tokens"] == ["x", "y", "z"]
    assert (data["seed"], data["tab"], data["throws"]) == (7, "rain", 100)


def test_the_tokens_of_an_example_follow_the_language_and_a_readers_own_do_not():
    import json

    words = {language: say(language, "bars.example_tokens").split() for language in ("en", "zh")}
    rows = {"p": "0.5,0.5,0,0,0,0", "q": "0,0,0,0,0.5,0.5"}
    for here, there in (("en", "zh"), ("zh", "en")):
        app = open_page("rule", lang=here, **rows, tokens=json.dumps(words[here]))
        assert state_of(app)["tokens"] == words[here]
        app.button(key="language").click().run()
        assert state_of(app)["tokens"] == words[there] and state_of(app)["p"] == [0.5, 0.5, 0, 0, 0, 0]
        assert json.loads("".join(app.query_params["tokens"])) == words[there]
    app = open_page("rule", lang="en", **rows, tokens=json.dumps(["moon", "b", "c", "d", "e", "f"]))
    app.button(key="language").click().run()
    assert state_of(app)["tokens"] == ["moon", "b", "c", "d", "e", "f"]


@pytest.mark.parametrize(
    "p, q",
    [
        ("0.5,0.6", "0.5,0.5"), ("a,b", "0.5,0.5"), ("1", "1"), ("nan,1", "0.5,0.5"), ("-1,2", "0.5,0.5"), ("0.5,0.5", "1,0,0"),
        ("1,nan,-1", ""), ("0.5,0.5", ""), ("", "0.5,0.5"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_broken_link_to_the_rule_is_one_sentence_and_a_page_that_works(p, q, language):
    app = open_page("rule", lang=language, p=p, q=q)
    assert not app.exception and len(app.error) == 1
    assert sum(state_of(app)["p"]) == pytest.approx(1)


def table_of(app):
    return next((h.proto.body for h in app.get("html") if "<table" in h.proto.body), None)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_court_lists_the_whole_gallery(language):
    from specviz import gallery

    app = open_page("rule", lang=language, view="court")
    assert not app.exception
    assert all(f"<code>{name}</code>" in table_of(app) for name in gallery.RULES)


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


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("broken", "code"),
    [
        ({"throws": "nan"}, "not_a_number"), ({"seed": "1e999"}, "not_a_number"), ({"step": "two"}, "not_a_number"),
        ({"seed": "-1"}, "out_of_range"), ({"step": "1.5"}, "not_whole"), ({"mode": "snow"}, "no_choice"),
    ],
)  # fmt: skip
def test_of_a_link_with_one_broken_field_the_rest_stands(broken, code, language):
    app = open_page("rule", lang=language, p="0.5,0.3,0.2", q="0.1,0.6,0.3", tokens='["x","y","z"]', **broken)
    name = next(iter(broken))
    start = say(language, f"errors.{code}", name=name, value=broken[name], low=0, high=0, known="").split(name)[0]
    assert len(errors(app)) == 1 and errors(app)[0].startswith(start) and name in errors(app)[0]
    assert state_of(app)["p"] == [0.5, 0.3, 0.2] and state_of(app)["tokens"] == ["x", "y", "z"] and not app.exception


def test_an_empty_field_of_a_link_says_as_little_as_none():
    app = open_page("rule", lang="en", seed="", p="", mode="")
    assert not errors(app) and not app.exception


@pytest.mark.parametrize("pair", ["poem", "english"])
def test_the_court_offers_a_guesser_that_looks_things_up_a_text_in_which_it_finds_something(pair):
    app = open_page("rule", lang="en", view="court", pair=pair, court_drafter="lookup")
    offered = app.text_input(key="court_prompt").value
    assert offered[-2:] in offered[:-2]
    app.selectbox(key="court_drafter_list").set_value("model").run()
    assert app.text_input(key="court_prompt").value != offered and not app.exception
    app.text_input(key="court_prompt").set_value("my own").run()
    app.selectbox(key="court_drafter_list").set_value("lookup").run()
    assert app.text_input(key="court_prompt").value == "my own"


def test_what_the_court_is_asked_is_what_its_controls_say():
    app = open_page("rule", lang="en", view="court", **COURT)
    app.button(key="court_throw").click().run()
    app.button(key="court_write").click().run()
    place, texts = asked_of(app)
    assert (place.prompt, place.settings.temperature, place.settings.seed) == ("举头望明月，低头", 0.7, 42)
    assert texts.pair is None and texts.settings.seed == 42


def test_a_rule_of_the_gallery_is_thrown_for_the_p_and_q_of_the_table():
    app = open_page("rule", lang="en", view="court", gallery="lesson", court_rule="half", **COURT)
    app.button(key="court_throw_rule").click().run()
    (heard,) = asked_of(app)
    assert (heard.rule, heard.seed) == ("half", 42)
    assert heard.p == pytest.approx((0.6, 0.3, 0.1)) and heard.q == pytest.approx((0.2, 0.3, 0.5))


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
    assert errors(app) == [say(language, "errors.empty_prompt")]
    app.button(key="court_throw").click().run()
    assert not app.exception and not asked_of(app)


def test_a_link_to_the_court_carries_the_picture_too():
    app = open_page("rule", lang="en", view="court", p="0.5,0.3,0.2", q="0.1,0.6,0.3", tokens='["x","y","z"]')
    assert any("**x** p 0.50 q 0.10 · **y** p 0.30 q 0.60" in c.value.replace("\u00a0", " ") for c in app.caption)


REPORT = {
    "tokens": ["不", "新"], "p": [0.5, 0.2], "q": [0.1, 0.3], "frequencies": [0.49, 0.21], "beta": 0.5, "law_error": 0.0,
    "vocabulary": 9, "wanted": 100, "throws": 100, "tv": 0.01, "tv_by_chance": (0.01, 0.02), "p_value": 0.5,
    "rest": {
        "over": {"count": 3, "p": 0.1, "q": 0.5, "frequency": 0.1},
        "under": {"count": 4, "p": 0.2, "q": 0.1, "frequency": 0.2},
    },
}  # fmt: skip


def held(app, report=REPORT):
    """The trial of the court's place, as if it had been held."""
    from specviz.ui.state import engine

    app.button(key="court_throw").click().run()
    (job,) = engine()._jobs.values()
    job.report, job.state = report, "done"
    return app.run()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_gallery_on_the_real_place_waits_for_the_trial_of_that_place(language):
    app = open_page("rule", lang=language, view="court", gallery="place")
    assert table_of(app) is None and [i.value for i in app.info] == [say(language, "court.place_none")]
    app.button(key="court_throw").click().run()
    assert [i.value for i in app.info] == [say(language, "court.place_soon")]
    assert not app.exception


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_gallery_on_the_real_place_judges_its_columns_and_the_two_sums(language):
    import re

    from specviz import court, gallery, rule

    app = held(open_page("rule", lang=language, view="court", gallery="place"))
    assert not app.exception and not app.info
    p, q = court.check([0.5, 0.2, 0.1, 0.2], [0.1, 0.3, 0.5, 0.1])
    shown = re.findall(
        r'<code>(\S+)</code>.*?class="distance"[^>]*>(.*?)<.*?class="convicted_after"[^>]*>(.*?)<', table_of(app)
    )
    assert [name for name, *_ in shown] == list(gallery.RULES)
    for name, distance, needed in shown:
        law = court.exact_law(gallery.RULES[name].function, p, q)
        assert float(distance) == pytest.approx(rule.total_variation(law, p), abs=6e-4)
        assert needed == (f"{court.throws_to_convict(law, p):,}" if distance != "0" else "–")
    wasteful = say(language, "court.kind_wasteful", mine="0.180", best="0.500")
    assert f"✓ {wasteful}" in table_of(app)
    place = next(c.value for c in app.caption if "不" in c.value).replace("\u00a0", " ")
    assert "p 0.10 q 0.50" in place and "p 0.20 q 0.10" in place, "the two sums are named"


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    "p, q, lucky", [("0.5,0.3,0.2", "0.5,0.3,0.2", 7), ("1,0,0", "0,1,0", None), ("0.6,0.3,0.1", "0.2,0.3,0.5", 0)]
)
def test_a_pair_that_cannot_tell_the_rules_apart_is_said_to_be_blind(language, p, q, lucky):
    from specviz import court, gallery

    app = open_page("rule", lang=language, view="court", p=p, q=q)
    pair = court.check(*([float(x) for x in row.split(",")] for row in (p, q)))
    wrong = [entry.function for entry in gallery.RULES.values() if not entry.lossless]
    blind = sum(court.throws_to_convict(court.exact_law(function, *pair), pair[0]) is None for function in wrong)
    assert lucky is None or blind == lucky
    says = [say(language, "court.blind", n=blind, of=len(wrong))] if blind else []
    assert [i.value for i in app.info] == says
    app = open_page("rule", lang=language, view="court", p=p, q=q, gallery="lesson")
    assert not app.exception and not app.info and table_of(app).count("✗") == len(wrong)


def test_nothing_is_called_wasteful_that_wastes_nothing():
    app = open_page("rule", lang="en", view="court", p="1,0", q="0,1")
    assert say("en", "court.kind_spares") in table_of(app) and "wasteful" not in table_of(app)


def test_the_report_of_a_trial_tells_how_to_hold_it_again_and_when_it_is_old():
    app = held(open_page("rule", lang="en", view="court", **COURT))
    again = "After “举头望明月，低头” at temperature 0.7. " + say("en", "court.drawn", seed=42)
    assert any(c.value == again for c in app.caption)
    app.number_input(key="court_seed").set_value(43).run()
    assert any(c.value == f"{again} {say('en', 'court.changed')}" for c in app.caption)


def test_a_link_to_a_trial_that_was_held_here_shows_it():
    held(open_page("rule", lang="en", view="court", **COURT))
    guest = open_page("rule", lang="en", view="court", **COURT)
    assert any(say("en", "court.drawn", seed=42) in c.value for c in guest.caption)
    other = open_page("rule", lang="en", view="court", **{**COURT, "court_seed": "43"})
    assert not any("seed 42" in c.value for c in other.caption)


def test_a_prompt_is_quoted_as_it_is_and_in_one_line():
    from specviz.ui import words

    assert words.verbatim("a*b*\n$x$") == "a\\*b\\* \\$x\\$"
    assert words.verbatim("x" * 99) == "…" + "x" * words.LONGEST


def test_a_link_that_the_rule_page_writes_is_one_that_it_reads():
    import numpy as np

    from specviz import court
    from specviz.ui import play

    for seed in range(300):
        rows = np.random.default_rng(seed).dirichlet(np.ones(6), 2)
        court.check(*([float(x) for x in play._joined(row).split(",")] for row in rows))


def test_brackets_without_end_in_a_link_are_no_tokens():
    app = open_page("rule", lang="en", p="0.5,0.5", q="1,0", tokens="[" * 5000)
    assert not app.exception and state_of(app)["tokens"] == ["a", "b"]


def test_the_poems_own_place_is_one_worth_dragging():
    from specviz.ui.play import poem_place

    guess = poem_place()
    shared = sum(min(p, q) for _, _, p, q in guess["top"]) + guess["rest"]["over"]["p"] + guess["rest"]["under"]["q"]
    assert 0.3 < shared < 0.8
    assert sum(max(p, q) > 0.1 for _, _, p, q in guess["top"]) >= 3
