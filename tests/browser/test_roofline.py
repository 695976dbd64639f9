"""The price of a pass in a real browser: dragged, typed, read aloud, and this machine measured beside it."""

import re

import pytest
from playwright.sync_api import expect

from specviz.locale import say
from specviz.roofline import DEVICES, price
from tests.browser.looks import LOOKS, faults_of
from tests.browser.mounted import Mounted

ROOFLINE = '[data-specviz="roofline"]'
H100 = DEVICES["h100-sxm"]


class Picture(Mounted):
    """One visitor's page with the picture on it."""

    SELECTOR = ROOFLINE

    def slider(self, name):
        return self.root.locator(f'[data-of="{name}"] input[type="range"]')

    def field(self, name):
        return self.root.locator(f'[data-of="{name}"] input[type="text"]')

    def said(self):
        return self.root.locator(".why").inner_text()

    def quiet(self):
        """Until nothing more is under way, so that what is counted from here on belongs to what is done from here on."""
        self.page.wait_for_load_state("networkidle")
        self.page.locator('[data-testid="stStatusWidget"]').wait_for(state="hidden")


@pytest.fixture
def visit(browser, server):
    contexts = []

    def open_picture(query="", width=1366, height=768, theme="light", lang="en", **options):
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme, **options)
        contexts.append(context)
        picture = Picture(context.new_page())
        picture.page.goto(f"{server.url}/bottleneck?lang={lang}&{query}")
        picture.root.wait_for(timeout=60_000)
        expect(picture.root).not_to_have_attribute("data-memory-ms", "")
        return picture

    yield open_picture
    for context in contexts:
        context.close()


def test_the_first_picture_is_true_and_moves_before_anything_is_clicked(visit):
    picture = visit()
    found = price(H100, 70e9)
    assert picture.number("memory-ms") == pytest.approx(found.memory_ms)
    assert picture.number("compute-ms") == pytest.approx(found.compute_ms)
    assert picture.number("ridge") == pytest.approx(found.ridge_tokens)
    assert picture.said() == say("en", "roofline.says_memory", ratio="295", more="294")
    expect(picture.root).to_have_attribute("data-frames", re.compile(r"\d\d"))
    assert picture.get("lit") in ("1", "2")  # of 420 units, a third of a percent
    assert not picture.faults


RECTANGLES = """() => {
  const seen = (window.seen = []);
  for (const name of ["strokeRect", "fillRect"]) {
    const draw = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function (x, y, w, h) {
      if (w < 60) seen.push([w, h, x, x + w, this.canvas.clientWidth]);
      return draw.call(this, x, y, w, h);
    };
  }
}"""


@pytest.mark.parametrize("width", [1366, 1280, 1000, 700, 375])
def test_units_and_bytes_are_squares_at_every_width(visit, width):
    picture = visit(width=width)
    picture.page.evaluate(RECTANGLES)
    picture.page.wait_for_function("() => window.seen.length > 1000")
    seen = picture.page.evaluate("() => window.seen")
    assert all(abs(across - down) < 0.01 for across, down, *_ in seen)
    outlined = [row for row in seen if row[0] != 10]  # the bytes stream in from beyond the edges
    assert outlined and all(left >= 0 and right <= whole for _, _, left, right, whole in outlined)


def test_nothing_goes_to_the_server_while_a_slider_is_dragged(visit):
    picture = visit()
    picture.quiet()
    before, box = picture.sent, picture.slider("tokens").bounding_box()
    y = box["y"] + box["height"] / 2
    picture.page.mouse.move(box["x"] + 9, y)
    picture.page.mouse.down()
    seen = set()
    for k in range(40):
        picture.page.mouse.move(box["x"] + 9 + 6 * k, y)
        seen.add(picture.get("tokens"))
    tokens = int(picture.get("tokens"))
    assert len(seen) > 20 and tokens > 100 and picture.sent == before
    assert picture.number("compute-ms") == pytest.approx(price(H100, 70e9, tokens=tokens).compute_ms)
    picture.page.mouse.up()
    picture.page.wait_for_url(f"**tokens={tokens}*")
    assert picture.sent > before and int(picture.get("tokens")) == tokens and not picture.faults


