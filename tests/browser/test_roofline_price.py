"""The JavaScript twin of price(), and what the picture says, against Python. Run in a real browser, without a server."""

import math
from dataclasses import replace
from itertools import pairwise, product

import pytest

from specviz import roofline as model
from specviz.roofline import BYTES, DEVICES, Device, Shape, price
from specviz.ui.components.roofline import DTYPES, ENDS, FRESH, PURE, source, world

SCRIPTS = source(*PURE)
HERE = Device("this", "this machine", 25.3, 0.0188, {"fp32": 0.0785, "bf16": 0.031}, "this", 0.31, 0.45)
HALVES = Device("halves", "fp16 only", None, 1.0, {"fp16": 10.0})
SHAPES = (Shape(), Shape(12, 4, 64, 4), Shape(1, 1, 1, 1))


def asked(params=70e9, dtype="bf16", tokens=1, context=0, batch=1, shape=SHAPES[0]):
    return {"params": params, "dtype": dtype, "tokens": tokens, "context": context, "batch": batch, **vars(shape)}


def grid():
    """The corners of the sliders and what lies between, on every device, in every precision."""
    sizes = (
        (1e8, 1, 0, 1),
        (9_978_880, 5, 48, 1),
        (7e9, 37, 4096, 3),
        (70e9, 295, 0, 1),
        (70e9, 296, 0, 1),
        (7e11, 1024, 10**6, 1024),
    )
    for device, dtype, (params, tokens, context, batch), shape in product(
        [*DEVICES.values(), HERE, HALVES], [*DTYPES, "fp16"], sizes, SHAPES
    ):
        yield device, asked(params, dtype, tokens, context, batch, shape)


def in_python(device, what):
    shape = Shape(*(what[name] for name in ("layers", "kv_heads", "head_dim", "heads")))
    return price(device, *(what[name] for name in ("params", "dtype", "tokens", "context", "batch")), shape).to_json()


def test_every_figure_is_the_same_in_both_languages(page):
    cases = list(grid())
    theirs = page.evaluate(
        "([bytes, cases]) => cases.map(([d, a]) => price(d, bytes, a))", [BYTES, [(d.to_json(), a) for d, a in cases]]
    )
    assert len(cases) > 900
    for (device, what), got in zip(cases, theirs, strict=True):
        ours = in_python(device, what)
        assert got.keys() == ours.keys()
        for name, value in ours.items():
            if isinstance(value, float):
                assert math.isclose(got[name], value, rel_tol=1e-14), (device.code, what, name)
            else:
                assert got[name] == value, (device.code, what, name)


@pytest.mark.parametrize(("tflops", "memory"), [(None, None), (500.0, 80.0), (1.0, None)])
def test_ones_own_numbers_are_the_same_device(page, tflops, memory):
    numbers = {"bandwidth": 2.5, "tflops": tflops, "memory": memory}
    for dtype in DTYPES:
        what = asked(dtype=dtype, tokens=64)
        got = page.evaluate("([bytes, own, what]) => price(ownDevice(bytes, own), bytes, what)", [BYTES, numbers, what])
        assert got == pytest.approx(in_python(model.own(**numbers), what))


def test_nothing_about_devices_is_copied_into_the_javascript():
    text = source(*PURE)
    assert not any(figure in text for figure in ("3.35", "2.039", "1.008", "0.546", "h100", "H100", "4090"))
    sent = world()
    assert [d["code"] for d in sent["devices"]] == list(DEVICES) and sent["bytes"] == BYTES
    assert all(model.LIMITS[name][0] <= low and high <= model.LIMITS[name][1] for name, (low, high) in ENDS.items())


def says(page, **what):
    device = what.pop("device", DEVICES["h100-sxm"])
    script = "([bytes, device, what]) => saysOf(price(device, bytes, what), what)"
    return page.evaluate(script, [BYTES, device.to_json(), asked(**what)])


def test_the_sentence_says_what_the_picture_says(page):
    assert says(page) == {"key": "says_memory", "ratio": "295", "more": "294"}
    assert says(page, tokens=294) == {"key": "says_memory_one", "ratio": "1.0", "more": "1"}
    assert says(page, tokens=295)["key"] == "says_ridge"
    assert says(page, tokens=590) == {"key": "says_compute", "ratio": "2.0", "ridge": "295"}
    assert says(page, batch=2, tokens=3) == {"key": "says_memory_each", "ratio": "49.2", "more": "144"}
    assert says(page, batch=600)["key"] == "says_no_room"
    assert says(page, device=DEVICES["m4-max"])["key"] == "says_no_roof"
    assert says(page, dtype="int4") == {"key": "says_memory", "ratio": "73.8", "more": "72"}
    bare = says(page, device=model.own(1.0))
    assert bare["key"] == "says_no_roof", "the sentence knows the reader's own numbers by the choice, not by the device"
    script = "([bytes, own, what]) => saysOf(price(ownDevice(bytes, own), bytes, what), { ...what, device: 'own' })"
    own = {"bandwidth": 1.0, "tflops": None, "memory": None}
    assert page.evaluate(script, [BYTES, own, asked()])["key"] == "says_no_tflops"
    launches = says(page, device=replace(HERE, launch_ms=0.0, layer_ms=10_000.0), params=1e9)
    assert launches["key"] == "says_launches" and float(launches["share"].split()[0]) > 99


