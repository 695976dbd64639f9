"""Reading models: what cannot be used is refused with a sentence, never with a traceback."""

import json
import pickle
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoConfig

from specviz.engine import cache, compatibility, lean, pairs, references
from specviz.engine.model import Model
from specviz.errors import BadInput
from tests import fakes


def refusal(**references):
    with pytest.raises(BadInput) as caught:
        pairs.load(device="cpu", **references)
    for language in ("en", "zh"):
        assert len(caught.value.sentence(language)) > 10
    return caught.value.code


def test_a_missing_folder(tmp_path):
    assert refusal(target=str(tmp_path / "nowhere")) == "no_model"


def test_a_folder_that_is_no_model(tmp_path):
    assert refusal(target=str(tmp_path)) == "no_config"


def test_an_unknown_pair():
    assert refusal(name="prose") == "no_pair"


@pytest.mark.parametrize("file, bytes, code", [
    ("model.safetensors", 40, "truncated"),
    ("model.safetensors", -1, "truncated"),
    ("model.safetensors", 5, "no_safetensors"),
    ("tokenizer.json", 40, "broken_model"),
    ("config.json", 40, "broken_model"),
])  # fmt: skip
def test_a_file_that_is_cut_short(pair_folder, tmp_path, file, bytes, code):
    broken = tmp_path / "target"
    shutil.copytree(pair_folder / "target", broken)
    (broken / file).write_bytes((broken / file).read_bytes()[:bytes])
    assert refusal(target=str(broken)) == code


@pytest.mark.parametrize("file, code", [("model.safetensors", "no_weights"), ("tokenizer.json", "no_tokenizer")])
def test_a_missing_file(pair_folder, tmp_path, file, code):
    broken = tmp_path / "target"
    shutil.copytree(pair_folder / "target", broken)
    (broken / file).unlink()
    assert refusal(target=str(broken)) == code


def test_a_missing_shard_is_named(pair_folder, tmp_path):
    broken = tmp_path / "target"
    shutil.copytree(pair_folder / "target", broken)
    placed = {"lm_head.weight": "model-00001-of-00002.safetensors", "model.norm.weight": "model-00002-of-00002.safetensors"}
    (broken / "model.safetensors").rename(broken / "model-00001-of-00002.safetensors")
    (broken / "model.safetensors.index.json").write_text(json.dumps({"weight_map": placed}))
    with pytest.raises(BadInput, match="model-00002-of-00002"):
        pairs.load(target=str(broken), device="cpu")


def test_weights_that_could_run_code_are_never_loaded(pair_folder, tmp_path, capfd):
    """A pickle can hold any call; this one would leave a file behind."""
    folder = altered(pair_folder, tmp_path)
    trap = tmp_path / "sprung"

    class Trap:
        def __reduce__(self):
            return (open, (str(trap), "w"))

    Path(folder, "model.safetensors").unlink()
    Path(folder, "pytorch_model.bin").write_bytes(pickle.dumps(Trap()))
    assert refusal(target=folder) == "pickle_only"
    assert not trap.exists()


def altered(pair_folder, tmp_path, file="config.json", **facts):
    """A copy of the target whose JSON `file` says something else."""
    folder = tmp_path / "target"
    shutil.copytree(pair_folder / "target", folder)
    told = json.loads((folder / file).read_text())
    (folder / file).write_text(json.dumps({**told, **facts}))
    return str(folder)


QUERIES = "model.layers.1.self_attn.q_proj.weight"


def reweighted(pair_folder, tmp_path, **weights):
    """A copy of the target in which QUERIES are these, or missing."""
    folder = altered(pair_folder, tmp_path)
    file = f"{folder}/model.safetensors"
    kept = {name: weight for name, weight in load_file(file).items() if name != QUERIES}
    save_file({**kept, **weights}, file, metadata={"format": "pt"})
    return folder


@pytest.mark.parametrize(
    "weights, why",
    [
        ({}, "is missing"),
        ({QUERIES: torch.full((32, 32), torch.nan)}, "not finite"),
        ({QUERIES: torch.ones(7, 32)}, r"\(7, 32\) instead of \(32, 32\)"),
    ],
)
def test_a_damaged_weight_is_named(pair_folder, tmp_path, capfd, weights, why):
    with pytest.raises(BadInput, match=f"{QUERIES} .*{why}"):
        pairs.load(target=reweighted(pair_folder, tmp_path, **weights), device="cpu")
    assert capfd.readouterr() == ("", "")


def test_a_head_tied_to_the_embedding_is_not_missing(tmp_path):
    tokenizer = fakes.tiny_tokenizer()
    model = fakes.tiny_llama(1, len(tokenizer))
    model.config.tie_word_embeddings = True
    model.tie_weights()
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    assert "lm_head.weight" not in load_file(tmp_path / "model.safetensors")
    assert pairs.load(target=str(tmp_path), device="cpu").target.vocab == len(tokenizer)


