"""The table of drafters: rows from the beginning, sorted by any heading, a row opens in the player; alone and on its page."""

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from specviz import examples, family
from specviz.locale import LANGUAGES, labels, say
from specviz.ui import palette
from specviz.ui.components import source
from specviz.ui.components.family import DRAWN, PURE
from tests.browser.alone import PAPER
from tests.browser.looks import LOOKS
from tests.browser.mounted import Mounted
from tests.reports import CODES, SPEED, report

SCRIPTS = source(*PURE)
ALL = ["plain", *CODES]
SCRIPT = source(*PURE, *DRAWN).replace("export default function", "window.mountFamily = function")
MOUNT = """
([html, css, data]) => {
  const host = document.body.appendChild(document.createElement("div")), tree = host.attachShadow({ mode: "open" });
  tree.innerHTML = "<style>" + css + "</style>" + html;
  window.told = [];
  const setStateValue = (_, value) => window.told.push(value);
  window.show = (data) => window.mountFamily({ data: [data], parentElement: tree, setStateValue });
  window.show(data);
}
"""


class Table(Mounted):
    SELECTOR = '[data-specviz="family"]'

    def order(self):
        lines = self.root.locator(".body .line")
        return lines.evaluate_all("lines => lines.map((line) => line.dataset.drafter)")

    def row(self, code):
        return self.root.locator(f'.body [data-drafter="{code}"]')

    def head(self, name):
        return self.root.locator(f".head .cell.{name} button")

    def rows(self):
        return {row["drafter"]: row for row in json.loads(self.get("rows"))}

    def tall(self):
        return self.root.locator(".body .line").evaluate_all(
            "lines => lines.map((line) => line.getBoundingClientRect().height)"
        )


def data(told, over=True, **changes):
    """What the page hands to the component."""
    words = labels("en")["family"]
    rows = family.rows(told, CODES, over=False)
    for row in rows:
        row |= {"name": words[f"name_{row['drafter']}"], "about": "", "trained": row["training"] or "", "says": ""}
        row |= {"lossless": row["verdict"] or "", "lossless_note": "", "lossless_says": ""}
        if row["state"] == "refused":
            row["says"] = say("en", "errors.no_draft")
    blank = {
        "run": "a",
        "says": "…",
        "share": None if over else 0.3,
        "recorded": False,
        "busy": False,
        "sort": "",
        "chosen": None,
        "lines": 1,
    }
    return {"rows": rows, "labels": words, **blank, **changes}


def mounted(page, told, theme="light", **changes):
    page.set_content(
        f"<style>body {{ margin: 0 16px; background: {PAPER[theme]}; --st-background-color: {PAPER[theme]} }}</style>"
    )
    page.add_script_tag(content=SCRIPT)
    css = palette.css() + source("family/family.css")
    page.evaluate(MOUNT, [source("family/family.html"), css, data(told, **changes)])
    table = Table(page)
    table.root.wait_for()
    return table


@pytest.mark.parametrize("column", ["tokens", "alpha", "guess", "verify", "speed", "weights", "kv", "training", "lossless"])
def test_a_heading_sorts_best_first_and_then_the_other_way_round(page, column):
    rows = family.rows(report(), CODES)
    best, worst = (page.evaluate("([rows, sort]) => orderOf(rows, sort)", [rows, sort]) for sort in (column, f"-{column}"))
    assert sorted(best) == sorted(worst) == sorted(ALL)
    of = page.evaluate("([rows, name]) => rows.map((row) => COLUMNS.find((c) => c.name === name).of(row))", [rows, column])
    figures = dict(zip((row["drafter"] for row in rows), of, strict=True))
    for order in (best, worst):
        known = [figures[code] is not None for code in order]
        assert known == sorted(known, reverse=True), "what has no figure stands last, either way"
    told = [figures[code] for code in best if figures[code] is not None]
    assert told == sorted(told, reverse=column in ("tokens", "alpha", "speed"))
    assert [figures[code] for code in worst if figures[code] is not None] == told[::-1]