def test_a_finger_on_the_curve_moves_the_tokens_and_tells_the_server_once_lifted(visit):
    picture = visit()
    picture.quiet()
    before, box = picture.sent, picture.root.locator(".curve svg").bounding_box()
    picture.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 100)
    picture.page.mouse.down()
    picture.page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + 100)
    tokens = int(picture.get("tokens"))
    assert 295 < tokens <= 1024 and picture.get("bound") == "compute" and picture.sent == before
    picture.page.mouse.up()
    picture.page.wait_for_url(f"**tokens={tokens}*")


def test_arrow_keys_move_every_slider_and_the_picture_follows(visit):
    picture = visit()
    for name in ("tokens", "context", "batch", "params"):
        slider, before = picture.slider(name), float(picture.get(name))
        slider.focus()
        picture.page.keyboard.press("ArrowRight")
        assert float(picture.get(name)) > before
        expect(slider).to_be_focused()
    picture.slider("tokens").focus()
    picture.page.keyboard.press("End")
    assert picture.get("tokens") == "1024"
    picture.root.focus()
    picture.page.keyboard.press("PageUp")  # a presenter's remote
    assert picture.get("tokens") == "512" and not picture.faults


def test_a_typed_value_is_kept_exactly_and_a_wrong_one_is_named(visit):
    picture = visit()
    picture.field("tokens").fill("77")
    picture.page.keyboard.press("Enter")
    assert picture.get("tokens") == "77"
    picture.page.wait_for_url("**tokens=77*")
    assert picture.get("tokens") == "77"
    for bad in ("0", "-5", "many", ""):
        picture.field("params").fill(bad)
        picture.page.keyboard.press("Enter")
        assert say("en", "roofline.params") in picture.said() and picture.get("params") == "70000000000"
        assert picture.field("params").get_attribute("aria-invalid") == "true"
    picture.field("params").fill("8.03")
    picture.page.keyboard.press("Enter")
    assert float(picture.get("params")) == pytest.approx(8.03e9) and "294" not in picture.said()
    assert picture.field("params").get_attribute("aria-invalid") is None and not picture.faults


def test_more_kv_heads_than_query_heads_are_refused_where_they_are_typed(visit):
    picture = visit()
    picture.root.locator(".shape summary").click()
    for name, bad in (("heads", "4"), ("kv_heads", "65")):
        field = picture.root.locator(".shape label", has_text=say("en", f"roofline.{name}")).locator("input").last
        before = field.input_value()
        field.fill(bad)
        picture.page.keyboard.press("Enter")
        assert say("en", f"roofline.{name}") in picture.said() and field.get_attribute("aria-invalid") == "true"
        field.fill(before)
        picture.page.keyboard.press("Enter")
        assert field.get_attribute("aria-invalid") is None and not picture.faults


def test_device_precision_and_ones_own_numbers(visit):
    picture = visit()
    picture.root.get_by_role("button", name="INT4").click()
    assert picture.number("memory-ms") == pytest.approx(price(H100, 70e9, "int4").memory_ms)
    picture.root.locator("select").select_option("m4-max")
    assert picture.get("compute-ms") == "" and picture.get("ridge") == ""
    picture.root.locator("select").select_option("own")
    picture.root.get_by_label(say("en", "roofline.bandwidth"), exact=True).fill("2")
    picture.page.keyboard.press("Enter")
    assert picture.number("memory-ms") == pytest.approx(17.5) and picture.get("compute-ms") == ""
    picture.root.get_by_label(say("en", "roofline.tflops"), exact=True).fill("100")
    picture.page.keyboard.press("Enter")
    assert picture.number("compute-ms") == pytest.approx(1.4)
    picture.page.wait_for_url("**tflops=100*")
    guest = visit(query=picture.page.url.split("?", 1)[1])
    assert guest.number("compute-ms") == pytest.approx(1.4) and guest.get("device") == "own"


