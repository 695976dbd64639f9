"""The picture of the rule in a real browser: dragged, read aloud, on every screen, carried in its address.

What is particular to one of its modes is in the file of that mode.
"""

import json

import numpy as np
import pytest
from playwright.sync_api import expect

from specviz import rule
from specviz.locale import say
from tests.browser.looks import LOOKS, faults_of
from tests.browser.picture import MODES, P, Q


def test_the_first_picture_moves_before_anything_is_clicked(visit):
    picture = visit(query="")
    assert picture.get("mode") == "steps" and picture.get("step") == "1" and int(picture.get("frames")) > 5
    assert not picture.faults


def test_a_dragged_bar_takes_from_the_others_in_proportion(visit):
    picture = visit()
    picture.drag("p0", 30)
    p, q = picture.rows()
    assert p[0] > 0.5 and sum(p) == pytest.approx(1, abs=1e-12) and q == Q
    assert np.divide(p[1:], P[1:]) == pytest.approx([(1 - p[0]) / 0.5] * 3)
    assert float(picture.get("alpha")) == rule.beta(np.array(p), np.array(q))
    picture.page.mouse.up()
    picture.told()
    assert picture.rows() == (p, q)


def test_a_dragged_bar_says_that_the_others_give_way_and_covers_no_sentence(visit):
    picture = visit()
    picture.drag("p0", 400)
    assert picture.root.locator(".caption").inner_text() == say("en", "bars.giving", name="p")
    why, bubble = (picture.root.locator(name).bounding_box() for name in (".why", ".handle.held .bubble"))
    assert bubble["y"] >= why["y"] + why["height"]
    picture.page.mouse.up()
    expect(picture.root.locator(".caption")).not_to_have_text(say("en", "bars.giving", name="p"))


def test_nothing_goes_to_the_server_while_a_handle_is_dragged(visit):
    picture = visit()
    picture.quiet()
    before = picture.sent
    picture.drag("q3", 60)
    x, y = picture.grip("q3")
    for k in range(60):
        picture.page.mouse.move(x, y + 40 - k)
    assert picture.sent == before
    picture.page.mouse.up()
    picture.told()
    assert picture.sent > before and not picture.faults


def test_arrow_keys_move_a_bar_and_take_it_back(visit):
    picture = visit()
    handle = picture.handle("q1")
    handle.focus()
    assert handle.get_attribute("role") == "slider" and handle.get_attribute("aria-valuenow") == "0.2"
    picture.page.keyboard.press("ArrowUp")
    picture.page.keyboard.press("ArrowUp")
    expect(handle).to_have_attribute("aria-valuenow", "0.22")
    assert sum(picture.rows()[1]) == pytest.approx(1, abs=1e-12)
    picture.page.keyboard.press("End")
    assert picture.rows()[1] == [0, 1, 0, 0]
    picture.page.keyboard.press("Home")
    for _ in range(2):
        picture.page.keyboard.press("PageUp")
    assert picture.rows()[1] == pytest.approx(Q)
    expect(handle).to_be_focused()
    picture.told()
    assert picture.rows()[1] == pytest.approx(Q) and not picture.faults


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_screen_reader_hears_names_and_values(visit, lang):
    picture = visit(lang=lang)
    handle = picture.handle("p0")
    assert handle.get_attribute("aria-label") == say(lang, "bars.p_handle", x="a")
    assert handle.get_attribute("aria-valuetext") == say(lang, "bars.p_value", v="0.50", other="0.10")
    assert picture.page.get_by_role("slider", name=say(lang, "bars.q_handle", x="d")).count() == 1
    picture.page.get_by_role("button", name=say(lang, "bars.mode_rain"), exact=True).click()
    assert picture.page.get_by_role("button", name=say(lang, "bars.throw", n="1\u202f000"), exact=True).is_visible()


def test_presets_and_the_sentence_above_the_plot(visit):
    picture = visit()
    picture.root.get_by_role("button", name=say("en", "bars.example_disjoint")).click()
    expect(picture.root).to_have_attribute("data-alpha", "0")
    assert picture.root.locator(".why").inner_text() == say("en", "bars.why_none", green="1")
    picture.root.get_by_role("button", name=say("en", "bars.example_alike")).click()
    expect(picture.root).not_to_have_attribute("data-alpha", "0")
    p, q = (np.array(row) for row in picture.rows())
    kept = round(rule.beta(p, q), 2)
    assert picture.root.locator(".why").inner_text() == say("en", "bars.why", blue=f"{kept:.2f}", green=f"{1 - kept:.2f}")


def test_an_example_speaks_the_language_that_the_reader_changes_to(visit):
    picture = visit(query="")
    picture.root.get_by_role("button", name=say("en", "bars.example_alike")).click()
    picture.told()
    for language, switch in (("zh", "中文"), ("en", "English")):
        picture.page.get_by_role("button", name=switch).click()
        expect(picture.root.locator(".token")).to_have_text(say(language, "bars.example_tokens").split())
        chosen = picture.root.get_by_role("button", name=say(language, "bars.example_alike"))
        expect(chosen).to_have_attribute("aria-pressed", "true")
    assert not picture.faults


CLIPPED = """(root) => [...root.querySelectorAll(".why, .caption, button:not(.token), .row-name")]
  .filter((node) => node.offsetParent && node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).display !== "inline")
  .map((node) => node.textContent)"""
