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


# Attention heads and the width of the MLP, from the models' own configs.
SHAPES = {
    "HuggingFaceTB/SmolLM2-135M-Instruct": (9, 1536),
    "HuggingFaceTB/SmolLM2-360M-Instruct": (15, 2560),
    "HuggingFaceTB/SmolLM2-1.7B-Instruct": (32, 8192),
    "Qwen/Qwen3-0.6B": (16, 3072),
    "Qwen/Qwen3-1.7B": (16, 6144),
    "Qwen/Qwen3-4B": (32, 9728),
    "Qwen/Qwen3-8B": (32, 12288),
    "Qwen/Qwen3-14B": (40, 17408),
    "Qwen/Qwen3-32B": (64, 25600),
    "Qwen/Qwen2.5-0.5B-Instruct": (14, 4864),
    "Qwen/Qwen2.5-1.5B-Instruct": (12, 8960),
    "Qwen/Qwen2.5-3B-Instruct": (16, 11008),
    "Qwen/Qwen2.5-7B-Instruct": (28, 18944),
    "Qwen/Qwen2.5-14B-Instruct": (40, 13824),
    "Qwen/Qwen2.5-32B-Instruct": (40, 27648),
    "Qwen/Qwen2.5-72B-Instruct": (64, 29568),
    "meta-llama/Llama-3.2-1B-Instruct": (32, 8192),
    "meta-llama/Llama-3.2-3B-Instruct": (24, 8192),
    "meta-llama/Llama-3.1-8B-Instruct": (32, 14336),
    "meta-llama/Llama-3.3-70B-Instruct": (64, 28672),
    "google/gemma-3-1b-it": (4, 6912),
    "EleutherAI/pythia-160m": (12, 3072),
    "EleutherAI/pythia-410m": (16, 4096),
    "EleutherAI/pythia-1.4b": (16, 8192),
    "EleutherAI/pythia-2.8b": (32, 10240),
    "EleutherAI/pythia-6.9b": (32, 16384),
    "EleutherAI/pythia-12b": (40, 20480),
}


def count(hub_id, told):
    """Every weight of a decoder of this family, added up; embeddings, attention, MLP, norms and biases."""
    heads, wide = SHAPES[hub_id]
    layers, hidden, kv, dim = (told[name] for name in ("layers", "hidden", "kv_heads", "head_dim"))
    embeddings = told["vocab"] * hidden * (1 if told["tied"] else 2)
    if "pythia" in hub_id:  # biases everywhere, an MLP of two matrices, norms with a shift
        return embeddings + layers * (4 * hidden * hidden + 2 * hidden * wide + wide + 9 * hidden) + 2 * hidden
    attention = 2 * hidden * heads * dim + 2 * hidden * kv * dim
    layer = attention + 3 * hidden * wide + 2 * hidden
    layer += (heads + 2 * kv) * dim if "Qwen2.5" in hub_id else 0  # biases of q, k and v
    layer += 2 * dim if "Qwen3" in hub_id or "gemma" in hub_id else 0  # norms of q and k
    layer += 2 * hidden if "gemma" in hub_id else 0  # norms after each half as well
    return embeddings + layers * layer + hidden


@pytest.mark.parametrize("hub_id", SHAPES)
def test_the_parameters_are_those_of_the_shape(hub_id):
    told = catalogue.facts()[hub_id]
    assert told["parameters"] == count(hub_id, told)


def test_every_public_model_is_counted_but_those_that_see_pictures():
    assert set(catalogue.facts()) - set(SHAPES) == {f"google/gemma-3-{size}-it" for size in ("4b", "12b", "27b")}


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
    assert poem.shape == Shape(12, 4, 64, 4) and poem.context == 1024 and poem.tied


def test_licences_of_two_models_are_both_named():
    assert catalogue.entries()["qwen2.5-3b"].licence == "Qwen Research, Apache-2.0"
    assert catalogue.entries()["qwen3-4b"].licence == "Apache-2.0"
