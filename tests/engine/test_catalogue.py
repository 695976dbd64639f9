"""The pairs known by name: what they take is computed from what they are."""

import pytest

from specviz.engine import catalogue
from specviz.roofline import DEVICES, Shape, price


def test_memory_of_the_worked_example():
    """Qwen3-8B by its draft: two bytes a weight; 36 layers, 8 heads, 128 wide, keys and values, two bytes each."""
    taken = catalogue.entries()["qwen3-8b"].memory("bf16", 1000)
    assert taken["target"] == 2 * 8_190_735_360 and taken["draft"] == 2 * 596_049_920
    assert taken["kv"] == 1000 * 2 * 2 * 8 * 128 * (36 + 28)
    assert taken["total"] == taken["target"] + taken["draft"] + taken["kv"]


@pytest.mark.parametrize("name", catalogue.entries())
def test_it_is_what_the_roofline_counts(name):
    entry = catalogue.entries()[name]
    for dtype in catalogue.DTYPES:
        taken = entry.memory(dtype, 512)
        priced = [price(DEVICES["h100-sxm"], m.parameters, dtype, context=512, shape=m.shape) for m in entry.models]
        assert taken["total"] == sum(one.weight_bytes + one.kv_bytes for one in priced)


@pytest.mark.parametrize("name", catalogue.entries())
def test_the_parameters_are_those_of_the_shape(name):
    """Embeddings and attention can be counted from what is stored; the rest is the MLPs, two to six times as wide."""
    for model in catalogue.entries()[name].models:
        if model.at.startswith("google/gemma-3-") and "1b" not in model.at:
            continue  # reads pictures too
        inside = model.parameters - model.vocab * model.hidden * (1 if model.tied else 2)
        assert 4 < inside / (model.shape.layers * model.hidden**2) < 17, model.at


def test_a_context_beyond_what_both_know_is_cut():
    taken = catalogue.entries()["pythia-6.9b"].memory("bf16", 100_000)
    assert taken["context"] == 2048


def test_fits_is_told_of_both_models_together():
    need = catalogue.entries()["smollm2-1.7b"].memory("bf16")["total"]
    fits = {free: row["memory"]["bf16"]["fits"] for free in (need, need - 1, None) for row in catalogue.listing(free)
            if row["name"] == "smollm2-1.7b"}  # fmt: skip
    assert fits == {need: True, need - 1: False, None: None}


def test_a_bundled_pair_is_tried_and_a_pair_of_the_hub_is_not():
    rows = {row["name"]: row for row in catalogue.listing()}
    assert rows["poem"]["tried"] and rows["poem"]["ready"] and rows["poem"]["memory"]["bf16"]["fits"] is None
    assert not rows["qwen3-8b"]["tried"] and rows["llama-3.1-8b"]["gated"] and not rows["qwen3-8b"]["gated"]
    assert rows["smollm2-135m"]["draft"] is None


def test_a_bundled_model_is_described_by_its_own_config():
    poem = catalogue.entries()["poem"].target
    assert poem.shape == Shape(12, 4, 64) and poem.context == 1024 and poem.tied


def test_licences_of_two_models_are_both_named():
    assert catalogue.entries()["qwen2.5-3b"].licence == "Qwen Research, Apache-2.0"
    assert catalogue.entries()["qwen3-4b"].licence == "Apache-2.0"
