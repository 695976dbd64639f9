"""What is special about a drafter, drawn in the player from the trace; a trace that does not tell it is played as ever."""

import json

import pytest
from playwright.sync_api import expect

from specviz import examples
from specviz.ui.components import source
from specviz.ui.components.player import PURE
from tests.browser.alone import mount
from tests.browser.test_player_frames import ACCEPTED, NO_DRAFT, REJECTED, trace
from tests.reports import report

SCRIPTS = source(*PURE)


def told(about, *rounds, matches=()):
    """A trace whose prompt is ten tokens, 床前明月，光床前明月, and whose first token is ，; it says who guessed."""
    found = json.loads(json.dumps(trace(*rounds)))
    texts = list("床前明月，光床前明月")
    found |= {
        "prompt": "".join(texts),
        "prompt_texts": texts,
        "prompt_ids": list(range(10)),
        "prompt_special": [],
        "drafter": about,
    }
    for one, match in zip(found["rounds"], matches, strict=False):
        one["match"] = match
    return found


LOOKUP = told({"code": "lookup", "n": 8}, ACCEPTED, NO_DRAFT, matches=({"start": 0, "n": 5, "copied": 4}, None))
EXIT = told({"code": "early-exit", "layers": 4, "of_layers": 12, "resumes": True}, REJECTED, ACCEPTED)
AGAIN = told({"code": "early-exit", "layers": 4, "of_layers": 12, "resumes": False}, REJECTED)


def scene(page, of):
    return page.evaluate("(trace) => sceneOf(trace)", of)


def test_only_a_trace_that_tells_enough_has_a_scene(page):
    assert scene(page, LOOKUP) == "lookup" and scene(page, EXIT) == "early-exit"
    for name in examples.NAMES:
        trace = examples.load(name)["trace"]
        assert scene(page, trace) == (None if trace["drafter"]["code"] == "model" else trace["drafter"]["code"])
    for about in (None, {"code": "model"}, {"code": "early-exit"}, {"code": "quantised", "bits": 4}, {"code": "nobody"}):
        assert scene(page, told(about, ACCEPTED)) is None


def test_what_was_looked_up_and_what_was_copied_are_the_tokens_the_trace_counts(page):
    source = page.evaluate("(trace) => sourceOf(trace, 0)", LOOKUP)
    assert "".join(source["matched"]) == "床前明月，" and source["before"] == []
    assert "".join(source["copied"]) == "光床前明" and "".join(source["behind"]) == "月，"
    assert source["places"] == {"source": [0, 1, 2, 3, 4], "end": [6, 7, 8, 9, 10]}, "the first token is part of the text"
    assert page.evaluate("(trace) => sourceOf(trace, 1)", LOOKUP) is None


def test_a_match_that_runs_into_its_own_copy_goes_on_with_the_guesses(page):
    near = told({"code": "lookup"}, ACCEPTED, matches=({"start": 8, "n": 2, "copied": 4},))
    guesses = [guess["text"] for guess in ACCEPTED["draft"]]
    assert page.evaluate("(trace) => sourceOf(trace, 0).copied", near) == [
        "，",
        *guesses[:3],
    ]  # the first token, then its own copy


def lit(page, of, t):
    return page.evaluate("([trace, t]) => layersOf(trace, frame(trace, events(trace), t))", [of, t])


def test_a_guess_lights_k_layers_and_the_pass_what_is_left_everywhere_at_once(page):
    assert lit(page, EXIT, 2) == [[[0, 4, "q"]], [[0, 4, "q"]], [], [], []]
    after = lit(page, EXIT, 5)
    assert after == [[[0, 4, "q"], [4, 12, "p"]]] * 4 + [[[0, 12, "p"]]], "nobody has been through the bonus place yet"
    half = lit(page, EXIT, 4.5)
    assert {tuple(column[-1][:2]) for column in half[:4]} == {(4, 8)} and half[4] == [[0, 6, "p"]]


def test_without_resuming_the_pass_runs_all_layers_again(page):
    assert lit(page, AGAIN, 5) == [[[0, 4, "q"], [0, 12, "p"]]] * 4 + [[[0, 12, "p"]]]


def test_rounding_lands_on_the_grid(page):
    sample = report()["rows"]["quantised"]["trace"]["drafter"]["sample"]
    found = page.evaluate("(sample) => roundingOf(sample)", sample)
    for before, after in found["weights"]:
        assert 0 <= before <= 1 and min(abs(after - step) for step in found["steps"]) < 1e-9
        assert abs(before - after) <= (found["steps"][1] - found["steps"][0]) / 2 + 1e-9


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("code", ["lookup", "ngram", "early-exit", "quantised"])
def test_every_scene_is_drawn_and_says_what_it_shows(new_page, code, language):
    page = new_page()
    root = mount(page, report()["rows"][code]["trace"], language=language, step=3)
    expect(root).to_have_attribute("data-scene", code)
    box = root.locator(".scene").bounding_box()
    assert box["height"] > 80 and root.locator(".scene-says").text_content().strip()
    assert "{" not in root.locator(".scene").text_content() and not page.faults


def test_the_copied_tokens_lie_in_the_text_and_lines_lead_to_the_cards(new_page):
    page = new_page()
    root = mount(page, LOOKUP, step=4)
    assert root.locator(".piece.marked").count() == 9 and root.locator(".tile[data-marked]").count() == 1
    assert (
        root.locator(".copy").evaluate_all("all => all.filter((path) => path.getAttribute('opacity') === '1.00').length") == 4
    )
    ends = root.locator(".copy").evaluate_all(
        "all => all.map((path) => { const b = path.getBoundingClientRect(); return b.bottom; })"
    )
    cards = root.locator(".card").first.bounding_box()
    assert all(abs(end - cards["y"]) < 16 for end in ends)


def test_the_layers_on_screen_are_those_of_the_frame(new_page):
    page = new_page()
    root = mount(page, EXIT, step=5)
    assert root.locator(".layer").count() == 5 * 12
    assert root.locator(".layer.q").count() == 4 * 4 and root.locator(".layer.p").count() == 4 * 8 + 12


@pytest.mark.parametrize("width", [1366, 375])
def test_a_trace_without_a_drafter_is_as_tall_as_ever(new_page, width):
    page = new_page(width=width)
    plain = mount(page, trace(REJECTED, ACCEPTED)).bounding_box()["height"]
    assert page.locator(".scene").is_hidden()
    other = new_page(width=width)
    scene = mount(other, EXIT).bounding_box()["height"]
    assert scene > plain and other.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