def test_equal_rows_stay_as_they_came(page):
    rows = [{"drafter": code, "speed": 1.0} for code in ALL]
    for sort in ("speed", "-speed", "", "nonsense"):
        assert page.evaluate("([rows, sort]) => orderOf(rows, sort)", [rows, sort]) == ALL


def test_rows_are_there_before_they_have_figures_and_nothing_moves_when_they_come(new_page):
    table = mounted(new_page(), None, over=False)
    assert table.order() == ALL and {row["state"] for row in table.rows().values()} == {"waiting"}
    before = table.root.bounding_box(), table.tall()
    for i in range(1, len(CODES) + 1):
        told = report(codes=CODES[:i])
        table.page.evaluate("(data) => window.show(data)", data(told, over=False))
        assert (table.root.bounding_box(), table.tall()) == before
    assert len(set(before[1])) == 1


def test_the_order_stands_still_while_rows_arrive_and_follows_the_heading_when_all_are_there(new_page):
    table = mounted(new_page(), None, over=False, sort="speed")
    for i in range(1, len(CODES) + 1):
        table.page.evaluate("(data) => window.show(data)", data(report(codes=CODES[:i]), over=False, sort="speed"))
        assert table.order() == ALL
    table.page.evaluate("(data) => window.show(data)", data(report(), sort="speed"))
    assert table.order() == sorted(ALL, key=lambda code: -{**SPEED, "plain": 1}[code])


def test_the_keyboard_sorts_and_says_so(new_page):
    table = mounted(new_page(), report())
    table.head("speed").focus()
    table.page.keyboard.press("Enter")
    heads = table.root.locator(".head .cell.speed")
    expect(heads).to_have_attribute("aria-sort", "descending")
    assert table.get("sort") == "speed" and table.order()[0] == "lookup"
    table.page.keyboard.press("Enter")
    expect(heads).to_have_attribute("aria-sort", "ascending")
    assert table.order()[0] == "early-exit" and table.page.evaluate("window.told.at(-1).sort") == "-speed"
    table.head("drafter").click()
    assert table.order() == ALL and table.get("sort") == ""


def test_a_bar_is_as_long_as_its_figure_and_the_line_at_one_is_where_one_is(new_page):
    table = mounted(new_page(), report())
    track = table.row("model").locator(".track").bounding_box()
    one = table.row("model").locator(".one").bounding_box()["x"] - track["x"]
    for code, speed in SPEED.items():
        width = table.row(code).locator(".run").bounding_box()["width"]
        assert width == pytest.approx(speed * one, rel=0.03)
        assert ("slower" in table.row(code).get_attribute("class")) == (speed < 1)
        assert table.row(code).get_by_text(labels("en")["family"]["slower"], exact=True).is_visible() == (speed < 1)
    lane = table.row("plain").locator(".lane i").evaluate_all("pieces => pieces.map((i) => i.getBoundingClientRect().width)")
    for code, speed in SPEED.items():
        mine = table.row(code).locator(".lane i").evaluate_all("pieces => pieces.map((i) => i.getBoundingClientRect().width)")
        assert sum(lane) / sum(mine) == pytest.approx(speed, rel=0.03), "a lane half as long is twice as fast"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1366, 375])
def test_a_speed_of_a_busy_machine_is_hollow_in_question_and_says_why(new_page, theme, width):
    table = mounted(new_page(width=width, theme=theme), report(), theme, busy=True, chosen="lookup")
    why = labels("en")["family"]["doubt"]
    for code, speed in SPEED.items():
        cell = table.row(code).locator(".cell.speed")
        assert cell.get_attribute("title") == why and why in cell.text_content(), "for the eye and for the ear"
        figure, run = cell.locator(".figure"), cell.locator(".run")
        assert figure.inner_text() == f"{speed:.2f}×?" and cell.locator(".small").inner_text() == ""
        assert figure.evaluate("node => getComputedStyle(node).fontWeight") == "400"
        look = run.evaluate("node => [getComputedStyle(node).backgroundColor, getComputedStyle(node).borderTopStyle]")
        assert look == ["rgba(0, 0, 0, 0)", "dashed"] and "slower" not in table.row(code).get_attribute("class")
        assert why in table.row(code).locator(".lane").get_attribute("title")
    plain = table.row("plain").locator(".cell.speed")
    assert plain.locator(".figure").inner_text() == "1.00×" and plain.get_attribute("title") is None, "1× by definition"
    table.page.evaluate("(data) => window.show(data)", data(report()))
    assert table.row("lookup").locator(".figure").last.inner_text() == f"{SPEED['lookup']:.2f}×"
    assert why not in table.root.text_content()


