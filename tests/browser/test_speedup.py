"""The speed-up picture in a real browser: bars and sliders dragged, three questions found, published rows chosen."""

import json
import re
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from specviz import published, speedup
from specviz.locale import say
from specviz.ui.components.speedup import MODES, MOST_PLACES
from tests.browser.looks import LOOKS, faults_of
from tests.browser.mounted import Mounted
from tests.browser.test_bars import CLIPPED, SMALL

SPEEDUP = '[data-specviz="speedup"]'


class Picture(Mounted):
    """One visitor's page with the picture on it."""

    SELECTOR = SPEEDUP

    def survival(self):
        return json.loads(self.get("survival"))

    def rest(self):
        expect(self.root).to_have_attribute("data-state", "resting", timeout=60_000)

    def mode(self, name):
        self.root.locator(f'[data-mode-of="{name}"]').click()
        expect(self.root).to_have_attribute("data-mode", name)
        self.rest()

    def choose(self, name):
        self.root.locator(f'[data-choice="{name}"]').click()
        self.rest()

    def slider(self, name):
        return self.root.locator(f'[data-slider="{name}"]')

    def bar(self, i):
        return self.root.locator(f'.handle[data-of="{i}"]')

    def drag(self, node, dx=0, dy=0, steps=10):
        """Down on the middle of a thing and away from there; the finger stays down."""
        box = node.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        for k in range(1, steps + 1):
            self.page.mouse.move(x + dx * k / steps, y + dy * k / steps)

    def slide(self, name, start, end, steps=12):
        """Take a slider's thumb at one share of its length to another, as a finger does; the finger stays down."""
        self.slider(name).hover()  # waits until it lies still
        box = self.slider(name).bounding_box()
        at = [box["x"] + 8 + (box["width"] - 16) * share for share in (start, end)]
        y = box["y"] + box["height"] / 2
        self.page.mouse.move(at[0], y)
        self.page.mouse.down()
        for k in range(1, steps + 1):
            self.page.mouse.move(at[0] + (at[1] - at[0]) * k / steps, y)

    def up(self):
        self.page.mouse.up()

    def quiet(self):
        """Until nothing more is under way, so that what is counted from here on belongs to what is done from here on."""
        self.rest()
        self.page.wait_for_load_state("networkidle")
        self.page.locator('[data-testid="stStatusWidget"]').wait_for(state="hidden")


@pytest.fixture
def visit(browser, server):
    contexts = []

    def open_picture(query="", width=1366, height=768, theme="light", lang="en", **options):
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme, **options)
        contexts.append(context)
        picture = Picture(context.new_page())
        picture.page.goto(f"{server.url}/speedup?lang={lang}&pair=poem&{query}")
        picture.root.wait_for(timeout=60_000)
        expect(picture.root).to_have_attribute("data-tokens", re.compile(r"\d"))
        picture.quiet()  # the first runs of a page may mount the picture once more
        return picture

    yield open_picture
    for context in contexts:
        context.close()


def test_the_first_picture_moves_and_is_the_sum_of_a_real_run(visit):
    picture = visit()
    assert picture.get("mode") == "sum" and int(picture.get("frames")) > 5
    assert picture.number("tokens") == pytest.approx(1 + sum(picture.survival()))
    assert picture.number("alpha") == pytest.approx(speedup.alpha_of(picture.survival()))
    assert not picture.faults


def test_a_bar_is_dragged_and_its_neighbours_give_way(visit):
    picture = visit("mode=sum&gamma=4&survival=0.8,0.6,0.4,0.2")
    picture.drag(picture.bar(3), dy=-100)
    row = picture.survival()
    assert row[2] > 0.65 and row[1] == row[2] and row[0] == 0.8 and row[3] == 0.2
    assert picture.number("tokens") == pytest.approx(1 + sum(row))
    picture.up()
    picture.page.wait_for_url("**survival=*")
    picture.quiet()
    assert picture.survival() == row and not picture.faults


def test_nothing_goes_to_the_server_while_a_bar_or_a_slider_is_dragged(visit):
    picture = visit("mode=sum&gamma=4&survival=0.8,0.6,0.4,0.2")
    picture.quiet()
    before = picture.sent
    picture.drag(picture.bar(1), dy=60, steps=40)
    assert picture.sent == before
    picture.up()
    picture.mode("speed")
    picture.quiet()
    before, speed = picture.sent, picture.get("speedup")
    picture.slide("alpha", 0.8, 0.3, steps=40)
    assert picture.get("speedup") != speed and picture.sent == before
    picture.up()
    picture.page.wait_for_url("**mode=speed**alpha=0.3**")
    assert picture.sent > before and not picture.faults


