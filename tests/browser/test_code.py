"""The listing follows the player and steers it, in one page and without the server."""

import random
from urllib.parse import urlencode

import pytest

from specviz import examples, family
from specviz.ui.components import source
from specviz.ui.components.code import PURE

SCRIPTS = source(*PURE)


@pytest.fixture
def page(server, open_page):
    page = open_page(f"{server.url}/one_page?lang=en&pair=poem&step=0", width=1500, height=900)
    page.locator('[data-specviz="code"]').wait_for()
    return page


def lit(page):
    return page.locator('[data-specviz="code"]').get_attribute("data-lit")


def step(page):
    return int(page.locator('[data-specviz="player"]').get_attribute("data-step"))


def expected():
    """Names of the events of the opening example, in order."""
    for finished in examples.opening("poem")["trace"]["rounds"]:
        yield from ("guess" for _ in finished["draft"])
        yield "verify"
        verdicts = [guess["verdict"] for guess in finished["draft"]]
        yield from (verdict for verdict in verdicts if verdict != "discarded")
        if "discarded" in verdicts:
            yield "void"
        if finished["fix"]:
            yield finished["fix"]["kind"]
        yield "commit"


def test_the_lit_line_follows_the_picture_and_steers_it(page):
    names = list(expected())[:14]
    for i, name in enumerate(names):
        side = "player" if i % 2 else "code"
        page.locator(f'[data-specviz="{side}"] [data-do="forward"]').click()
        assert (step(page), lit(page)) == (i + 1, name)
        assert page.locator('[data-specviz="code"] .line[aria-current]').count() >= 1
    page.locator('[data-specviz="code"] [data-do="back"]').click()
    assert (step(page), lit(page)) == (len(names) - 1, names[-2])


def test_a_line_leads_to_its_next_moment_in_both_notations(page):
    names = list(expected())
    code = page.locator('[data-specviz="code"]')
    code.locator(".line.acts", has_text="self.target.forward").click()
    assert lit(page) == "verify" and step(page) == names.index("verify") + 1
    code.locator('button[data-view="paper"]').click()
    code.locator(".line.acts", has_text="return prefix").click()
    assert lit(page) == "commit" and step(page) == names.index("commit") + 1
    assert code.locator(".line[aria-current]").count() == 1


SEEN = """(code) => {
  const box = code.querySelector(".lines").getBoundingClientRect();
  const lit = [...code.querySelectorAll(".line[aria-current]")].map((line) => [line.getBoundingClientRect(), line]);
  const inside = lit.filter(([line]) => line.top >= box.top && line.bottom <= box.bottom).map(([, line]) => line);
  return [inside.includes(lit[lit.length - 1][1]), document.scrollingElement.scrollTop];
}"""


@pytest.mark.parametrize("size", [(1366, 768), (1000, 700), (375, 812)])
def test_the_line_that_acts_is_in_view_at_every_step_and_the_page_stays(server, open_page, size):
    page = open_page(f"{server.url}/one_page?lang=en&step=0", width=size[0], height=size[1])
    code = page.locator('[data-specviz="code"]')
    code.locator('[data-do="forward"]').wait_for()
    code.scroll_into_view_if_needed()
    for view in ("python", "paper"):
        code.locator(f'button[data-view="{view}"]').click()
        rested = code.evaluate("() => document.scrollingElement.scrollTop")
        for name in expected():
            code.locator('[data-do="forward"]').evaluate("(button) => button.click()")
            assert lit(page) == name
            assert code.evaluate(SEEN) == [True, rested], (view, name)
        page.locator('[data-specviz="player"]').locator('[data-do="first"]').evaluate("(button) => button.click()")


CUT = """(code, steps) => {
  const box = code.querySelector(".values").getBoundingClientRect(), cut = [];
  for (let k = 0; k < steps; k++) {
    code.querySelector('[data-do="forward"]').click();
    for (const value of code.querySelectorAll(".value")) {
      const own = value.getBoundingClientRect();
      const outside = own.bottom > box.bottom + 0.5 || own.right > box.right + 0.5;
      if (outside || value.scrollWidth > value.clientWidth + 1) cut.push([k, value.textContent]);
    }
  }
  return cut;
}"""
TWELVE = {"pair": "poem", "prompt": "春眠不觉晓，", "gamma": 12, "temperature": 1.0, "seed": 53}  # long rows of guesses


