"""The lean forward equals transformers' own module, whatever it takes over; what it does not understand it leaves alone."""

from copy import deepcopy

import pytest
import torch

from specviz.engine import lean, packed
from specviz.engine import model as model_module
from specviz.engine.cache import Slots
from specviz.engine.model import Model
from tests import fakes

VOCAB, IDS = 90, [(7 * i) % 83 for i in range(40)]
LINEAR = {"rope_theta": 10000.0, "rope_type": "linear", "factor": 2.0}
LLAMA3 = {
    "rope_theta": 10000.0,
    "rope_type": "llama3",
    "factor": 4.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
YARN = {"rope_theta": 10000.0, "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}
TAKEN = {
    "one key head": ("llama", {"num_key_value_heads": 1}),
    "two key heads": ("llama", {"num_key_value_heads": 2}),
    "a key head for each": ("llama", {"num_key_value_heads": 4}),
    "tied": ("llama", {"num_key_value_heads": 2, "tie_word_embeddings": True}),
    "biases": ("llama", {"num_key_value_heads": 2, "attention_bias": True, "mlp_bias": True}),
    "heads of their own width": ("llama", {"num_key_value_heads": 2, "head_dim": 18}),
    "another epsilon": ("llama", {"num_key_value_heads": 2, "rms_norm_eps": 0.5}),
    "linear positions": ("llama", {"num_key_value_heads": 2, "rope_parameters": LINEAR}),
    "positions of Llama 3": ("llama", {"num_key_value_heads": 2, "rope_parameters": LLAMA3}),
    "yarn": ("llama", {"num_key_value_heads": 2, "rope_parameters": YARN}),
    "qwen2": ("qwen2", {"num_key_value_heads": 2, "tie_word_embeddings": False}),
    "qwen3": ("qwen3", {"num_key_value_heads": 2, "head_dim": 16}),
    "mistral": ("mistral", {"num_key_value_heads": 2, "sliding_window": None}),
}
LEFT = {
    "another family": ("gpt2", {}),
    "a window": ("mistral", {"num_key_value_heads": 2, "sliding_window": 16}),
    "another activation": ("llama", {"num_key_value_heads": 2, "hidden_act": "gelu"}),
    "positions that depend on the length": (
        "llama",
        {"num_key_value_heads": 2, "rope_parameters": {"rope_theta": 10000.0, "rope_type": "dynamic", "factor": 2.0}},
    ),
}

pytestmark = pytest.mark.skipif(not packed.available(), reason="no packed products on this processor")


def made(family, more):
    """A model whose norms and biases are not the ones and noughts that they begin as."""
    module = fakes.tiny_model(family, VOCAB, layers=3, **more)
    with torch.no_grad():
        for weights in module.parameters():
            if weights.dim() == 1:
                weights.add_(torch.randn_like(weights) / 4)
    return module


def rounded(module):
    """Its weights as a bf16 checkpoint holds them."""
    return module.bfloat16().float()


def reference(module, ids=IDS):
    with torch.inference_mode():
        return module(torch.tensor([ids])).logits[0]


@pytest.mark.parametrize("half", [False, True], ids=["whole", "half"])
@pytest.mark.parametrize("case", TAKEN)
def test_logits_are_those_of_transformers_own_module(case, half):
    module = made(*TAKEN[case])
    module = rounded(module) if half else module
    theirs = reference(module)
    model = Model(deepcopy(module))
    assert model.lean
    assert {type(product) for product in model.lean.products} == {packed.HalfLinear if half else packed.PackedLinear}
    ours = model.forward(IDS, model.slots())
    assert float((ours - theirs).abs().max()) < 1e-5 * float(theirs.abs().max())
    assert torch.equal(ours.argmax(-1), theirs.argmax(-1))


@pytest.mark.parametrize("case", TAKEN)
def test_parts_and_roll_backs_write_the_same_slots_and_logits_as_one_pass(case):
    model = Model(made(*TAKEN[case]))
    whole, parts = model.slots(), model.slots()
    at_once = model.forward(IDS, whole)
    rows = [model.forward(IDS[:1], parts)]
    for start in range(1, len(IDS), 3):
        model.forward([5, 6, 7, 8], parts)  # guesses that are all rejected
        parts.length = start
        rows.append(model.forward(IDS[start : start + 3], parts))
    assert torch.allclose(torch.cat(rows), at_once, atol=1e-4)
    for one, other in zip(parts.layers, whole.layers, strict=True):
        for name in ("keys", "values"):
            a, b = (getattr(layer, name)[:, :, : len(IDS)] for layer in (one, other))
            assert torch.allclose(a, b, atol=1e-5)


@pytest.mark.parametrize("case", LEFT)
def test_what_is_not_understood_completely_stays_transformers_module(case):
    model = Model(made(*LEFT[case]))
    assert model.lean is None and isinstance(model.slots(), Slots)


def test_a_module_with_a_layer_of_another_kind_is_left_alone():
    module = made(*TAKEN["two key heads"])
    assert lean.fits(module)

    class Other(torch.nn.Linear):
        pass

    module.model.layers[1].mlp.down_proj.__class__ = Other
    assert not lean.fits(module)


def test_half_the_layers_and_then_the_others_are_all_of_them():
    """What leaves early and what reads on are one model: the three steps are its parts."""
    model = Model(made(*TAKEN["two key heads"]))
    slots, ids = model.slots(), torch.tensor(IDS)
    whole = model.forward(IDS, slots)
    with torch.inference_mode():
        slots.length = 0
        x = model.lean.layers(model.lean.embed(ids), slots, 0, 2)
        logits = model.lean.head(model.lean.layers(x, slots, 2))
    assert torch.allclose(logits, whole, atol=1e-5)


def test_the_module_gives_its_weights_away():
    module = rounded(made(*TAKEN["tied"]))
    count = sum(p.numel() for p in module.parameters())
    model = Model(module)
    assert all(weights.is_meta for weights in model.module.parameters())
    head = model.lean.embeddings.numel()
    norms = 7 * 32
    assert model.parameters == count and model.held == 4 * head + 2 * (count - norms), "the tied head twice, halved once"


@pytest.mark.parametrize("size", [1e-30, 1e-3, 1.0, 3e4, 1e30])
def test_half_precision_holds_what_a_bf16_checkpoint_holds(size):
    torch.manual_seed(0)
    weights = torch.randn(64, 48).mul_(size).bfloat16().float()
    weights[0, 0] = 0
    up = packed.enlargement(weights)
    assert torch.equal((weights * up).half().float() / up, weights)
    assert packed.enlargement(weights * (1 + 2**-12)) is None, "float32 weights are not rounded"


@pytest.mark.parametrize("hopeless", [0.0, float("inf"), float("nan")])
def test_weights_without_a_largest_are_not_halved(hopeless):
    assert packed.enlargement(torch.full((4, 4), hopeless)) is None


@pytest.mark.parametrize("rows", [1, 2, 5, 40])
@pytest.mark.parametrize("small", [True, False])
@pytest.mark.parametrize("biased", [True, False])
@pytest.mark.parametrize("after", [True, False])
def test_a_product_with_halved_weights_equals_the_whole_one(monkeypatch, rows, small, biased, after):
    monkeypatch.setattr(packed, "SMALL", 10**9 if small else 0)
    torch.manual_seed(1)
    weights, x = torch.randn(70, 48).bfloat16().float(), torch.randn(rows, 48)
    bias = torch.randn(70) if biased else None
    product = packed.product(weights, bias, after)
    assert isinstance(product, packed.HalfLinear) and product.small is small
    exact = torch.nn.functional.linear(x.double(), weights.double(), bias if bias is None else bias.double())
    ours = product(x) * product.scale if after else product(x * product.scale)
    assert float((ours - exact).abs().max()) < 1e-5 * float(exact.abs().max())


def test_a_text_longer_than_the_tables_goes_on(monkeypatch):
    monkeypatch.setattr("specviz.engine.cache.BLOCK", 8)
    monkeypatch.setattr("specviz.engine.lean.BLOCK", 8)
    module = made(*TAKEN["two key heads"])
    theirs = reference(module)
    model = Model(deepcopy(module))
    slots = model.slots()
    ours = torch.cat([model.forward(IDS[at : at + 3], slots) for at in range(0, len(IDS), 3)])
    assert float((ours - theirs).abs().max()) < 1e-4


def test_a_pass_leaves_the_number_of_threads_as_it_was():
    model = Model(rounded(made(*TAKEN["two key heads"])))
    assert model.lean.threads == 1
    before = torch.get_num_threads()
    model.forward(IDS, model.slots())
    with pytest.raises(ValueError):
        model.forward(IDS, model.slots(3))
    assert torch.get_num_threads() == before


def test_between_the_passes_one_thread_works_and_no_gradient_is_kept(monkeypatch):
    """And whoever reads what a run yields has both as before."""
    monkeypatch.setattr(model_module, "CORES", 2)
    seen, before = [], torch.get_num_threads()

    def states():
        for _ in range(3):
            seen.append((torch.get_num_threads(), torch.is_inference_mode_enabled()))
            with model_module.threads(None):
                seen.append(torch.get_num_threads())
            yield torch.get_num_threads()

    torch.set_num_threads(2)
    try:
        for _ in model_module.steps(states()):
            assert torch.get_num_threads() == 2 and not torch.is_inference_mode_enabled()
        assert seen == [(1, True), 2] * 3 and torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