def test_the_sliders_give_what_python_gives(visit):
    picture = visit("mode=speed&alpha=0.8&gamma=5&c=0.05&s=0.1")
    for _ in range(2):
        alpha, gamma, c = picture.number("alpha"), int(picture.get("gamma")), picture.number("c")
        cost = speedup.linear_cost(0.1)
        assert picture.number("v") == cost(gamma + 1)
        assert picture.number("speedup") == pytest.approx(
            speedup.speedup(speedup.expected_tokens(alpha, gamma), gamma, c, cost(gamma + 1))
        )
        ours = speedup.curve(speedup.survival(alpha, speedup.MOST_GUESSES), c, cost)
        assert int(picture.get("best-gamma")) == speedup.best_gamma(ours)
        picture.slider("gamma").focus()
        for _ in range(3):
            picture.page.keyboard.press("ArrowRight")
        picture.slider("c").focus()
        picture.page.keyboard.press("ArrowRight")
    assert picture.get("gamma") == "11"


def test_a_finger_on_the_curve_does_what_the_slider_does(visit):
    picture = visit("mode=speed&alpha=0.8&gamma=5")
    box = picture.root.locator(".over-gamma").bounding_box()
    picture.page.mouse.click(box["x"] + box["width"] - 16, box["y"] + 150)
    assert picture.get("gamma") == str(MOST_PLACES)
    picture.page.wait_for_url("**gamma=20**")


def test_where_no_gamma_helps_the_whole_is_grey_and_says_so(visit):
    picture = visit("mode=speed&alpha=0.3&gamma=3&c=0.3")
    assert picture.get("none") == "true" and picture.get("best-gamma") == "0"
    assert picture.root.locator(".why").inner_text() == say("en", "speedup.why_none")
    assert picture.root.locator(".piece").first.evaluate("node => getComputedStyle(node).filter") == "grayscale(1)"
    picture.slide("alpha", 0.3, 0.9)
    picture.up()
    assert picture.get("none") == "false"


def test_the_trap_feeds_the_formula_with_the_wrong_rate(visit):
    picture = visit("mode=power&alpha=0.8&gamma=5")
    assert picture.number("accepted-over-proposed") == pytest.approx(0.538, abs=5e-4)
    picture.root.locator('[data-do="trap"]').check()
    assert picture.get("trap") == "true"
    wrong = picture.root.locator(".strip.wrong .strip-value")
    assert wrong.inner_text() == "2.11" and picture.root.locator(".strip.tokens .strip-value").inner_text() == "3.69"
    expect(picture.root.locator(".caption")).to_contain_text("2.11")
    picture.page.wait_for_url("**trap=1**")


def test_the_mixture_is_one_button(visit):
    picture = visit()
    picture.choose("preset-mixture")
    values = picture.root.locator(".strip-value").all_inner_texts()
    assert values == ["3.15", "3.30", "2.77"]


def has_both_rates(picture, lang, view):
    """α never stands without the other rate, which is what most people call the acceptance rate."""
    text = picture.root.inner_text()
    assert f"{picture.number('accepted-over-proposed'):.2f}" in text, view
    assert say(lang, "speedup.rate_other") in text, view


def answered(picture):
    return picture.root.locator(".caption").inner_text().startswith("✓")


def test_the_first_question_is_found_by_dragging_alone(visit):
    picture = visit("mode=find&task=1")
    assert not answered(picture)
    picture.slide("gamma", 1 / MOST_PLACES, 16 / MOST_PLACES)
    assert picture.get("found") == "false", "past the best, but not back yet"
    box = picture.slider("gamma").bounding_box()
    picture.page.mouse.move(box["x"] + 8 + (box["width"] - 16) * 8 / MOST_PLACES, box["y"] + 20)
    assert picture.get("gamma") == "8" and picture.get("found") == "true" and answered(picture)
    picture.up()
    assert picture.get("best-gamma") == "8"


def test_the_second_question_is_found_by_dragging_alone(visit):
    picture = visit("mode=find&task=2")
    picture.slide("alpha", 0, 1)
    assert picture.number("alpha") == 0.9 and picture.get("found") == "false"
    assert picture.get("gamma") == picture.get("best-gamma") == "13"
    picture.up()
    picture.slide("c", 0, 1)
    assert picture.number("c") == 0.02 and picture.number("alpha") == 0.6 and picture.get("found") == "true"
    picture.up()
    bars = [float(text[:-1]) for text in picture.root.locator(".result-value").all_inner_texts()]
    assert bars[1] > bars[2] > bars[0]
    expect(picture.root.locator(".caption")).to_contain_text("3.75")


