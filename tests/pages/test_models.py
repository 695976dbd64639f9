"""The page of models without a browser: what it tells of every pair, what it starts and what it never does by itself."""

from html import unescape

import pytest

from specviz import amounts
from specviz.engine import catalogue, fetching
from specviz.engine.service import ModelState
from specviz.errors import BadInput, Cancelled
from specviz.locale import say
from specviz.ui import catalogue as page
from specviz.ui import models, tokenizations, words
from specviz.ui.components.catalogue import STOPS
from specviz.ui.state import engine
from tests.pages.app import open_page, state_of

both = pytest.mark.parametrize("language", ["en", "zh"])
AWAY = "qwen3-8b"


@pytest.fixture(autouse=True)
def no_hub(monkeypatch, tmp_path):
    """Nothing is fetched: a fetch is begun and goes no further than the test takes it; nothing lies in a cache."""
    monkeypatch.setattr(fetching, "fetch", lambda wanted, weights=True: fetching.Fetch(wanted, weights))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.try_to_load_from_cache", lambda *args, **options: None)


def open_models(**query):
    """The page as if nothing were in memory: on the way to it the first page has asked for a pair."""
    app = open_page("models", **query)
    engine().models["poem"] = ModelState()
    return app.run()


def press(app, key):
    return app.button(key=key).click().run()


def labels(app):
    return {button.label for button in app.button}


def texts(app):
    return [element.value for kind in (app.markdown, app.caption, app.error) for element in kind]


def html(app):
    return unescape("\n".join(element.proto.body for element in app.get("html")))


def run_job(job):
    """As the worker does."""
    try:
        job.request.perform(None, job)
        job.state = "done"
    except BadInput as error:
        job.error, job.state = error, "failed"


def compared(app):
    """Press the button, let the worker do its work, look again; returns the job."""
    press(app, "yours_check")
    (job,) = engine()._jobs.values()
    run_job(job)
    app.run()
    return job


def link(app):
    """Where “use in the round” leads, or None."""
    found = [element.proto for element in app.get("page_link")]
    return found[0].query_string if found else None


# ---- the catalogue


@both
def test_the_picture_tells_every_pair_with_what_it_needs(language):
    app = open_models(lang=language)
    assert not app.exception
    told = state_of(app)
    assert [row["name"] for row in told["rows"]] == list(catalogue.entries())
    for row in told["rows"]:
        entry = catalogue.entries()[row["name"]]
        for dtype in ("fp32", "bf16", "int8"):
            need = entry.memory(dtype, 512)
            assert row["memory"][dtype] == {"target": need["target"], "draft": need["draft"]}
            assert row["kv"][dtype] * need["context"] == pytest.approx(need["kv"])
        untried = say(language, "catalogue.untried") in row["notes"]
        assert untried == (not entry.tried) and row["title"]
        assert (say(language, "catalogue.gated") in row["notes"]) == any(model.gated for model in entry.models)
    assert told["room"]["free"] == engine().room.free and amounts.size(engine().room.free) in told["room"]["says"]


@both
def test_opening_the_page_starts_nothing(language, folders):
    app = open_models(lang=language, pair=AWAY, target=str(folders / "one/target"), draft=str(folders / "other/draft"))
    assert not app.exception
    assert not engine()._jobs and not engine().fetches
    warmed_at_home = {"en": "english", "zh": "poem"}[language]
    others = [name for name in catalogue.entries() if name not in (warmed_at_home, "poem")]
    assert {engine().state(name).state for name in others} == {"cold"}


@both
def test_a_link_carries_the_pair_and_the_context(language):
    app = open_models(lang=language, pair=AWAY, context="16384")
    assert (state_of(app)["chosen"], state_of(app)["context"]) == (AWAY, 16384)
    need = catalogue.entries()[AWAY].memory(engine().room.dtype, 16384)
    assert amounts.size(need["total"]) in html(app) and say(language, "catalogue.untried_says") in html(app)


@both
@pytest.mark.parametrize("bad", [{"pair": "abacus"}, {"context": "77"}, {"context": "x"}])
def test_a_broken_link_is_one_sentence_and_a_page_that_works(language, bad):
    app = open_page("models", lang=language, **bad)
    ((_, value),) = bad.items()
    assert not app.exception and len(app.error) == 1 and value in app.error[0].value
    assert state_of(app)["chosen"] in catalogue.entries() and state_of(app)["context"] in STOPS