@pytest.mark.parametrize("width", [1366, 1000, 375])
@pytest.mark.parametrize("asked", ["lang=en", "lang=zh", f"lang=zh&{urlencode(TWELVE)}"], ids=["en", "zh", "twelve"])
def test_no_value_is_cut_at_any_step(server, open_page, width, asked):
    page = open_page(f"{server.url}/one_page?step=0&{asked}", width=width, height=768, reduced_motion="reduce")
    code = page.locator('[data-specviz="code"]')
    code.locator(".line").first.wait_for()
    steps = int(page.locator('[data-specviz="player"]').get_attribute("data-steps"))
    for view in ("python", "paper"):
        code.locator(f'button[data-view="{view}"]').click()
        assert code.evaluate(CUT, steps) == [] and step(page) == steps, view
        page.locator('[data-specviz="player"] [data-do="first"]').evaluate("(button) => button.click()")


@pytest.mark.parametrize("width", [375, 700, 1000, 1366])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_the_run_came_to_fits_the_width_the_player_is_given(server, open_page, width, lang):
    page = open_page(f"{server.url}/one_page?lang={lang}&step=0", width=width, height=768)
    player = page.locator('[data-specviz="player"]')
    player.focus()
    page.keyboard.press("End")
    page.locator(".sum.on").wait_for()
    outside = """(root) => {
      const room = root.getBoundingClientRect();
      const parts = [...root.querySelectorAll(".sum-number, .sum-name, .verdict, .transport > *")];
      return parts.filter((node) => node.offsetWidth).filter((node) => {
        const box = node.getBoundingClientRect();
        return box.left < room.left - 1 || box.right > room.right + 1 || node.scrollWidth > node.clientWidth + 1;
      }).map((node) => node.className + ": " + node.textContent);
    }"""
    assert player.evaluate(outside) == []


def test_stepping_sends_nothing_to_the_server_but_where_the_reader_rests(server, open_page):
    frames = []
    page = open_page(f"{server.url}/one_page?lang=en&pair=poem&step=0", width=1500, height=900)
    page.on("websocket", lambda socket: socket.on("framesent", lambda payload: frames.append(payload)))
    page.reload()
    page.locator('[data-specviz="code"] [data-do="forward"]').wait_for()
    seen = None
    while seen != len(frames):  # until the page has said all it says by itself
        seen = len(frames)
        page.wait_for_timeout(1500)
    frames.clear()
    for _ in range(6):
        page.locator('[data-specviz="code"] [data-do="forward"]').click()
    assert frames == []  # the report of the resting place waits until the reader rests


def test_values_are_the_trace_s_own(alone):
    trace = examples.opening("poem")["trace"]
    found = alone.evaluate(
        "(trace) => events(trace).map((event) => [eventName(trace, event), valuesOf(trace, event, 'end')])", trace
    )
    assert [name for name, _ in found] == list(expected())
    guesses = [guess for finished in trace["rounds"] for guess in finished["draft"] if guess["verdict"] != "discarded"]
    judged = [{label: value for label, value, *_ in values} for name, values in found if name in ("accepted", "rejected")]
    assert [values["x"] for values in judged] == [guess["text"] for guess in guesses]
    for values, guess in zip(judged, guesses, strict=True):
        assert ("✓" in values["u·q[x] < p[x]"]) == (guess["verdict"] == "accepted")


def test_what_is_shown_of_a_judgement_adds_up(alone):
    """Three figures each: the product of the u and q on screen is the product on screen, and stands on its side of p."""
    for name in examples.NAMES:
        trace = examples.load(name)["trace"]
        script = """(trace) => events(trace).filter((event) => event.kind === "judge")
          .map((event) => Object.fromEntries(valuesOf(trace, event, "end")))"""
        for values in alone.evaluate(script, trace):
            if values["u"] == "None":
                continue
            product, _, p, mark = values["u·q[x] < p[x]"].split()
            assert float(product) == pytest.approx(float(values["u"]) * float(values["q[x]"]), rel=0.02)
            close = float(product) == pytest.approx(float(p), rel=0.01)  # three figures do not tell which is larger
            assert p == values["p[x]"] and (close or (float(product) < float(p)) == (mark == "✓")), values