def test_the_third_question_is_found_by_dragging_alone(visit):
    picture = visit("mode=find&task=3")
    assert picture.number("alpha") == pytest.approx(0.95)
    picture.slide("easy", 0, 0.5)
    assert picture.get("found") == "true" and answered(picture)
    assert picture.root.locator(".strip-value").all_inner_texts() == ["3.15", "3.30", "2.77"]
    picture.up()


def test_an_answer_can_be_asked_for(visit):
    picture = visit("mode=find&task=1")
    picture.choose("answer")
    assert answered(picture) and picture.get("found") == "false"
    picture.choose("task-2")
    assert not answered(picture)


def test_every_published_row_can_be_chosen_and_is_calculated_as_in_python(visit):
    picture = visit("mode=papers")
    for table in published.tables():
        picture.choose(f"table-{table.name}")
        buttons = picture.root.locator("button.paper-row")
        assert buttons.count() == len(table.rows)
        for button, row in zip(buttons.all(), table.rows, strict=True):
            button.click()
            assert picture.get("row") == row.name
            cells = button.locator(".paper-cell").all_inner_texts()
            assert cells[1] == ("–" if row.alpha is None else f"{row.alpha:.2f}")
            if row.calc is not None:
                assert cells[4] == f"{row.calc:.2f}×" and picture.number("speedup") == pytest.approx(row.calc)
            if row.measured is not None:
                assert cells[5] == f"{row.measured}×"
        assert table.source in picture.root.locator(".conditions").inner_text()
    assert not picture.faults


def test_the_state_survives_a_page_switch_and_travels_in_the_address(visit):
    picture = visit("mode=speed&alpha=0.7&gamma=6&c=0.11&s=0.02&row=ende-large-0")
    picture.quiet()
    picture.slider("gamma").focus()
    picture.page.keyboard.press("ArrowRight")
    picture.page.wait_for_url("**gamma=7**")
    picture.page.get_by_role("link", name=say("en", "home.title")).first.click()
    picture.page.locator('[data-specviz="player"]').wait_for()
    picture.page.get_by_role("link", name=say("en", "speedup.title")).first.click()
    picture.root.wait_for()
    expect(picture.root).to_have_attribute("data-gamma", "7")
    assert (picture.get("mode"), picture.get("alpha"), picture.get("c")) == ("speed", "0.7", "0.11")
    picture.page.wait_for_url("**gamma=7**")
    guest = visit(picture.page.url.split("?", 1)[1])
    assert [guest.get(name) for name in ("mode", "alpha", "gamma", "c")] == ["speed", "0.7", "7", "0.11"]
    guest.mode("papers")
    assert guest.get("row") == "ende-large-0"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_keys_and_a_screen_reader(visit, lang):
    picture = visit("mode=sum&gamma=3&survival=0.8,0.6,0.4", lang=lang)
    bar = picture.bar(2)
    bar.focus()
    assert bar.get_attribute("role") == "slider" and bar.get_attribute("aria-label") == say(lang, "speedup.handle", i=2)
    picture.page.keyboard.press("ArrowUp")
    assert picture.survival() == [0.8, 0.61, 0.4]
    picture.page.keyboard.press("End")
    assert picture.survival() == [1, 1, 0.4]
    picture.page.keyboard.press("Home")
    assert picture.survival() == [0.8, 0, 0]
    for _ in range(6):
        picture.page.keyboard.press("PageUp")
    assert picture.survival() == [0.8, 0.6, 0.4], "keys can be taken back"
    assert bar.get_attribute("aria-valuetext") == say(lang, "speedup.handle_value", v="0.60", tokens="2.80")
    picture.root.focus()
    picture.page.keyboard.press("PageDown")
    assert picture.get("mode") == "power"
    picture.mode("speed")
    slider = picture.page.get_by_role("slider", name=say(lang, "speedup.slider_c"))
    assert slider.get_attribute("aria-valuetext").startswith("0.05")
    assert not picture.faults


def views(picture):
    """Every mode, question and table in turn, on one page."""
    for mode in MODES:
        picture.mode(mode)
        yield mode
    for n in (1, 2, 3):
        picture.mode("find")
        picture.choose(f"task-{n}")
        yield f"question {n}"
        picture.choose("answer")
        yield f"answer {n}"
    picture.mode("sum")
    picture.choose("preset-mixture")
    yield "mixture"
    picture.mode("power")
    picture.root.locator('[data-do="trap"]').check()
    yield "trap"
    picture.mode("speed")
    picture.slider("alpha").focus()
    picture.page.keyboard.press("Home")
    assert picture.get("none") == "true"
    yield "no γ helps"
    picture.mode("papers")
    for table in published.tables():
        picture.choose(f"table-{table.name}")
        yield table.name