@both
@pytest.mark.parametrize("bad", ["-1", "77", "x", "1e9"])
def test_a_broken_context_does_not_cost_the_pair(language, bad):
    app = open_page("models", lang=language, pair=AWAY, context=bad)
    assert not app.exception and len(app.error) == 1 and bad in app.error[0].value.replace("\\", "")
    assert state_of(app)["chosen"] == AWAY


def test_a_broken_pair_does_not_cost_the_context():
    app = open_page("models", lang="en", pair="abacus", context="16384")
    assert len(app.error) == 1 and state_of(app)["context"] == 16384


@both
def test_a_pair_of_ones_own_in_the_address_goes_into_the_fields(language, folders):
    ours = (str(folders / "one/target"), str(folders / "one/draft"))
    for target, draft in (("poem", "english"), ours, ("Qwen/Qwen3-8B", "Qwen/Qwen3-0.6B"), (ours[0], "")):
        app = open_models(lang=language, pair=f"{target}|{draft}".removesuffix("|"))
        assert not app.exception and not app.error
        assert [app.text_input(key=side).value for side in ("target", "draft")] == [target, draft]
        assert state_of(app)["chosen"] in catalogue.entries()
    assert not engine()._jobs and not engine().fetches


def test_what_the_fields_of_an_address_name_stands_before_its_pair(folders):
    app = open_models(lang="en", pair="poem|english", target=str(folders / "one/target"))
    assert app.text_input(key="target").value == str(folders / "one/target")


def test_a_reader_begins_with_a_pair_that_is_here_and_speaks_their_language():
    assert state_of(open_models(lang="zh"))["chosen"] == "poem"
    rows = {name: {"ready": name != "a", "language": {"a": "en", "b": "zh", "c": "en"}[name]} for name in "abc"}
    assert page._first(rows) in ("b", "c")


def test_the_choice_survives_another_page_and_another_language():
    app = open_models(lang="en", pair=AWAY, context="1024")
    app.switch_page("pages/home.py").run()
    app.switch_page("pages/models.py").run()
    assert (state_of(app)["chosen"], state_of(app)["context"]) == (AWAY, 1024)
    app.button(key="language").click().run()
    assert state_of(app)["chosen"] == AWAY and say("zh", "catalogue.untried_says") in html(app)


def test_what_the_reader_chooses_in_the_picture_is_kept(monkeypatch):
    state = {page.KEY: {"choice": {"pair": AWAY, "context": 8192}}}
    monkeypatch.setattr(page.st, "session_state", state)
    page._changed()
    assert state["_catalogue"] == {"pair": AWAY, "context": 8192}


def test_a_pair_is_called_by_its_words_or_by_its_models():
    app = open_models(lang="en")
    names = {row["name"]: row["title"] for row in state_of(app)["rows"]}
    assert names["poem"] == say("en", "pairs.poem") and names[AWAY] == "Qwen3-8B"
    assert "←" in models.name("Qwen/Qwen3-8B|Qwen/Qwen3-0.6B")


# ---- fetch


def mb(n):
    return n * 10**6


@both
def test_a_fetch_shows_how_far_it_is_and_can_be_given_up(language):
    app = open_models(lang=language, pair=AWAY)
    assert engine().fetches == {}
    press(app, "chosen_fetch")
    fetch = engine().fetches[AWAY]
    fetch.done, fetch.total = mb(300), mb(1200)
    app.run()
    shown = say(language, "loading.fetching", done="300 MB", total="1.2 GB", percent=25)
    assert not app.exception and [bar.proto.text for bar in app.get("progress")] == [shown]
    assert link(app) is None, "what is not here cannot be used yet"
    press(app, "chosen_cancel")
    with pytest.raises(Cancelled):
        fetch.check()
    fetch.state = "cancelled"  # as its thread does
    app.run()
    assert say(language, "loading.cancelled") in texts(app) and app.button(key="chosen_fetch")


@both
def test_the_button_says_how_much_there_is_to_fetch(language):
    app = open_models(lang=language, pair=AWAY)
    size = sum(model.weight_bytes("bf16") for model in catalogue.entries()[AWAY].models)
    assert app.button(key="chosen_fetch").label == say(language, "loading.fetch_size", size=amounts.size(size))


