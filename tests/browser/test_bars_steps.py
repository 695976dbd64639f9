"""Steps: one position in its four smallest moves, on and back and to the other ending."""

import pytest
from playwright.sync_api import expect

from specviz.locale import say
from specviz.ui.components.bars import philox


def test_the_smallest_steps_go_on_and_back_and_to_the_other_ending(visit):
    picture = visit(query="p=0.5,0.5&q=0.9,0.1&seed=0&mode=steps")
    x, u = philox.uniforms(0, 0, 1)[0][:2]
    assert x < 0.9  # the guess is the first token, whose p/q is 5/9
    said = []
    for step in range(1, 5):
        picture.press("forward")
        expect(picture.root).to_have_attribute("data-step", str(step))
        picture.rest()
        said.append(picture.root.locator(".caption").inner_text())
    assert len(set(said)) == 4
    verdict = "accepted" if u * 0.9 < 0.5 else "rejected"
    assert picture.get("verdict") == verdict
    picture.press("back")
    expect(picture.root).to_have_attribute("data-step", "3")
    assert picture.root.locator(".caption").inner_text() == said[2]
    picture.press("other")
    expect(picture.root).to_have_attribute("data-verdict", "rejected" if verdict == "accepted" else "accepted")
    picture.rest()
    assert picture.root.locator(".caption").inner_text() != said[2]
    picture.press("other")
    expect(picture.root).to_have_attribute("data-verdict", verdict)
    picture.press("redraw")
    expect(picture.root).to_have_attribute("data-seed", "1")
    assert picture.get("step") == "1"


def test_where_there_is_no_other_ending_the_button_says_why(visit):
    picture = visit(query="p=0.5,0.5&q=0.5,0.5&step=3&mode=steps")
    button = picture.root.locator('[data-do="other"]')
    assert button.is_disabled() and button.inner_text() == say("en", "bars.other_never_no")


def test_a_guess_out_of_a_crowd_is_not_called_a_token(visit):
    picture = visit(query='p=0.4,0.6&q=0,1&tokens=["x","…q>p"]&step=1&mode=steps')
    caption = picture.root.locator(".caption")
    assert caption.inner_text() == say("en", "bars.step_1_crowd", q="1")
    for step in ("2", "3", "4"):
        picture.press("forward")
        expect(picture.root).to_have_attribute("data-step", step)
    picture.rest()
    assert ("another token (q>p)" in caption.inner_text()) == (picture.get("verdict") == "accepted")


LAST = "p=0.2,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.099,0.001&q=0,0,0,0,0,0,0,0,0,1"


@pytest.mark.parametrize("width", [1366, 375])
def test_the_figures_beside_a_point_are_whole_wherever_it_falls(visit, width):
    picture = visit(query=LAST + "&step=3&mode=steps", width=width)
    plot = picture.root.locator("svg.over").bounding_box()
    said = [text.bounding_box() for text in picture.root.locator(".said").all()]
    for box in said:
        assert box["x"] >= plot["x"] and box["x"] + box["width"] <= plot["x"] + plot["width"]
        assert box["y"] + box["height"] <= plot["y"] + plot["height"]
    (_, upper), (_, lower) = sorted((box["y"], box) for box in said)
    assert lower["y"] - upper["y"] >= 16
