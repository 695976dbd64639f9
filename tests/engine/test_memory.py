"""How much a model will take is known before it is loaded."""

import pytest

from specviz.engine import loading, memory, pairs, reading, references
from specviz.errors import BadInput
from tests import fakes


@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
def test_the_estimate_of_the_bundled_pair_is_the_truth_within_a_tenth(dtype):
    loaded = pairs.load("poem", device="cpu", dtype=dtype)
    assert loaded.memory["held"] == pytest.approx(loaded.memory["estimated"], rel=0.1)
    parameters = loaded.target.parameters + loaded.draft.parameters
    assert loaded.memory["halved"] == (dtype == "fp32"), "in bf16 there is nothing to halve"
    assert parameters * 2 <= loaded.memory["held"] <= parameters * (4 if dtype == "fp32" else 2.1)


@pytest.mark.parametrize("family", fakes.FAMILIES)
def test_the_estimate_holds_for_every_family(tmp_path, family):
    tokenizer = fakes.tiny_tokenizer()
    folder = fakes.save(tmp_path, fakes.tiny_model(family, len(tokenizer)), tokenizer)
    loaded = pairs.load(target=folder, device="cpu")
    assert loaded.memory["held"] == pytest.approx(loaded.memory["estimated"], rel=0.1)


def test_what_does_not_fit_is_refused_with_the_figures_before_any_weight_is_read(pair_folder, monkeypatch):
    monkeypatch.setattr(memory, "_host", lambda: (2 * 10**9, 10_000))
    monkeypatch.setattr(loading, "model", lambda *_: pytest.fail("weights were read"))
    with pytest.raises(BadInput, match=r"411 kB in fp32, and 10 kB") as caught:
        pairs.load(target=str(pair_folder / "target"), device="cpu")
    assert caught.value.code == "no_room"


def test_a_large_model_is_estimated_without_its_memory(pair_folder):
    from transformers import AutoConfig

    config = AutoConfig.for_model(
        "llama", vocab_size=128256, hidden_size=8192, intermediate_size=28672, num_hidden_layers=80, num_attention_heads=64,
        num_key_value_heads=8,
    )  # fmt: skip
    needed = memory.estimate(config, loading.DTYPES["bf16"], packed=False, tokens=1000)
    assert needed["weights"] == pytest.approx(2 * 70_553_706_496, rel=1e-6)
    assert needed["kv"] == 2 * 1000 * 2 * 80 * 8 * 128


def test_a_pair_too_large_for_one_gpu_is_spread(monkeypatch):
    config = reading.config(references.parse("poem/target").path, "poem")
    for largest, spread in ((10**9, False), (10**6, True)):
        monkeypatch.setattr(memory, "room", lambda device, free=largest: memory.Room("cuda", 10**10, 10**10, free, "bf16"))
        assert loading.place([config]).spread is spread


def test_which_layers_lie_where_is_told():
    from specviz.engine.model import _layout

    placed = {"model.embed_tokens": 0, "model.layers.0": 0, "model.layers.1": 0, "model.layers.2": 1, "lm_head": "cpu"}
    assert _layout(placed) == {"cuda:0": "0–1", "cuda:1": "2–2"}
    assert _layout({"": 0}) is None and _layout(None) is None


def test_a_device_that_is_not_here(monkeypatch):
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(BadInput, match="cuda"):
        memory.room("cuda")
    assert memory.room("cpu").free > 0 and memory.host().total >= memory.host().free > 0


@pytest.mark.parametrize("most, left", [("1000", 1000 - 700 + 200), ("max", None)])
def test_the_limit_of_a_container_counts(tmp_path, most, left):
    for name, told in {"max": most, "current": "700", "stat": "anon 5\ninactive_file 200\n"}.items():
        (tmp_path / f"memory.{name}").write_text(told + "\n")
    assert memory._limit(tmp_path) == left and memory._limit(tmp_path / "none") is None