@pytest.mark.parametrize(("theme", "lang"), [look[:2] for look in LOOKS[:2]])
def test_every_view_is_readable_fits_the_screen_and_has_both_rates(visit, theme, lang):
    picture = visit(theme=theme, lang=lang)
    assert picture.get("theme") == theme
    for view in views(picture):
        box = picture.root.bounding_box()
        assert box["y"] + box["height"] <= 768, view
        clipped = picture.root.evaluate(CLIPPED)
        assert not clipped, (view, clipped)
        has_both_rates(picture, lang, view)
        faults = faults_of(picture.page, "speedup")
        assert not faults, (view, faults)
    assert not picture.faults


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_phone_shows_everything(visit, lang):
    picture = visit(width=375, height=740, lang=lang, has_touch=True)
    for view in views(picture):
        assert picture.page.evaluate("() => document.documentElement.scrollWidth <= 375"), view
        box = picture.root.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 375
        small = picture.root.evaluate(SMALL)
        assert not small, (view, small)
        clipped = picture.root.evaluate(CLIPPED)
        assert not clipped, (view, clipped)


COVERED = """(root) => {
  const boxes = (names) => [...root.querySelectorAll(names)].map((node) => node.getBoundingClientRect());
  const said = boxes(".charts .said"), marks = boxes(".calc:not(.chosen), .measured:not(.chosen)");
  const within = (x, y) => said.some((box) => x > box.left && x < box.right && y > box.top && y < box.bottom);
  return marks.filter((box) => within((box.left + box.right) / 2, (box.top + box.bottom) / 2)).length;
}"""


@pytest.mark.parametrize("width", [1366, 375])
def test_the_figure_of_a_row_covers_no_other_row(visit, width):
    picture = visit("mode=papers&gamma=4&c=0.05", width=width)
    for name in ("ideal", "alphas", "lenience"):
        picture.choose(f"table-{name}")
        for i, row in enumerate(published.table(name).rows):
            picture.root.locator(".paper-row:not(.head)").nth(i).click()
            expect(picture.root).to_have_attribute("data-row", row.name)
            assert picture.root.evaluate(COVERED) == 0, row.name


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_formula_is_cut_on_a_phone(visit, lang):
    picture = visit(width=375, height=740, lang=lang)
    picture.page.locator(".stMarkdown .katex").first.wait_for()
    rooms = picture.page.evaluate(
        "() => [...document.querySelectorAll('.stMarkdown .katex')].map((node) => [node.scrollWidth, node.clientWidth])"
    )
    assert len(rooms) > 5 and all(needed <= given + 4 for needed, given in rooms), rooms


def test_twenty_places_can_be_told_apart_by_a_finger(visit):
    """On a phone the columns scroll, and their axis stays; every bar can be taken, and none of its neighbours with it."""
    picture = visit("mode=sum&gamma=20&survival=" + ",".join(["0.9"] * 20), width=375, height=740, has_touch=True)
    plot = picture.root.locator(".places")
    spans = picture.root.evaluate(
        """(root) => [...root.querySelectorAll(".handle")].map((handle) => handle.getBoundingClientRect())
          .map(({ left, right, height }) => [left, right, height])"""
    )
    assert len(spans) == 20 and all(right - left >= 32 and height >= 44 for left, right, height in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert plot.get_attribute("data-more") == "true"
    assert "gradient" in plot.evaluate("(plot) => getComputedStyle(plot).maskImage"), "what lies beyond the edge fades"
    names = picture.root.locator(".row-head").first
    stood = names.bounding_box()["x"]
    picture.bar(20).scroll_into_view_if_needed()
    expect(plot).to_have_attribute("data-more", "false")
    assert names.bounding_box()["x"] == pytest.approx(stood, abs=1)
    picture.drag(picture.bar(20), dy=60)
    picture.page.mouse.up()
    assert picture.survival()[18] == 0.9 and picture.survival()[19] < 0.7
    assert picture.root.locator(".place-value").last.inner_text().startswith(".")
    assert picture.page.evaluate("() => document.documentElement.scrollWidth <= 375")


def test_reduced_motion_is_at_rest_at_once(visit):
    picture = visit(reduced_motion="reduce")
    assert picture.get("frames") is None
    picture.choose("preset-mixture")
    picture.mode("speed")
    assert picture.get("state") == "resting" and picture.get("frames") is None
