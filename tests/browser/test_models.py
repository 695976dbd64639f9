"""The page of models in a real browser: the picture's figures are Python's, it follows the hand, and all is legible."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from specviz.engine import catalogue
from specviz.locale import say
from specviz.ui.components import source
from specviz.ui.components.catalogue import PURE, STOPS
from tests.browser.looks import LOOKS
from tests.browser.mounted import Mounted

SCRIPTS = source(*PURE)


class Table(Mounted):
    SELECTOR = '[data-specviz="catalogue"]'

    def rest(self, **facts):
        for name, value in facts.items():
            self.page.locator(f'{self.SELECTOR}[data-{name}="{value}"]').wait_for()

    def row(self, text):
        return self.root.locator("tbody tr", has_text=text)

    def drag(self, stop):
        """As a finger does: input events only, the finger still down."""
        self.root.locator('input[type="range"]').evaluate(
            "(knob, at) => { knob.value = String(at); knob.dispatchEvent(new Event('input', { bubbles: true })); }",
            STOPS.index(stop),
        )


@pytest.fixture
def open_table(new_page, server):
    def visit(query="", lang="en", **options):
        page = new_page(**options)
        page.goto(f"{server.url}/models?lang={lang}&{query}")
        table = Table(page)
        table.root.wait_for(timeout=60_000)
        return table

    return visit


def test_a_pair_of_ones_own_in_the_address_stands_in_the_fields_and_stays_in_the_address(open_table):
    page = open_table("pair=poem|english").page
    for side, name in (("target", "poem"), ("draft", "english")):
        expect(page.get_by_label(say("en", f"yours.{side}"), exact=True)).to_have_value(name)
        page.wait_for_url(f"**{side}={name}*")
    page.reload()
    page.get_by_label(say("en", "yours.target"), exact=True).wait_for()
    assert page.get_by_label(say("en", "yours.draft"), exact=True).input_value() == "english"


def test_the_browser_adds_up_what_a_pair_needs_as_python_does(page):
    for entry in catalogue.entries().values():
        row = {"memory": {}, "kv": {}, "most": entry.context}
        for dtype in ("fp32", "bf16", "int8"):
            row["memory"][dtype], row["kv"][dtype] = entry.memory(dtype, 1), entry.memory(dtype, 1)["kv"]
        for dtype in row["kv"]:
            got = page.evaluate("([row, dtype, stops]) => stops.map((stop) => needOf(row, dtype, stop))", [row, dtype, STOPS])
            for stop, need in zip(STOPS, got, strict=True):
                wanted = entry.memory(dtype, stop)
                assert need == pytest.approx({name: wanted[name] for name in ("target", "draft", "kv", "total")})


@pytest.mark.parametrize(("free", "fits"), [(100.0, True), (99.0, False), (10.0, False), (1e9, True)])
def test_a_bar_is_as_long_as_the_memory_or_ends_where_it_ends(page, free, fits):
    bar = page.evaluate("([need, free]) => barOf(need, free)", [{"target": 70, "draft": 20, "kv": 10, "total": 100}, free])
    assert bar["fits"] == fits and bar["end"] == pytest.approx(min(1, free / 100))
    assert bar["target"] + bar["draft"] + bar["kv"] == pytest.approx(min(1, 100 / free))


def test_the_bars_follow_the_slider_without_the_server(open_table):
    table = open_table("pair=qwen3-4b&context=256")
    table.rest(pair="qwen3-4b", context=256)
    table.page.wait_for_load_state("networkidle")
    before, sent = table.number("need"), table.sent
    entry, seen = catalogue.entries()["qwen3-4b"], []
    for stop in (1024, 8192, 32768):
        table.drag(stop)
        seen.append(table.number("need"))
        assert any(seen[-1] == pytest.approx(entry.memory(dtype, stop)["total"]) for dtype in ("fp32", "bf16"))
    assert before < seen[0] < seen[1] < seen[2] and table.sent == sent and not table.faults
    table.root.locator('input[type="range"]').dispatch_event("change")
    table.page.wait_for_url("**context=32768**")


def test_a_click_on_a_row_chooses_it_and_shows_it(open_table):
    table = open_table("pair=poem")
    table.row("Qwen3-8B").click()
    table.page.wait_for_url("**pair=qwen3-8b**")
    table.page.get_by_role("heading", name="Qwen3-8B").wait_for()
    table.page.reload()
    table.root.wait_for()
    table.rest(pair="qwen3-8b")


def test_the_keyboard_goes_through_the_pairs(open_table):
    names = list(catalogue.entries())
    table = open_table(f"pair={names[0]}")
    table.rest(pair=names[0])
    table.root.locator("input[type=radio]:checked").focus()
    for name in names[1:4]:
        table.page.keyboard.press("ArrowDown")
        table.rest(pair=name)
    table.page.wait_for_url(f"**pair={names[3]}**")


def test_a_model_of_another_tokenizer_is_refused_and_the_screen_says_why(open_table, folders):
    table = open_table()
    page = table.page
    page.get_by_label(say("en", "yours.target")).fill(str(folders / "one/target"))
    page.get_by_label(say("en", "yours.draft")).fill(str(folders / "other/draft"))
    page.get_by_role("button", name=say("en", "yours.check")).click()
    page.locator('[data-specviz="tokenizations"]').wait_for(timeout=90_000)
    assert page.locator(".cuts .piece.other").count() > 2 and page.locator(".cuts .piece.same").count() > 2
    page.get_by_role("button", name="中文").click()
    page.get_by_text(say("zh", "check.refuse")).wait_for()
    assert page.locator('[data-specviz="tokenizations"]').is_visible()
    page.reload()
    page.get_by_text(say("zh", "check.refuse")).wait_for()
    assert not table.faults


def test_two_that_fit_are_loaded_and_the_estimate_stands_beside_the_truth(open_table, folders):
    table = open_table(f"target={folders / 'one/target'}&draft={folders / 'one/draft'}")
    page = table.page
    page.get_by_role("button", name=say("en", "yours.check")).click()
    panel = page.locator(".st-key-yours_pair")
    panel.get_by_role("button", name=say("en", "loading.load")).click(timeout=90_000)
    panel.get_by_text(say("en", "loading.loaded")).wait_for(timeout=90_000)
    panel.get_by_text(say("en", "loading.estimated"), exact=True).wait_for()
    panel.get_by_role("link").click()
    page.wait_for_url("**/round?**pair=**")
    assert "lang=en" in page.url


@pytest.mark.parametrize(("theme", "language", "size"), LOOKS)
def test_nothing_is_cut_off_or_grey_on_grey(open_table, folders, theme, language, size):
    query = f"pair=qwen3-8b&target={folders / 'one/target'}&draft={folders / 'other/draft'}"
    table = open_table(query, language, width=size[0], height=size[1], theme=theme, locale=language)
    page = table.page
    page.get_by_role("button", name=say(language, "yours.check")).click()
    page.locator('[data-specviz="tokenizations"]').wait_for(timeout=90_000)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    box = table.root.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= size[0] + 1
    rules = ["color-contrast", "button-name", "label", "image-alt", "list", "listitem", "scrollable-region-focusable"]
    faults = Axe().run(page, options={"runOnly": rules}).response["violations"]
    ours = [f"{f['id']}: {n['html'][:160]}" for f in faults for n in f["nodes"] if "stHeader" not in str(n["target"])]
    assert not ours
