"""The clock in a real browser: its prices are Python's, and the lanes follow the controls without the server."""

import itertools
import os
import signal
from contextlib import contextmanager

import pytest
from axe_playwright_python.sync_playwright import Axe

from specviz import clock, examples, roofline
from specviz.locale import say
from specviz.ui.components import source
from specviz.ui.components.clock import PURE, START, STOPS, facts
from tests.browser.looks import LOOKS

SCRIPTS = source(*PURE)
CLOCK = '[data-specviz="clock"]'
MEASURED = {"target_ms": 10.2, "c": 0.11, "v": [1.0, 1.04, 1.1, 1.12, 1.2]}


def choices():
    """A grid over all devices and precisions, and stops of every slider."""
    stops = [STOPS[name][::step] for name, step in (("target", 4), ("draft", 5), ("batch", 4), ("context", 4))]
    names = ("device", "dtype", "target", "draft", "batch", "context")
    for values in itertools.product(roofline.DEVICES, roofline.BYTES, *stops):
        yield dict(zip(names, values, strict=True))


def test_the_browser_prices_a_pass_as_python_does(page):
    grid, tokens = list(choices()), (1, 5, 13)
    got = page.evaluate(
        """([facts, grid, tokens]) => grid.map((c) => tokens.map((k) => {
          const one = priceOf(facts, facts.devices[c.device], c.target, c.dtype, k, c.context, c.batch);
          return [one.weights, one.kv, one.memory_ms, one.compute_ms, one.ms];
        }))""",
        [facts(None), grid, tokens],
    )
    for c, rows in zip(grid, got, strict=True):
        for k, row in zip(tokens, rows, strict=True):
            one = roofline.price(
                roofline.DEVICES[c["device"]], c["target"], c["dtype"], k, c["context"], c["batch"], clock.shape(c["target"])
            )
            wanted = [one.weight_bytes, one.kv_bytes, one.memory_ms, one.compute_ms, one.ms]
            assert (row[3] is None) == (one.compute_ms is None)
            assert [x or 0 for x in row] == pytest.approx([x or 0 for x in wanted], rel=1e-12)


def retimed(page, trace, choice, measured=None):
    return page.evaluate(
        """([facts, trace, choice]) => { const r = retimed(trace, clockOf(facts, choice));
          return [r.trace.rounds.map((x) => x.ms), r.plain, r.speedup]; }""",
        [facts(measured), trace, choice],
    )


@pytest.mark.parametrize("name", ["home", "spring", "moon"])
@pytest.mark.parametrize(
    "change", [{}, {"device": "rtx-4090", "dtype": "int4", "target": 8e9}, {"batch": 512}, {"context": 131072}]
)
def test_a_run_is_retimed_as_python_does_it(page, name, change):
    trace, choice = examples.load(name)["trace"], {**START, **change}
    device = roofline.DEVICES[choice["device"]]
    of = clock.calculated(device, *(choice[n] for n in ("target", "draft", "dtype", "context", "batch")))
    check(trace, of, retimed(page, trace, choice))


def test_a_run_on_this_machines_clock_is_retimed_as_python_does_it(page):
    """γ = 12: wider passes than were measured, too."""
    trace = examples.load("spring")["trace"]
    check(trace, clock.measured(**MEASURED), retimed(page, trace, {**START, "device": "this"}, MEASURED))


def check(trace, of, got):
    rounds, plain, speedup = got
    wanted = clock.lanes([len(r["draft"]) for r in trace["rounds"]], [len(r["emitted"]) for r in trace["rounds"]], of)
    assert speedup == pytest.approx(wanted["speedup"], rel=1e-12) and plain == pytest.approx(wanted["plain"])
    for ours, theirs in zip(rounds, wanted["rounds"], strict=True):
        assert ours == pytest.approx(theirs)