def test_another_visitor_joins_a_fetch_and_cannot_take_it_away():
    app = open_models(lang="en", pair=AWAY)
    press(app, "chosen_fetch")
    fetch = engine().fetches[AWAY]
    other = open_models(lang="en", pair=AWAY)
    assert not other.exception and other.get("progress")
    assert say("en", "loading.others") in texts(other)
    assert not {"Cancel"} & labels(other)
    assert engine().fetches == {AWAY: fetch}


def test_what_two_have_asked_for_goes_on_when_one_of_them_cancels():
    from specviz.ui import fetches

    app = open_models(lang="en", pair=AWAY)
    press(app, "chosen_fetch")
    fetches._waiting()[AWAY].append(lambda: True)
    press(app, "chosen_cancel")
    engine().fetches[AWAY].check()  # raises when it was given up
    assert say("en", "loading.others") in texts(app)


@both
def test_a_fetch_that_fails_says_why(language):
    app = open_models(lang=language, pair=AWAY)
    press(app, "chosen_fetch")
    fetch = engine().fetches[AWAY]
    fetch.error, fetch.state = BadInput("no_network", ref="Qwen/Qwen3-8B", hub="https://huggingface.co"), "failed"
    app.run()
    assert [error.value for error in app.error] == [words.literal(fetch.error.sentence(language))]
    assert app.button(key="chosen_fetch")


# ---- load and use


@both
def test_a_pair_is_loaded_when_asked_and_followed(language):
    app = open_models(lang=language, pair="poem")
    press(app, "chosen_load")
    state = engine().state("poem")
    assert state.state == "loading"
    state.stage, state.share = "weights", 0.6
    app.run()
    assert [bar.proto.text for bar in app.get("progress")] == [say(language, "models.stage_weights", percent=60)]
    (row,) = (row for row in state_of(app)["rows"] if row["name"] == "poem")
    assert row["state"] == "busy"


@both
def test_the_estimate_stands_beside_the_truth_and_the_layers_where_they_lie(language):
    app = open_models(lang=language, pair="poem")
    memory = {"device": "cuda", "dtype": "bf16", "estimated": mb(82), "held": mb(80)}
    engine().models["poem"] = ModelState("ready", memory=memory, layers={"cuda:0": "0–5", "cuda:1": "6–11"})
    app.run()
    told = html(app)
    assert "82 MB" in told and "80 MB" in told
    assert say(language, "loading.off", device="CUDA", dtype="BF16", off="+2") in told
    for layers in ("0–5", "6–11"):
        assert say(language, "loading.layers", layers=layers) in told
    (row,) = (row for row in state_of(app)["rows"] if row["name"] == "poem")
    assert row["held"] == mb(80), "what it holds is free to itself"
    assert row["state"] == "ready" and row["state_says"] == say(language, "catalogue.state_ready")


@both
def test_weights_in_half_precision_are_said_to_be_so_beside_the_need_in_full(language):
    app = open_models(lang=language, pair="poem")
    says = say(language, "loading.halved", dtype="FP32")
    for halved in (True, False):
        memory = {"device": "cpu", "dtype": "fp32", "estimated": mb(32), "held": mb(32), "halved": halved}
        engine().models["poem"] = ModelState("ready", memory=memory)
        app.run()
        assert (says in html(app)) == halved


@both
def test_use_leads_to_the_round_with_the_pair_and_the_language(language):
    app = open_models(lang=language, pair="poem")
    assert "pair=poem" in link(app) and f"lang={language}" in link(app)


def test_a_pair_that_cannot_be_loaded_says_why_and_can_be_tried_again():
    app = open_models(lang="en", pair="poem")
    error = BadInput("no_config", ref="x")
    engine().models["poem"] = ModelState("failed", error=error)
    app.run()
    assert [e.value for e in app.error] == [words.literal(error.sentence("en"))]
    press(app, "chosen_load")
    assert engine().state("poem").state == "loading"


# ---- yours


@both
def test_a_field_that_names_nothing_is_answered_under_it(language, tmp_path):
    app = open_models(lang=language)
    app.text_input(key="target").set_value(str(tmp_path)).run()
    assert [error.value for error in app.error] == [words.literal(BadInput("no_config", ref=str(tmp_path)).sentence(language))]
    app.text_input(key="target").set_value("").run()
    press(app, "yours_check")
    assert [error.value for error in app.error] == [say(language, "yours.no_target")]
    assert not engine()._jobs and not app.exception


