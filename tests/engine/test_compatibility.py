"""The report on two models: every id must spell the same, and nothing else is proof."""

import json

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoConfig, PreTrainedTokenizerFast
from transformers.convert_slow_tokenizer import bytes_to_unicode

from specviz.engine import compatibility, references
from specviz.engine.compatibility import report
from tests import fakes

LETTERS = "abcdefghijklmnopqrstuvwxyz 月光山水，。"


def described(folder, tokenizer, family="llama", **shape):
    """A folder with config and tokenizer and no weights: the report needs none."""
    shape = {"vocab_size": len(tokenizer), "max_position_embeddings": 512, "hidden_size": 32, **shape}
    AutoConfig.for_model(family, **shape).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return references.parse(str(folder))


@pytest.fixture
def pair(tmp_path):
    def make(target=None, draft=None, ours=(), theirs=()):
        target, draft = target or fakes.tiny_tokenizer(), draft or fakes.tiny_tokenizer()
        return report(
            described(tmp_path / "target", target, **dict(ours)), described(tmp_path / "draft", draft, **dict(theirs))
        )

    return make


def keys(found):
    return {reason.key.partition(".")[2] for reason in found.reasons}


def test_the_same_tokenizer_passes(pair):
    found = pair()
    assert found.verdict == "pass" and found.first_difference is None
    assert found.sample["target"] == found.sample["draft"] and "".join(found.sample["target"]).count("<0x") > 0


def test_tokenizers_of_equal_size_that_spell_differently(pair):
    found = pair(draft=fakes.tiny_tokenizer(LETTERS[::-1]))
    assert found.verdict == "refuse"
    assert found.first_difference == {"id": 258, "target": "a", "draft": "。"}


def test_one_swapped_pair_of_tokens_is_found(pair):
    swapped = list(LETTERS)
    swapped[20], swapped[24] = swapped[24], swapped[20]
    assert pair(draft=fakes.tiny_tokenizer("".join(swapped))).first_difference == {"id": 278, "target": "u", "draft": "y"}


def test_a_smaller_vocabulary(pair):
    found = pair(draft=fakes.tiny_tokenizer(LETTERS[:-1]))
    assert found.verdict == "refuse" and found.first_difference["draft"] is None and "other_vocabulary" in keys(found)


@pytest.mark.parametrize("rows", [(300, 300), (300, 320), (0, 320)])
def test_padding_passes_and_is_told(pair, rows):
    size = len(fakes.tiny_tokenizer())
    found = pair(ours={"vocab_size": rows[0] or size}, theirs={"vocab_size": rows[1] or size})
    assert found.verdict == "pass-with-padding"
    assert ("padded_target" in keys(found), "padded_draft" in keys(found)) == (bool(rows[0]), bool(rows[1]))


def test_an_added_token_counts_like_any_other(pair):
    more = fakes.tiny_tokenizer()
    more.add_tokens(["<think>"])
    found = pair(target=more)
    assert found.verdict == "refuse" and found.first_difference == {"id": len(more) - 1, "target": "<think>", "draft": None}


def test_specials_and_contexts_that_differ_are_notes(pair):
    other = fakes.tiny_tokenizer()
    other.eos_token, other.chat_template = "a", "{{ messages }}"
    found = pair(draft=other, theirs={"max_position_embeddings": 64})
    assert found.verdict == "pass" and {"other_eos", "shorter_context", "no_chat"} <= keys(found)


def test_chat_templates_are_compared(pair):
    ours, theirs = fakes.tiny_tokenizer(), fakes.tiny_tokenizer()
    ours.chat_template = theirs.chat_template = "{{ messages }}"
    assert "same_chat" in keys(pair(target=ours, draft=theirs))
    theirs.chat_template = "{{ bos_token }}"
    assert "other_chat" in keys(pair(target=ours, draft=theirs))


@pytest.mark.parametrize("family, shape, why", [
    ("mamba", {"num_hidden_layers": 1}, "cannot_roll_back"),
    ("recurrent_gemma", {"num_hidden_layers": 3}, "cannot_roll_back"),
    ("rwkv", {}, "cannot_roll_back"),
    ("xlstm", {}, "cannot_roll_back"),
    ("openai-gpt", {}, "cannot_roll_back"),
    ("t5", {}, "encoder_decoder"),
])  # fmt: skip
def test_a_model_that_cannot_guess_is_a_verdict_not_an_error(pair, family, shape, why):
    found = pair(theirs={"family": family, **shape})
    assert found.verdict == "refuse" and why in keys(found)


def test_a_window_is_a_note(pair):
    found = pair(ours={"family": "mistral", "sliding_window": 16})
    assert found.verdict == "pass" and "window_target" in keys(found)


def test_the_lesson_of_a_refusal_is_one_sentence_cut_by_both(pair):
    """A tokenizer of characters and one that knows a word: the pieces differ, the sentence does not."""
    pieces = [*bytes_to_unicode().values(), "or", "ors"]
    bytes_only = Tokenizer(models.BPE({c: i for i, c in enumerate(pieces)}, [("o", "r"), ("or", "s")]))
    bytes_only.pre_tokenizer, bytes_only.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    found = pair(draft=PreTrainedTokenizerFast(tokenizer_object=bytes_only, eos_token="!"))
    assert found.verdict == "refuse" and "ors" in found.sample["draft"] and "ors" not in found.sample["target"]
    assert found.sample["sentence"] == compatibility.SAMPLE


def test_every_finding_has_its_words_in_both_languages(pair):
    other = fakes.tiny_tokenizer(LETTERS[::-1])
    found = pair(draft=other, theirs={"family": "mamba", "num_hidden_layers": 1, "vocab_size": 400})
    for reason in found.reasons:
        assert len(reason.sentence("en")) > 20 and len(reason.sentence("zh")) > 8
    told = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert told["verdict"] == "refuse" and len(told["reasons"]) == len(told["findings"]) > 2


def test_a_model_goes_by_the_name_it_was_given_not_by_the_folder_a_cache_keeps_it_in(tmp_path):
    """A hub's cache names a folder by the digest of a commit, which would tell the reader nothing."""
    at = tmp_path / "0123456789abcdef"
    described(at, fakes.tiny_tokenizer())
    assert compatibility.described(at, "Qwen/Qwen3-0.6B").name == "Qwen/Qwen3-0.6B"