def test_the_memory_needed_is_pythons(page):
    grid = list(choices())
    got = page.evaluate(
        """([facts, grid]) => grid.map((c) => { const d = facts.devices[c.device];
          return memoryOf(d, [c.target, c.draft].map((p) => priceOf(facts, d, p, c.dtype, 1, c.context, c.batch))); })""",
        [facts(None), grid],
    )
    for c, found in zip(grid, got, strict=True):
        device = roofline.DEVICES[c["device"]]
        ready = clock.passes(device, c["target"], c["draft"], c["dtype"], c["context"], c["batch"], 4)
        wanted = clock.memory(device, ready["plain"], ready["draft"])
        assert found["need"] == pytest.approx(wanted["need"]) and found["devices"] == wanted["devices"]


def number(page, name):
    return float(page.locator(CLOCK).get_attribute(f"data-{name}"))


def drag(page, name, stop):
    """Move a slider as a finger does: input events only, the finger still down."""
    page.locator(f'{CLOCK} [data-knob="{name}"]').evaluate(
        "(knob, at) => { knob.value = String(at); knob.dispatchEvent(new Event('input', { bubbles: true })); }",
        STOPS[name].index(stop),
    )


@contextmanager
def held_still(process):
    """The server does not run meanwhile."""
    os.kill(process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process.pid, signal.SIGCONT)


def test_the_lanes_follow_the_sliders_without_the_server(server, open_page):
    page = open_page(f"{server.url}/speedup?lang=en&pair=poem")
    page.locator(CLOCK).wait_for()
    trace = examples.opening("poem")["trace"]
    lanes = page.locator(f"{CLOCK} .field svg")
    seen = {lanes.evaluate("(svg) => svg.innerHTML")}
    with held_still(server.process):
        for batch in (8, 64, 512):
            drag(page, "batch", batch)
            of = clock.calculated(roofline.DEVICES["h200-sxm"], 70e9, 1e9, "bf16", START["context"], batch)
            assert number(page, "target-ms") == pytest.approx(of.target_ms(1))
            assert number(page, "draft-ms") == pytest.approx(of.draft_ms)
            wanted = clock.lanes([len(r["draft"]) for r in trace["rounds"]], [len(r["emitted"]) for r in trace["rounds"]], of)
            assert number(page, "speedup") == pytest.approx(wanted["speedup"])
            seen.add(lanes.evaluate("(svg) => svg.innerHTML"))
    assert len(seen) == 4 and not page.faults
    page.locator(f'{CLOCK} [data-knob="batch"]').dispatch_event("change")
    page.wait_for_url("**batch=512**")


def test_what_is_calculated_is_called_so_and_what_does_not_fit_too(server, open_page):
    page = open_page(f"{server.url}/speedup?lang=en&pair=poem&device=h100-sxm")
    said = say("en", "clock.head_calculated", target="70B", draft="1B", device="H100 SXM")
    page.get_by_text(said).wait_for()
    assert "calculated, not measured" in said
    page.get_by_text("it takes 2 such devices").wait_for()


def test_the_player_on_the_clock_still_steps(server, open_page):
    page = open_page(f"{server.url}/speedup?lang=zh")
    player = page.locator('[data-specviz="player"]')
    assert player.get_attribute("data-state") == "finished"
    player.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.locator('[data-specviz="player"][data-step="1"]').wait_for()
    drag(page, "target", 8e9)
    page.locator('[data-specviz="player"][data-step="1"]').wait_for()
    assert not page.faults


@pytest.mark.parametrize(("theme", "language", "size"), LOOKS)
def test_nothing_is_cut_off_or_grey_on_grey(server, open_page, theme, language, size):
    page = open_page(f"{server.url}/speedup?lang={language}", width=size[0], height=size[1], theme=theme, locale=language)
    page.locator(CLOCK).wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    faults = (
        Axe().run(page, options={"runOnly": ["color-contrast", "button-name", "label", "select-name"]}).response["violations"]
    )
    ours = [f"{f['id']}: {n['html'][:120]}" for f in faults for n in f["nodes"] if "stHeader" not in str(n["target"])]
    assert not ours