def test_the_context_is_read_too_and_shown(visit):
    picture = visit(query="context=8000&batch=8")
    assert picture.number("memory-ms") == pytest.approx(price(H100, 70e9, context=8000, batch=8).memory_ms)
    assert "KV" in picture.root.locator(".time.memory .much").inner_text()


WORDS = ".why, .fits, .what, .much, .time b, .share b, .title, button, .name, .source"
CLIPPED = """(root, words) => [...root.querySelectorAll(words)]
  .filter((node) => node.offsetParent && node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).display !== "inline")
  .map((node) => node.textContent)"""
SMALL = """(root) => [...root.querySelectorAll("button, select, input, summary")]
  .filter((node) => node.offsetParent)
  .map((node) => [node.getBoundingClientRect(), node.outerHTML])
  .filter(([box]) => box.width < 40 || box.height < 40)
  .map(([, html]) => html)"""
STATES = ("", "tokens=512&context=100000&batch=64", "device=own&bandwidth=0.003&tflops=0.02&params=1e9&tokens=64")


@pytest.mark.parametrize(("theme", "lang", "size"), LOOKS)
def test_everything_is_readable_and_fits_the_screen(visit, theme, lang, size):
    width, height = size
    for query in STATES:
        picture = visit(query, width, height, theme, lang, reduced_motion="reduce")
        assert picture.get("theme") == theme and picture.get("size") == ("wide" if width > 1000 else "narrow")
        assert picture.page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
        box = picture.root.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width and (width < 1000 or box["height"] <= 660)
        clipped, small = picture.root.evaluate(CLIPPED, WORDS), picture.root.evaluate(SMALL)
        assert not clipped and not small
        faults = faults_of(picture.page, "roofline")
        assert not faults and not picture.faults


def test_reduced_motion_stands_still_until_asked(visit):
    picture = visit(reduced_motion="reduce")
    assert picture.get("state") == "still" and picture.get("frames") == "0"
    picture.root.get_by_role("button", name=say("en", "roofline.play")).click()
    expect(picture.root).to_have_attribute("data-state", "moving")
    picture.root.get_by_role("button", name=say("en", "roofline.pause")).click()
    expect(picture.root).to_have_attribute("data-state", "still")


def test_the_keys_r_and_c_stay_with_the_picture(visit):
    picture = visit()
    picture.quiet()
    before = picture.sent
    for node in (picture.root, picture.slider("tokens"), picture.field("batch")):
        node.focus()
        for key in "rc":
            picture.page.keyboard.press(key)
    picture.page.evaluate("() => new Promise(requestAnimationFrame)")
    assert picture.sent == before and picture.page.get_by_role("dialog").count() == 0


def test_the_state_survives_a_page_switch(visit):
    picture = visit()
    picture.field("tokens").fill("33")
    picture.page.keyboard.press("Enter")
    picture.page.wait_for_url("**tokens=33*")
    picture.page.get_by_role("link", name=say("en", "home.title")).first.click()
    picture.page.locator('[data-specviz="player"]').wait_for()
    picture.page.get_by_role("link", name=say("en", "bottleneck.title")).first.click()
    picture.root.wait_for()
    expect(picture.root).to_have_attribute("data-tokens", "33")


def test_this_machine_is_measured_on_request_and_drawn_into_the_same_picture(visit):
    picture = visit()
    assert picture.root.locator('option[value="this"]').is_disabled()
    picture.page.get_by_role("button", name=say("en", "bottleneck.measure")).click()
    picture.page.get_by_text(say("en", "bottleneck.measured"), exact=True).wait_for(timeout=180_000)
    expect(picture.root).to_have_attribute("data-measured", "8")
    assert picture.get("device") == "this" and picture.number("launch-ms") > 0 and picture.number("ridge") > 0
    assert picture.root.locator(".median").count() == 8 and picture.root.locator(".time.launches").is_visible()
    picture.root.locator("select").select_option("h100-sxm")
    assert picture.get("measured") == "0" and picture.root.locator(".median").count() == 0
    picture.page.get_by_role("button", name=say("en", "bottleneck.loaded")).click()
    expect(picture.root).to_have_attribute("data-measured", "8")
    assert not picture.faults
