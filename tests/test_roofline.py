"""Bytes and operations of one pass, against the worked figures of the lesson."""

from dataclasses import replace

import pytest

from specviz.errors import BadInput
from specviz.roofline import BYTES, DEVICES, Shape, price

H100 = DEVICES["h100-sxm"]


def test_seventy_billion_weights_on_an_h100():
    found = price(H100, 70e9)
    assert found.weight_bytes == 140e9 and found.kv_bytes == 0
    assert found.memory_ms == pytest.approx(41.8, abs=0.05) and found.compute_ms == pytest.approx(0.1416, abs=5e-5)
    assert found.bound == "memory" and found.fits is False and found.devices == 2
    assert found.ridge_tokens == pytest.approx(295, abs=0.5)
    assert price(DEVICES["h200-sxm"], 70e9).fits and price(DEVICES["h200-sxm"], 70e9).memory_ms == pytest.approx(29.2, abs=0.05)


@pytest.mark.parametrize(
    "code, ridge", [("h100-sxm", 295), ("h100-pcie", 378), ("h200-sxm", 206), ("a100-sxm-80gb", 153), ("rtx-4090", 164)]
)
def test_ridges_of_the_table(code, ridge):
    """In bf16 a weight is two bytes and two operations, so the ridge in tokens is the ridge in operations a byte."""
    assert price(DEVICES[code], 7e9).ridge_tokens == pytest.approx(ridge, abs=0.6)


def test_the_ridge_is_where_the_bound_changes():
    ridge = price(H100, 70e9).ridge_tokens
    assert price(H100, 70e9, tokens=int(ridge)).bound == "memory"
    assert price(H100, 70e9, tokens=int(ridge) + 1).bound == "compute"
    assert price(H100, 70e9, tokens=2).memory_ms == price(H100, 70e9).memory_ms  # more tokens read no more bytes


def test_without_an_official_figure_there_is_no_roof():
    found = price(DEVICES["m4-max"], 7e9, tokens=1000)
    assert found.compute_ms is None and found.ridge_tokens is None and found.bound == "memory" and found.fits is None


def test_the_cache_is_read_too():
    """Llama-70B shape: 2 · 80 · 8 · 128 · 2 bytes = 327,680 a token of context, for every sequence."""
    found = price(H100, 70e9, context=1000, batch=4)
    assert found.kv_bytes == 327_680 * 1000 * 4
    assert found.memory_ms > price(H100, 70e9).memory_ms
    assert price(H100, 70e9, context=1000, shape=Shape(40, 8, 128)).kv_bytes == 163_840 * 1000


def test_attention_multiplies_with_every_token_of_the_context():
    """Four operations for each layer, query head, place in a head and token of context: at a million, twenty times the
    weights' own."""
    found, short = price(H100, 70e9, context=1_000_000, batch=140), price(H100, 70e9, batch=140)
    assert short.operations == 2 * 70e9 * 140
    assert found.operations == (2 * 70e9 + 4 * 80 * 64 * 128 * 1_000_000) * 140
    assert found.compute_ms / short.compute_ms == pytest.approx(found.operations / short.operations)
    assert found.ridge_tokens < 40
    assert price(H100, 70e9, context=1_000_000, shape=Shape(heads=8)).compute_ms < found.compute_ms / 140
    eight = price(H100, 70e9, "fp8", context=1_000_000).compute_ms - price(H100, 70e9, "fp8").compute_ms
    assert eight == pytest.approx((found.compute_ms - short.compute_ms) / 140), "keys and values stay in 16 bits"


def test_products_run_in_the_precision_the_device_has():
    assert price(H100, 70e9, "fp8").arithmetic == "fp8" and price(H100, 70e9, "int4").arithmetic == "bf16"
    assert price(DEVICES["a100-sxm-80gb"], 70e9, "fp8").arithmetic == "bf16"
    assert price(H100, 70e9, "fp16").compute_ms == price(H100, 70e9).compute_ms
    assert [price(H100, 1e9, dtype).weight_bytes for dtype in BYTES] == [4e9, 2e9, 2e9, 1e9, 1e9, 5e8]


def test_launches_are_paid_once_a_pass():
    slow = replace(H100, launch_ms=2.0, layer_ms=0.5)
    found = price(slow, 7e9, tokens=64, shape=Shape(layers=6))
    assert found.ms == pytest.approx(price(H100, 7e9, tokens=64).ms + 5) and found.launch_ms == 5


def test_units_are_busy_for_their_share_of_the_pass():
    found = price(H100, 70e9)
    assert found.memory_busy == 1 and found.compute_busy == pytest.approx(1 / found.ridge_tokens)
    assert price(H100, 70e9, tokens=1000).compute_busy == 1 > price(H100, 70e9, tokens=1000).memory_busy
    assert price(replace(H100, launch_ms=found.ms), 70e9).memory_busy == pytest.approx(0.5)


def test_without_units_for_a_precision_the_weights_are_unpacked_to_the_fastest_known():
    here = replace(H100, tflops={"fp32": 3.0, "bf16": 2.0})
    assert here.roof("int4") == (3.0, "fp32") and here.roof("bf16") == (2.0, "bf16")
    assert replace(H100, tflops={"fp16": 5.0}).roof("fp16") == (5.0, "fp16")


def test_every_device_names_its_source_in_both_languages():
    from specviz.locale import LANGUAGES, labels

    for code in LANGUAGES:
        assert {device.source for device in DEVICES.values()} <= set(labels(code)["sources"])


@pytest.mark.parametrize("bad", [{"params": 0}, {"params": float("inf")}, {"tokens": 0}, {"context": -1}, {"batch": 0}])
def test_a_figure_out_of_range_is_named(bad):
    with pytest.raises(BadInput, match=next(iter(bad))):
        price(H100, **{"params": 7e9, **bad})


def test_more_kv_heads_than_query_heads_are_refused():
    with pytest.raises(BadInput, match=r"kv-heads is 8 and heads is 4"):
        price(H100, 7e9, shape=Shape(kv_heads=8, heads=4))
    assert price(H100, 7e9, shape=Shape(kv_heads=8, heads=8))


def test_an_unknown_precision_is_refused():
    with pytest.raises(BadInput, match="fp7"):
        price(H100, 7e9, "fp7")