NARROWEST, PHONE, TABLET = 320, 375, 900
STICKS_OUT = """
rows => rows.flatMap((row) => [...row.querySelectorAll(".value, .figure, .small, .note, .tile, .bar, .run, .lane")]
  .filter((node) => node.getBoundingClientRect().right > row.getBoundingClientRect().right + 0.5)
  .map((node) => `${row.dataset.drafter} .${node.className}: ${node.textContent}`))
"""
LINES = """
text => { const box = text.getBoundingClientRect(), seen = (r) => Math.min(r.bottom, box.bottom) - Math.max(r.top, box.top);
  return [...text.querySelectorAll(".tile")].flatMap((tile) => [...tile.getClientRects()])
    .filter((r) => r.width && seen(r) > 0.5 && seen(r) < r.height - 2).length; }
"""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("lines", [1, 2])
@pytest.mark.parametrize("width", [NARROWEST, PHONE, TABLET, 1366])
def test_nothing_sticks_out_of_a_row_and_only_whole_lines_are_seen(new_page, width, lines, language):
    words, told = labels(language)["family"], data(report(), lines=lines)
    for row in told["rows"]:
        row |= {"lossless": words["lossless_same"], "trained": words["trained_model"], "tokens": row["tokens"] * 20}
    table = mounted(new_page(width=width), report())
    table.page.evaluate("(data) => window.show(data)", {**told, "labels": words})
    assert table.root.locator(".body .line").evaluate_all(STICKS_OUT) == []
    text = table.row("model").locator(".cell.text")
    assert text.evaluate("node => node.scrollHeight > node.clientHeight") and text.evaluate(LINES) == 0


def test_a_drafter_that_cannot_serve_is_grey_with_its_reason_and_opens_nothing(new_page):
    table = mounted(new_page(), report(refused=("model",)))
    row = table.row("model")
    expect(row).to_have_attribute("data-state", "refused")
    expect(row.locator(".why")).to_have_text(say("en", "errors.no_draft"))
    assert row.locator("button").is_disabled()
    row.click()
    assert table.page.evaluate("window.told.length") == 0 and table.get("chosen") == ""


def test_the_text_tells_by_shape_and_words_where_a_token_came_from(new_page):
    table = mounted(new_page(), report())
    row, trace = table.row("model"), report()["rows"]["model"]["trace"]
    kinds = [kind for _, kind, _ in family.origins(trace)]
    assert row.locator(".tile").count() == len(kinds)
    for kind in set(kinds):
        tile = row.locator(f".tile.{kind}").first
        expect(tile).to_have_attribute("title", labels("en")["family"][f"kind_{kind}"])
    missed = [x for _, _, x in family.origins(trace) if x is not None]
    assert row.locator(".missed").count() == len(missed) and "✗" in row.locator(".missed").first.text_content()


def test_a_run_too_short_for_a_speed_is_not_called_slower(new_page):
    told = report()
    told["rows"]["model"]["rounds"] = 2
    row = mounted(new_page(), told).row("model")
    assert row.get_attribute("data-speed") is None and "slower" not in row.get_attribute("class")
    assert row.locator(".speed .figure").inner_text() == "–" and row.locator(".speed .small").inner_text() == ""


def test_every_verdict_has_its_place_in_the_order(page):
    verdicts = ["other", "silent", "guilty", "same", "innocent"]
    rows = [{"drafter": verdict, "verdict": verdict} for verdict in verdicts]
    sorted_ = page.evaluate("([rows, sort]) => orderOf(rows, sort)", [rows, "lossless"])
    assert sorted_ == ["same", "silent", "innocent", "guilty", "other"]