@pytest.mark.parametrize(
    "text",
    ["no model/at all", "a|b", "../../etc/passwd\0", "x" * 900, "..", "~nobody/x y", "a/b/c", "a/b--c", "a/b.git", "a/b-"],
)
def test_whatever_is_typed_is_one_sentence_at_most(text):
    app = open_models(lang="en", target=text, draft=text)
    assert not app.exception and len(app.error) <= 2
    press(app, "yours_check")
    assert not app.exception


@both
def test_a_refusal_shows_both_tokenizations_and_the_first_difference(language, folders):
    one, other = str(folders / "one/target"), str(folders / "other/draft")
    app = open_models(lang=language, target=one, draft=other)
    job = compared(app)
    assert not app.exception and job.report["verdict"] == "refuse"
    told, sample, first = html(app), job.report["sample"], job.report["first_difference"]
    for side in ("target", "draft"):
        name = say(language, f"yours.cut_{side}", name=side, n=len(sample[side]))
        assert f'aria-label="{name}"' in told
    assert told.count('<li class="piece') == len(sample["target"]) + len(sample["draft"])
    assert '<li class="piece other"' in told and '<li class="piece same"' in told
    assert say(language, "yours.first_difference", id=first["id"]) in told and first["target"] != first["draft"]
    assert any(finding in text for text in texts(app) for finding in [say(language, "check.refuse")])
    assert link(app) and "pair=poem" in link(app), "the only pair to use is the one of the catalogue"


@both
def test_two_that_fit_can_be_loaded_and_used(language, folders):
    one, two = str(folders / "one/target"), str(folders / "one/draft")
    app = open_models(lang=language, target=one, draft=two)
    job = compared(app)
    assert not app.exception and job.report["verdict"] == "pass"
    assert 'data-specviz="tokenizations"' not in html(app)
    press(app, "yours_load")
    assert engine().state(f"{one}|{two}").state == "loading"


def test_an_address_shows_what_was_compared_before_and_compares_nothing(folders):
    one, two = str(folders / "one/target"), str(folders / "one/draft")
    app = open_models(lang="en", target=one, draft=two)
    press(app, "yours_check")
    run_job(*engine()._jobs.values())
    guest = open_models(lang="zh", target=one, draft=two)
    assert any(say("zh", "check.pass") in text for text in texts(guest)) and len(engine()._jobs) == 1


def test_models_of_a_hub_are_described_first_and_no_weights_are_fetched():
    app = open_models(lang="en", target="Qwen/Qwen3-8B", draft="Qwen/Qwen3-0.6B")
    press(app, "yours_check")
    ((name, fetch),) = engine().fetches.items()
    assert name == "Qwen/Qwen3-8B|Qwen/Qwen3-0.6B" and fetch.weights is False
    assert app.get("progress") and not engine()._jobs
    fetch.error, fetch.state = BadInput("no_hub_model", ref="Qwen/Qwen3-8B", hub="https://huggingface.co"), "failed"
    app.run()
    assert [error.value for error in app.error] == [words.literal(fetch.error.sentence("en"))] and not app.get("progress")


def test_a_target_alone_can_be_loaded_for_plain_decoding(folders):
    one = str(folders / "one/target")
    app = open_models(lang="en", target=one)
    assert say("en", "yours.alone") in texts(app)
    press(app, "yours_load")
    assert engine().state(one).state == "loading"


# ---- words


def test_pieces_have_their_twins_only_where_text_and_number_agree():
    target, draft = [("a", 1), ("b", 2), ("c", 3)], [("a", 1), ("b", 9), ("c", 3)]
    assert tokenizations.same(target, draft) == {"target": {0, 2}, "draft": {0, 2}}
    assert tokenizations.same([("ab", 1)], [("a", 2), ("b", 3)]) == {"target": set(), "draft": set()}


@pytest.mark.parametrize(
    ("n", "says"), [(9_978_880, "10M"), (134_515_008, "135M"), (1_711_376_384, "1.7B"), (70_553_706_496, "70.6B"), (4e9, "4B")]
)
def test_a_model_is_as_large_as_it_is_called(n, says):
    assert amounts.parameters(n) == says
