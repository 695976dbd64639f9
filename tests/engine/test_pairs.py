"""Reading models: what cannot be used is refused with a sentence, never with a traceback."""

import json
import shutil

import pytest

from specviz.engine import pairs
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


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json", "config.json"])
def test_a_broken_file(pair_folder, tmp_path, file):
    broken = tmp_path / "target"
    shutil.copytree(pair_folder / "target", broken)
    (broken / file).write_bytes((broken / file).read_bytes()[:40])
    assert refusal(target=str(broken)) == "broken_model"


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json"])
def test_a_missing_file(pair_folder, tmp_path, file):
    broken = tmp_path / "target"
    shutil.copytree(pair_folder / "target", broken)
    (broken / file).unlink()
    assert refusal(target=str(broken)) == "broken_model"


def test_tokenizers_of_equal_size_that_spell_differently(pair_folder, tmp_path):
    other = fakes.tiny_tokenizer("zyxwvutsrqponmlkjihgfedcba 月光山水，。")
    fakes.save_pair(tmp_path, other)
    assert refusal(target=str(pair_folder / "target"), draft=str(tmp_path / "draft")) == "other_tokenizer"


def test_a_smaller_vocabulary(pair_folder, tmp_path):
    fakes.save_pair(tmp_path, fakes.tiny_tokenizer("abcdefghijklmnopqrstuvwxyz 月光山水，"))
    assert refusal(target=str(pair_folder / "target"), draft=str(tmp_path / "draft")) == "other_vocabulary"


def test_a_sliding_window_cannot_be_rolled_back(pair_folder, tmp_path):
    sliding = tmp_path / "target"
    shutil.copytree(pair_folder / "target", sliding)
    config = json.loads((sliding / "config.json").read_text())
    (sliding / "config.json").write_text(json.dumps({**config, "sliding_window": 16}))
    assert refusal(target=str(sliding)) == "cannot_roll_back"


def test_padding_of_the_vocabulary_is_never_proposed(tmp_path):
    tokenizer = fakes.tiny_tokenizer()
    fakes.tiny_llama(1, len(tokenizer) + 13).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    pair = pairs.load(target=str(tmp_path), device="cpu")
    assert pair.target.forward([0], pair.target.slots()).shape == (1, len(tokenizer))
