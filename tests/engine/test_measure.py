"""This machine as a device of the roofline, and passes of a model on it."""

import json

import pytest

from specviz.engine import measure
from specviz.roofline import Device, Shape, price


@pytest.fixture(autouse=True)
def small_copies(monkeypatch):
    monkeypatch.setattr(measure, "COPIED", 2**22)


def test_a_copy_counts_what_it_reads_and_what_it_writes(monkeypatch):
    monkeypatch.setattr(measure, "_clocked", lambda where, action, repeats: [1.0])  # as if a copy took a millisecond
    (speed,) = measure.copy_speeds(measure.torch.device("cpu"))
    assert speed * 1e9 == pytest.approx(2 * 2**22)


def test_this_machine_is_a_device_that_prices_passes():
    device = measure.this_device(["fp32"])
    found = price(device, 1e9, "fp32", shape=Shape(4))
    assert found.memory_ms > 0 and found.compute_ms > 0 and found.launch_ms > 0
    assert device.memory > 0.1 and found.arithmetic == "fp32"


@pytest.mark.parametrize("dtype", ["fp32", "fp16", "int4"])
def test_arithmetic_is_measured_in_a_precision_that_can_be_multiplied(dtype):
    names = measure.products_for(dtype)
    assert set(names) <= set(measure.PRODUCTS)
    _, used = Device("x", "x", None, 1.0, dict.fromkeys(names, 1.0)).roof(dtype)
    assert used in names


def test_the_report_grows_and_ends_with_every_width(pair):
    *growing, last = measure.bottleneck(pair.target, repeats=6)
    assert [r["share"] for r in growing] == sorted(r["share"] for r in growing) and last["share"] == 1
    assert {r["stage"] for r in growing} == {"copy", "product_fp32", "product_bf16", "passes"}
    assert [row["tokens"] for row in last["passes"]] == list(measure.WIDTHS)
    assert all(0 < row["q1"] <= row["median"] <= row["q3"] for row in last["passes"])
    assert last["model"]["params"] == pair.target.parameters and last["model"]["shape"] == {
        "layers": 2,
        "kv_heads": 2,
        "head_dim": 8,
        "heads": 4,
    }
    json.dumps(last, allow_nan=False)


def test_weights_are_priced_in_the_precision_they_are_read_in(pair):
    from specviz.engine import pairs

    assert measure.weights_dtype(pair.target) == "fp32"
    bundled = pairs.load("poem", device="cpu").target
    assert measure.weights_dtype(bundled) == ("fp16" if bundled.lean and bundled.lean.halved else "fp32")
    assert bundled.dtype == measure.torch.float32


def test_on_a_busy_machine_fewer_turns_are_timed(pair):
    reports = list(measure.bottleneck(pair.target, repeats=400, seconds=1e-9))
    passes = [r for r in reports if r["stage"] == "passes"]
    assert len(passes) < 400 and reports[-1]["passes"][0]["median"] > 0