def test_the_papers_notation_has_the_papers_names(alone):
    trace = examples.opening("poem")["trace"]
    names = alone.evaluate("(trace) => events(trace).map((e) => paperValues(trace, e, 'end').map(([name]) => name))", trace)
    assert ["x₁", "p₁(x₁)", "q₁(x₁)", "r₁", "r₁ < p₁(x₁) / q₁(x₁)"] in names and ["p′", "t"] in names
    assert not {"u", "row", "own", "q[x]", "p[x]"} & {name for row in names for name in row}


def test_a_guess_that_is_opened_by_hand_is_what_the_code_shows(page):
    for _ in range(7):
        page.locator('[data-specviz="code"] [data-do="forward"]').click()
    before, chips = lit(page), page.locator('[data-specviz="code"] .values')
    page.locator('[data-specviz="player"] .card').first.click()
    first = examples.opening("poem")["trace"]["rounds"][0]["draft"][0]
    assert lit(page) == first["verdict"] and first["text"] in chips.inner_text() and step(page) == 7
    page.keyboard.press("Escape")
    assert lit(page) == before


def test_residual_shares_sum_to_what_the_columns_hold(alone):
    fix = {
        "top": [[1, "a", 0.5, 0.1], [2, "b", 0.3, 0.6]],
        "rest": {"over": {"p": 0.1, "q": 0.3}, "under": {"p": 0.1, "q": 0.0}},
    }
    assert alone.evaluate("residualShares", fix) == [["a", pytest.approx(0.8)]]


def test_an_impossible_pace_is_not_told(alone):
    """Reading five tokens cannot be quicker than reading one: then a lane was measured while the machine was busy."""
    finished = {"draft": [{"verdict": "rejected", "id": 1}], "fix": {"id": 2, "kind": "residual"}, "emitted": [2]}
    trace = {"first": {"id": 0}, "rounds": [{**finished, "ms": {"draft": 1, "verify": 5, "rest": 0}}] * 6}
    ask = "([trace, plain]) => paceOf(trace, events(trace), plain)"
    assert alone.evaluate(ask, [trace, [5.0] * 6]) == {"rate": pytest.approx(5 / 6), "busy": False}
    assert alone.evaluate(ask, [trace, [9.0] * 6])["busy"] is True
    quicker, idle = ({**trace, "rounds": rounds} for rounds in (
        [{**finished, "ms": {"draft": 1, "verify": 2, "rest": 0}}] * 3,
        [{**finished, "draft": [], "ms": {"draft": 0, "verify": 9, "rest": 0}}] * 6,
    ))  # fmt: skip
    assert alone.evaluate(ask, [quicker, [5.0] * 3])["busy"] is True, "one token a round, and 1.67 times as fast"
    assert alone.evaluate(ask, [idle, [5.0] * 6])["busy"] is True, "it never guessed, and is slower"
    assert alone.evaluate(ask, [idle, [9.0] * 6])["busy"] is False


def test_the_player_calls_a_machine_busy_where_the_table_of_the_family_does(alone):
    """One rule, in two languages."""
    rng, found = random.Random(5), set()
    ask = "([trace, plain]) => paceOf(trace, events(trace), plain)"
    for _ in range(300):
        guessing, step = rng.random() < 0.7, rng.choice([3.0, 5.0, 9.0])
        rounds = [
            {
                "draft": [{"verdict": "rejected", "id": 1}] if guessing else [],
                "fix": {"id": 2, "kind": "residual" if guessing else "bonus"},
                "emitted": [2],
                "ms": {"draft": rng.uniform(0, 2), "verify": step * rng.uniform(0.5, 1.5), "rest": 0},
            }
            for _ in range(rng.choice([3, 4, 5, 8]))
        ]
        trace, plain = {"first": {"id": 0}, "rounds": rounds}, [step * rng.uniform(0.7, 1.3) for _ in range(6)]
        told = alone.evaluate(ask, [trace, plain])
        row = {"state": "done", "trace": trace, "speed": told["rate"], "tokens_per_round": 1.0}
        assert told["busy"] == family.busy({"plain": {"ms": plain}, "rows": {"model": row}})
        found.add((guessing, told["busy"]))
    assert len(found) == 4


@pytest.mark.parametrize("name", examples.NAMES)
def test_no_recorded_run_was_timed_on_a_busy_machine(alone, name):
    told = examples.load(name)
    ask = "([trace, plain]) => paceOf(trace, events(trace), plain)"
    assert alone.evaluate(ask, [told["trace"], told["plain"]["ms"]])["busy"] is False