@pytest.fixture
def open_table(new_page, server):
    def visit(query="pair=poem", lang="en", **options):
        page = new_page(**options)
        page.goto(f"{server.url}/drafters?lang={lang}&{query}")
        table = Table(page)
        table.root.wait_for(timeout=60_000)
        table.row("plain").wait_for()
        return table

    return visit


def test_a_recorded_run_stands_there_before_anything_is_run(open_table):
    table = open_table()
    recorded = examples.family("poem")
    assert table.rows()["lookup"]["speed"] == pytest.approx(recorded["rows"]["lookup"]["speed"])
    assert table.root.locator(".badge").text_content() == labels("en")["family"]["recorded"]
    assert {table.row(code).get_attribute("data-state") for code in table.order()} == {"done"}


def test_a_click_on_a_row_plays_its_run_and_the_address_keeps_it(open_table):
    table = open_table("pair=poem&sort=speed")
    player = table.page.locator('[data-specviz="player"]')
    for code in ("lookup", "quantised", "early-exit"):
        table.row(code).locator(".text").click()
        expect(player).to_have_attribute("data-scene", code)
        table.page.wait_for_url(f"**row={code}*")
    assert "sort=speed" in table.page.url
    table.page.reload()
    table.row("early-exit").wait_for()
    expect(player).to_have_attribute("data-scene", "early-exit")
    expect(table.root).to_have_attribute("data-sort", "speed")
    assert not table.faults


@pytest.mark.parametrize(("pair", "language"), [("poem", "zh"), ("english", "en")])
def test_all_of_them_run_on_one_prompt_and_the_figures_are_those_of_the_traces(open_table, pair, language):
    table = open_table(f"pair={pair}&family_length=16&family_layers_12=3", language)
    page, player = table.page, table.page.locator('[data-specviz="player"]')
    page.locator(".st-key-family_run button").click()
    expect(table.root.locator(".badge")).to_be_hidden()
    for code in ALL:
        page.locator(f'{Table.SELECTOR} [data-drafter="{code}"][data-state="done"]').wait_for(timeout=120_000)
    page.locator(".st-key-family_run").wait_for()
    rows = table.rows()
    for code in CODES:
        assert rows[code]["verdict"] == "same", "T = 0: token for token the text of plain decoding"
        if code != "model":  # which is open from the start
            table.row(code).locator(".open").click()
            page.wait_for_url(f"**row={code}*")
            expect(player).to_have_attribute("data-scene", code)
        rounds = int(player.get_attribute("data-version"))
        made = table.row(code).locator(".tile").count() - 1
        assert rows[code]["tokens_per_round"] == pytest.approx(made / rounds)
    assert not table.faults


def test_a_run_can_be_given_up_and_what_was_finished_stays(open_table):
    table = open_table("pair=poem&family_length=256&family_temperature=2")
    page = table.page
    page.locator(".st-key-family_run button").click()
    expect(table.root.locator(".badge")).to_be_hidden()
    page.locator(f'{Table.SELECTOR} [data-drafter="plain"][data-state="done"]').wait_for(timeout=120_000)
    page.locator(".st-key-family_run_cancel button").click()
    page.locator(f'{Table.SELECTOR} [data-drafter="quantised"][data-state="left"]').wait_for(timeout=60_000)
    expect(table.row("plain")).to_have_attribute("data-state", "done")
    page.locator(".st-key-family_run button").wait_for()


@pytest.mark.parametrize(("theme", "language", "size"), LOOKS)
def test_nothing_is_cut_off_or_grey_on_grey(open_table, theme, language, size):
    table = open_table("pair=english", language, width=size[0], height=size[1], theme=theme, locale=language)
    page = table.page
    page.locator('[data-specviz="player"]').wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    box = table.root.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= size[0] + 1
    rules = [
        "color-contrast",
        "button-name",
        "label",
        "aria-required-children",
        "aria-required-parent",
        "scrollable-region-focusable",
    ]
    faults = Axe().run(page, options={"runOnly": rules}).response["violations"]
    ours = [f"{f['id']}: {n['html'][:160]}" for f in faults for n in f["nodes"] if "stHeader" not in str(n["target"])]
    assert not ours