SMALL = """(root) => [...root.querySelectorAll("button:not(.token), select, input, [role=slider]")]
  .filter((node) => node.offsetParent && getComputedStyle(node).visibility === "visible")
  .map((node) => [node.getBoundingClientRect(), node.outerHTML])
  .filter(([box]) => box.width < 40 || box.height < 40)
  .map(([, html]) => html)"""


@pytest.mark.parametrize(("theme", "lang"), [look[:2] for look in LOOKS[:2]])
def test_every_mode_is_readable_and_fits_the_screen(visit, theme, lang):
    picture = visit(theme=theme, lang=lang)
    assert picture.get("theme") == theme
    for mode in MODES:
        picture.mode(mode)
        picture.rest()
        assert picture.root.bounding_box()["height"] <= 640
        clipped = picture.root.evaluate(CLIPPED)
        assert not clipped, (mode, clipped)
        faults = faults_of(picture.page, "bars")
        assert not faults, (mode, faults)
    assert not picture.faults


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_phone_shows_everything_and_a_finger_drags(visit, lang):
    picture = visit(width=375, height=740, lang=lang, has_touch=True)
    for mode in MODES:
        picture.mode(mode)
        picture.rest()
        assert picture.page.evaluate("() => document.documentElement.scrollWidth <= 375")
        box = picture.root.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 375
        small = picture.root.evaluate(SMALL)
        assert not small, (mode, small)
    picture.root.locator('[data-grip="p"]').click()
    picture.handle("p0").scroll_into_view_if_needed()
    x, y = picture.grip("p0")
    touch = picture.page.context.new_cdp_session(picture.page)
    for kind, up in (("touchStart", 0), ("touchMove", 15), ("touchMove", 30)):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y - up}]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    p, q = picture.rows()
    assert p[0] > 0.55 and q == Q and sum(p) == pytest.approx(1, abs=1e-12)


TEN = (
    "p=0.21,0.19,0.05,0.04,0.04,0.03,0.03,0.01,0.2,0.2&q=0.02,0.005,0.09,0.005,0.03,0.04,0.03,0.03,0.65,0.1"
    '&tokens=["不","新","白","鸟","无","深","一","万","…q>p","…p≥q"]'
)
OVERLAPS = """(root) => [".handle:not(.off)", ".token", ".place"].flatMap((name) => {
  const boxes = [...root.querySelectorAll(name)].map((node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return (name === ".token" ? range : node).getBoundingClientRect();
  });
  return boxes.slice(1).filter((box, i) => box.left < boxes[i].right - 0.5).map((box) => [name, box.left]);
})"""


@pytest.mark.parametrize("grip", ["q", "p"])
def test_ten_columns_fit_a_phone_and_no_target_lies_over_another(visit, grip):
    picture = visit(query=TEN, width=375, height=740, has_touch=True)
    assert len(picture.rows()[0]) == 10
    picture.root.locator(f'[data-grip="{grip}"]').click()
    assert picture.root.evaluate(OVERLAPS) == []
    for i in range(10):
        box = picture.handle(f"{grip}{i}").bounding_box()
        assert box["width"] >= 30 and box["width"] * box["height"] >= 44 * 44
        assert box["x"] >= 0 and box["x"] + box["width"] <= 375


def test_reduced_motion_gives_the_end_at_once(visit):
    picture = visit(reduced_motion="reduce")
    picture.mode("rain")
    picture.throw(1000)
    assert picture.get("thrown") == "1000" and picture.get("state") == "resting"
    picture.mode("bricks")
    picture.press("move")
    assert picture.get("state") == "resting" and json.loads(picture.get("bricks")) == [50, 30, 15, 5]


def test_the_keys_r_and_c_stay_with_the_picture(visit):
    picture = visit()
    picture.quiet()
    before = picture.sent
    picture.root.focus()
    for key in "rc":
        picture.page.keyboard.press(key)
    picture.handle("p0").focus()
    for key in "rc":
        picture.page.keyboard.press(key)
    picture.page.evaluate("() => new Promise(requestAnimationFrame)")
    assert picture.sent == before and picture.page.get_by_role("dialog").count() == 0


def test_the_state_survives_a_page_switch_and_travels_in_the_address(visit):
    picture = visit()
    picture.drag("p2", 25)
    picture.page.mouse.up()
    picture.told()
    picture.mode("rain")
    picture.throw(1_000_000)
    picture.rest()
    picture.page.wait_for_url("**throws=1000000**")
    rows, seen, address = picture.rows(), picture.get("outputs"), picture.page.url
    picture.page.get_by_role("link", name=say("en", "home.title")).first.click()
    picture.page.locator('[data-specviz="player"]').wait_for()
    picture.page.get_by_role("link", name=say("en", "rule.title")).first.click()
    picture.root.wait_for()
    expect(picture.root).to_have_attribute("data-thrown", "1000000")
    assert picture.rows() == rows and picture.get("outputs") == seen and picture.get("mode") == "rain"
    guest = visit(query=address.split("?", 1)[1])
    expect(guest.root).to_have_attribute("data-thrown", "1000000")
    assert guest.get("mode") == "rain" and guest.rows()[0] == pytest.approx(rows[0], abs=1e-5)
