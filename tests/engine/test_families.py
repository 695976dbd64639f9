"""Any causal model behind one face: four families, shared and separate heads, windows, padding; what transformers writes
is what the slots write."""

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from specviz.engine import cache, pairs
from specviz.engine.writing import write
from specviz.settings import Settings
from tests import fakes
from tests.engine.slots import hold_a_fresh_reading

PROMPT, TOKENS = "moon", 40


@pytest.fixture(scope="module")
def tokenizer():
    return fakes.tiny_tokenizer()


@pytest.fixture(scope="module")
def folders(tmp_path_factory, tokenizer):
    """family -> (target, draft) of other seeds, depths and paddings."""
    root, size = tmp_path_factory.mktemp("families"), len(tokenizer)
    found = {}
    for family in fakes.FAMILIES:
        target, draft = fakes.tiny_model(family, size + 11), fakes.tiny_model(family, size + 5, seed=7, layers=1)
        found[family] = tuple(
            fakes.save(root / family / side, model, tokenizer) for side, model in (("target", target), ("draft", draft))
        )
    return found


def greedy(folder, prompt=PROMPT, tokens=TOKENS):
    """What transformers' own generate writes: padding rows kept out, the end of text let through."""
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32), AutoTokenizer.from_pretrained(folder)
    ids = tokenizer(prompt, return_tensors="pt")
    padding = list(range(len(tokenizer), model.config.vocab_size))
    out = model.generate(
        **ids, max_new_tokens=tokens, do_sample=False, pad_token_id=1, eos_token_id=1, suppress_tokens=padding or None
    )
    return out[0, ids["input_ids"].shape[1] :].tolist()


def written(pair, gamma, prompt=PROMPT, tokens=TOKENS, **settings):
    *_, trace = write(pair, prompt, Settings(gamma=gamma, temperature=0, max_new_tokens=tokens, **settings))
    return trace


@pytest.mark.parametrize("family", fakes.FAMILIES)
def test_greedy_is_transformers_own_token_for_token(folders, family):
    target, draft = folders[family]
    pair = pairs.load(target=target, draft=draft, device="cpu")
    theirs = greedy(target)
    assert len(set(theirs)) > 5, "a text that repeats one token proves little"
    assert written(pair, 0).output_ids == theirs
    assert written(pair, 3).output_ids == theirs


@pytest.mark.parametrize("family", fakes.FAMILIES)
def test_after_every_round_the_slots_hold_what_a_fresh_pass_would(folders, family):
    target, draft = folders[family]
    pair = pairs.load(target=target, draft=draft, device="cpu")
    model, slots = pair.target, pair.target.slots()
    ids = [5 + i % 20 for i in range(30)]
    model.forward(ids[:10], slots)
    for start in range(10, 25, 3):
        model.forward([9, 8, 7, 6], slots)  # guesses that are all rejected
        slots.length = start
        model.forward(ids[start : start + 3], slots)
    hold_a_fresh_reading(model, slots, ids)


@pytest.mark.parametrize("family", ["llama", "gpt2"])
def test_a_model_that_guesses_for_itself_is_always_believed(folders, family):
    target, _ = folders[family]
    pair = pairs.load(f"{target}|{target}", device="cpu")
    assert pair.draft.module is pair.target.module and pair.draft is not pair.target
    trace = written(pair, 4, tokens=60)
    assert trace.summary["alpha"] == 1.0
    assert trace.output_ids == written(pair, 0, tokens=60).output_ids


WINDOWS = {
    "mistral": {"sliding_window": 16, "num_key_value_heads": 2},
    "qwen2": {"use_sliding_window": True, "sliding_window": 16, "max_window_layers": 1, "num_key_value_heads": 2},
    "gemma3_text": {
        "sliding_window": 16,
        "head_dim": 8,
        "num_key_value_heads": 1,
        "layer_types": ["sliding_attention", "full_attention"],
    },
}


@pytest.mark.parametrize("family", WINDOWS)
def test_a_sliding_window_is_masked_across_its_edge(tmp_path, tokenizer, family):
    """Prompt and text are several windows long, and rejected guesses are taken back at every place of it."""
    model = fakes.tiny_model(family, len(tokenizer), **WINDOWS[family])
    target = fakes.save(tmp_path / "target", model, tokenizer)
    draft = fakes.tiny_model(family, len(tokenizer), seed=3, **WINDOWS[family])
    draft = fakes.save(tmp_path / "draft", draft, tokenizer)
    prompt = "the moon is on the water and the light"
    pair = pairs.load(target=target, draft=draft, device="cpu")
    assert pair.target.window == 16
    theirs = greedy(target, prompt, 30)
    assert written(pair, 0, prompt, 30).output_ids == theirs
    assert written(pair, 4, prompt, 30).output_ids == theirs
    slots = pair.target.slots()
    pair.target.forward(pair.speller.encode(prompt), slots, rows=1)
    assert slots.layers[0].keys.shape[-2] == min(cache.BLOCK, pair.target.context), "nothing was thrown away"


def test_without_its_window_the_same_model_writes_another_text(tmp_path, tokenizer):
    """Or the test above would prove nothing."""
    model = fakes.tiny_model("mistral", len(tokenizer), **WINDOWS["mistral"])
    prompt = "the moon is on the water and the light"
    texts = []
    for name, window in (("with", 16), ("without", None)):
        model.config.sliding_window = window
        folder = fakes.save(tmp_path / name, model, tokenizer)
        texts.append(written(pairs.load(target=folder, device="cpu"), 0, prompt, 30).output_ids)
    assert texts[0] != texts[1]


@pytest.mark.parametrize("rows", [0, 13])
def test_a_draft_padded_otherwise_changes_no_token(tmp_path, tokenizer, folders, rows):
    """Its vocabulary has fewer rows than the target's tokens, or more: what it cannot say it does not guess."""
    short = len(tokenizer) - 3 + rows
    draft = fakes.save(tmp_path, fakes.tiny_model("llama", short, seed=5), tokenizer)
    target, _ = folders["llama-tied"]
    pair = pairs.load(target=target, draft=draft, device="cpu")
    assert pair.draft.forward([0], pair.draft.slots()).shape[-1] == pair.target.vocab == len(tokenizer)
    assert written(pair, 3).output_ids == written(pair, 0).output_ids
    pair.draft.forward([len(tokenizer) - 1], pair.draft.slots())  # a token it does not know can still be read


def test_a_draft_with_a_shorter_context_guesses_up_to_its_end(tmp_path, tokenizer, folders):
    draft = fakes.save(tmp_path, fakes.tiny_model("llama", len(tokenizer), seed=5, context=24), tokenizer)
    target, _ = folders["llama"]
    pair = pairs.load(target=target, draft=draft, device="cpu")
    trace = written(pair, 4, tokens=60)
    assert trace.output_ids == written(pair, 0, tokens=60).output_ids and len(trace.output_ids) > 40
    guesses = [len(r.draft) for r in trace.rounds]
    assert guesses[0] == 4 and guesses[-5:] == [0] * 5
    long = written(pair, 4, prompt="a" * 40, tokens=10)
    assert all(not r.draft for r in long.rounds)


def test_without_an_end_of_text_a_run_goes_to_its_cap(tmp_path, tokenizer):
    model = fakes.tiny_model("llama", len(tokenizer))
    for config in (model.config, model.generation_config):
        config.eos_token_id = None
    endless = fakes.tiny_tokenizer()
    endless.eos_token = None
    pair = pairs.load(target=fakes.save(tmp_path, model, endless), device="cpu")
    assert pair.eos == frozenset()
    assert written(pair, 0, tokens=50).finish_reason == "length"