def curve(page, **what):
    device = what.pop("device", DEVICES["h100-sxm"])
    script = "([bytes, device, what]) => curveOf(price(device, bytes, what), 1024)"
    return page.evaluate(script, [BYTES, device.to_json(), asked(**what)])


def test_the_title_says_what_the_curve_does(page):
    assert curve(page) == "curve"
    assert curve(page, batch=1024) == "curve_rises" and curve(page, batch=200) == "curve_rises"
    assert curve(page, device=model.own(0.01, 989.0)) == "curve_flat"
    assert curve(page, device=DEVICES["m4-max"]) == "curve_no_roof"
    slow = replace(HERE, launch_ms=0.0, layer_ms=10_000.0)
    assert curve(page, device=slow, params=1e9) == "curve_flat", "where launches hide what rises"


def test_the_axis_holds_every_line_with_few_rules(page):
    for low, high in ((0.14, 145), (41.8, 148_000), (1e-6, 1e9), (5, 5)):
        bottom, top = page.evaluate("([low, high]) => decades(low, high)", [low, high])
        assert 10**bottom <= low * 1.001 and high <= 10**top * 1.001 and top > bottom
        assert (top - bottom) / page.evaluate("([a, b]) => decadeStep(a, b)", [bottom, top]) <= 6


def test_the_slider_stops_rise_from_end_to_end_and_lie_evenly(page):
    for name, (low, high) in ENDS.items():
        stops = page.evaluate("([low, high, whole]) => stopsOf(low, high, whole)", [low, high, name != "params"])
        assert stops[0] == low and stops[-1] == high and stops == sorted(set(stops))
        assert FRESH[name] in stops and len(stops) > 80
        assert max(b / a for a, b in pairwise(stops) if a > 8) < 1.3
        at = page.evaluate("(stops) => stops.map((x) => stopAt(stops, x))", stops)
        assert at == list(range(len(stops)))


@pytest.mark.parametrize("busy", [0.0034, 0.03, 0.25, 0.577, 0.99, 1.0])
def test_units_are_lit_for_their_share_of_the_time(page, busy):
    script = """([busy, n]) => {
      const phases = phasesOf(n), lit = [], one = [], cycle = cycleOf(busy);
      for (let k = 0; k < 2000; k++) {
        lit.push(phases.filter((phase) => isLit(phase, k * cycle / 2000, busy)).length);
        one.push(isLit(phases[7], k * cycle / 2000, busy) ? 1 : 0);
      }
      return [lit, one, new Set(phases).size];
    }"""
    lit, one, phases = page.evaluate(script, [busy, 420])
    assert phases == 420
    assert sum(lit) / len(lit) / 420 == pytest.approx(busy, abs=1e-3)
    assert max(lit) - min(lit) <= 1 or busy == 1  # never a moment that shows another share
    assert sum(one) / len(one) == pytest.approx(busy, abs=2e-3)


@pytest.mark.parametrize(("busy", "kv"), [(1.0, 0.0), (0.6, 0.0), (0.28, 0.5), (1.0, 0.13)])
def test_the_stream_is_as_full_as_the_memory_is_busy(page, busy, kv):
    script = "([busy, kv]) => Array.from({ length: 30000 }, (_, n) => passing(n - 15000, busy, kv))"
    seen = page.evaluate(script, [busy, kv])
    full = [what for what in seen if what]
    assert len(full) / len(seen) == pytest.approx(busy, abs=2e-3)
    assert full.count("kv") / len(full) == pytest.approx(kv, abs=5e-3)


def test_times_sizes_and_shares_are_written_with_their_unit(page):
    cases = {
        "timeOf": {41.791: "41.8 ms", 0.14156: "0.142 ms", 0.0014: "1.40 µs", 12_345: "12.3 s", 1000: "1000 ms"},
        "sizeOf": {140e9: "140 GB", 1.31e12: "1.31 TB", 39.9e6: "39.9 MB", 0: "0 B", 999.9e6: "1 GB"},
        "percent": {1: "100 %", 0.003387: "0.34 %", 0.5774: "57.7 %", 0.9971: "99.71 %", 1e-6: "< 0.01 %", 0: "0 %"},
        "times": {295.2: "295", 4.61: "4.6", 1234567: "1\u202f234\u202f567"},
    }
    for name, pairs in cases.items():
        for value, text in pairs.items():
            assert page.evaluate(f"(x) => {name}(x)", value) == text


def test_what_is_typed_is_a_number_nothing_or_no_number(page):
    assert page.evaluate("() => ['7', '1 024', '2,048', '', ' '].map(typed)") == [7, 1024, 2048, None, None]
    assert page.evaluate("() => ['seven', '1.2.3', '--1'].map((text) => Number.isNaN(typed(text)))") == [True] * 3


def test_a_comma_is_what_its_writer_meant(page):
    texts = ["7,5", "0,125", "70,000,000,000", "1,024", "1,5e9", "1,234.5", "12,34"]
    assert page.evaluate("texts => texts.map(typed)", texts) == [7.5, 0.125, 70e9, 1024, 1.5e9, 1234.5, 12.34]