@pytest.mark.parametrize(
    "file, facts, code",
    [
        ("config.json", {"model_type": "abracadabra"}, "unknown_family"),
        ("config.json", {"model_type": "own", "auto_map": {"AutoModelForCausalLM": "own.Model"}}, "own_code"),
        ("config.json", {"eos_token_id": [[1]]}, "broken_model"),
        ("generation_config.json", {"eos_token_id": [[1]]}, "broken_model"),
    ],
)
def test_a_description_that_cannot_be_used(pair_folder, tmp_path, capfd, file, facts, code):
    assert refusal(target=altered(pair_folder, tmp_path, file, **facts)) == code
    assert capfd.readouterr() == ("", "")  # neither a warning nor a question whether to run the code


@pytest.mark.parametrize("family", ["llama", "gpt2", "qwen3"])
@pytest.mark.parametrize("told", [None, '{"tokenizer_class": "PreTrainedTokenizerFast"}'])
def test_a_folder_without_a_tokenizer_is_told_so(tmp_path, family, told):
    """Of some families transformers makes up an empty tokenizer, of others it says nothing one could use."""
    AutoConfig.for_model(family).save_pretrained(tmp_path)
    if told:
        (tmp_path / "tokenizer_config.json").write_text(told)
    with pytest.raises(BadInput) as caught:
        compatibility.report(references.parse("poem/target"), references.parse(str(tmp_path)))
    assert caught.value.code == "no_tokenizer"


FOREIGN = {
    "cannot_roll_back": ("mamba", {"hidden_size": 32, "num_hidden_layers": 1, "state_size": 4}),
    "encoder_decoder": ("t5", {"d_model": 32, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_heads": 2}),
    "no_language_model": ("vit", {"hidden_size": 32}),
}


@pytest.mark.parametrize("code", FOREIGN)
def test_a_model_that_cannot_guess_is_refused_by_the_reason(tmp_path, pair_folder, code):
    family, shape = FOREIGN[code]
    tokenizer = fakes.tiny_tokenizer()
    AutoConfig.for_model(family, vocab_size=len(tokenizer), **shape).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    shutil.copy(pair_folder / "target" / "model.safetensors", tmp_path)
    assert refusal(target=str(tmp_path)) == code


def test_a_model_that_looks_ahead_gives_itself_away(pair_folder, monkeypatch):
    """Whatever its config says: one pass over a text and passes over its parts must agree."""
    monkeypatch.setattr(lean, "fits", lambda module: False)
    monkeypatch.setattr(
        Model, "_mask", lambda self, positions, total: torch.ones(1, 1, len(positions), total, dtype=torch.bool)
    )
    assert refusal(target=str(pair_folder / "target")) == "not_causal"


def test_logits_that_are_no_numbers_name_the_model(tmp_path):
    """Every weight is finite, and half precision overflows on them."""
    model = fakes.tiny_llama(1, len(fakes.tiny_tokenizer()))
    with torch.no_grad():
        model.model.layers[0].mlp.down_proj.weight.fill_(6e4)
        model.model.layers[0].mlp.up_proj.weight.fill_(6e4)
    folder = fakes.save(tmp_path / "overflow", model, fakes.tiny_tokenizer())
    with pytest.raises(BadInput, match=r"overflow.*not numbers"):
        pairs.load(target=folder, device="cpu", dtype="fp16")


def test_a_model_of_endless_context_takes_the_memory_of_its_text(pair_folder, tmp_path):
    model = pairs.load(target=altered(pair_folder, tmp_path, max_position_embeddings=10**9), device="cpu").target
    slots = model.slots()
    model.forward([0] * 3, slots)
    assert slots.capacity == 10**9 and slots.layers[0].keys.shape[-2] == cache.BLOCK


def test_slots_that_grow_hold_what_they_held(pair, monkeypatch):
    ids = list(range(2, 40))
    whole = pair.target.forward(ids, pair.target.slots())
    monkeypatch.setattr(cache, "BLOCK", 4)
    slots = pair.target.slots(50)
    rows = [pair.target.forward(ids[at : at + 3], slots) for at in range(0, len(ids), 3)]
    assert torch.allclose(torch.cat(rows), whole, atol=1e-4)
    assert slots.layers[0].keys.shape[-2] == 50


def test_tokenizers_of_equal_size_that_spell_differently(pair_folder, tmp_path):
    other = fakes.tiny_tokenizer("zyxwvutsrqponmlkjihgfedcba 月光山水，。")
    fakes.save_pair(tmp_path, other)
    assert refusal(target=str(pair_folder / "target"), draft=str(tmp_path / "draft")) == "other_tokenizer"


def test_a_smaller_vocabulary(pair_folder, tmp_path):
    fakes.save_pair(tmp_path, fakes.tiny_tokenizer("abcdefghijklmnopqrstuvwxyz 月光山水，"))
    assert refusal(target=str(pair_folder / "target"), draft=str(tmp_path / "draft")) == "other_vocabulary"


def test_padding_of_the_vocabulary_is_never_proposed(tmp_path):
    tokenizer = fakes.tiny_tokenizer()
    fakes.tiny_llama(1, len(tokenizer) + 13).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    pair = pairs.load(target=str(tmp_path), device="cpu")
    assert pair.target.forward([0], pair.target.slots()).shape == (1, len(tokenizer))
