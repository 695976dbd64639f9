"""What a model is called, and where it lies."""

import os
from pathlib import Path

import pytest

from specviz.engine import catalogue, references
from specviz.errors import BadInput


def test_a_bundled_name_is_a_folder_of_the_package():
    found = references.parse("poem/draft")
    assert found.kind == "bundled" and found.ready and found.folder(weights=True) == catalogue.WEIGHTS / "poem/draft"
    assert references.parse("poem").path == catalogue.WEIGHTS / "poem/target"


def test_a_folder_a_file_and_a_hub_id_are_told_apart(tmp_path, monkeypatch):
    (tmp_path / "x.gguf").write_bytes(b"GGUF")
    monkeypatch.chdir(tmp_path)
    Path("owner/model").mkdir(parents=True)
    kinds = {text: references.parse(text).kind for text in ("owner/model", "owner/other", "gpt2", "x.gguf", str(tmp_path))}
    assert kinds == {"owner/model": "folder", "owner/other": "hub", "gpt2": "hub", "x.gguf": "gguf", str(tmp_path): "folder"}


@pytest.mark.parametrize(
    "text", ["", "/no/such/folder", "~nouser/x", "n" * 300 + "/x/y", "a b/c", "../x", "a/../b", "poem/other/x", "\0"]
)
def test_what_can_be_no_model_is_refused(text):
    with pytest.raises(BadInput) as caught:
        references.parse(text)
    assert caught.value.code == "no_model"


MISTYPED = ["a/b--c", "a/b.git", "a/b-", "a/-b", "a/b.", "a/" + 150 * "x", "a/b\n", "\na/b", "a/café", "a//b", ".a/b"]


@pytest.mark.parametrize("text", MISTYPED)
def test_a_name_that_the_hub_forbids_is_refused_before_its_library_is_asked(text):
    with pytest.raises(BadInput) as caught:
        references.parse(text)
    assert caught.value.code == "no_model"


@pytest.mark.parametrize("name, target, draft", [
    ("poem", "poem/target", "poem/draft"),
    ("poem/target", "poem/target", None),
    ("poem/target|poem/target", "poem/target", "poem/target"),
    ("smollm2-135m", "smollm2-135m/target", None),
    ("smollm2-135m|smollm2-135m", "smollm2-135m", "smollm2-135m"),
    ("Qwen/Qwen3-8B|Qwen/Qwen3-0.6B", "Qwen/Qwen3-8B", "Qwen/Qwen3-0.6B"),
])  # fmt: skip
def test_one_string_names_a_pair(name, target, draft):
    found = references.parse_pair(name)
    assert (found.name, found.target.text, found.draft and found.draft.text) == (name, target, draft)


def test_the_string_of_two_references_names_them_again():
    assert references.parse_pair(references.pair_name("a/b", "c/d")) == references.of("a/b", "c/d")


def test_a_place_has_one_name_however_it_is_spelt(tmp_path, monkeypatch):
    (tmp_path / "a/target").mkdir(parents=True)
    (tmp_path / "a/x.gguf").write_bytes(b"GGUF")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    folders = ["a/target", "a/target/", "./a/target", "a//target", "a/../a/target", "~/a/target", str(tmp_path / "a/target")]
    files = ["a/x.gguf", "./a/x.gguf", str(tmp_path / "a/x.gguf")]
    for spellings in (folders, files):
        assert len({references.parse(text).text for text in spellings}) == 1
        assert len({references.parse_pair(f"{text}|poem/draft").name for text in spellings}) == 1
        name = references.parse_pair(spellings[0]).name
        assert references.parse_pair(name).name == name


def test_a_place_that_no_pair_could_be_called_by_keeps_its_spelling(tmp_path, monkeypatch):
    (tmp_path / "a|b/target").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a|b")
    assert references.parse_pair("./target|./target").name == "./target|./target"


@pytest.mark.parametrize("name", ["", "prose", "a/b|", "|a/b", "a/b|c/d|e/f", "gpt2"])
def test_what_names_no_pair_is_refused(name):
    with pytest.raises(BadInput) as caught:
        references.parse_pair(name)
    assert caught.value.code == "no_pair" and "poem" in caught.value.sentence("en")


def test_another_file_of_the_same_name_is_converted_anew(tmp_path):
    file = tmp_path / "x.gguf"
    file.write_bytes(b"GGUF")
    before = references.converted(file)
    file.write_bytes(b"GGUF again")
    os.utime(file, (1, 1))
    assert references.converted(file) != before


def test_the_cache_goes_where_the_environment_says(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert references.parse("smollm2-135m").path.is_relative_to(tmp_path)


BROKEN = {
    "no UTF-8": b'{"chat_template": "\xff\xfe"}',
    "no JSON": b'{"chat_template": ',
    "no object": b'["chat_template"]',
    "endless": b"[" * 100_000,
    "empty": b'{"chat_template": null}',
}


@pytest.mark.parametrize("told", BROKEN)
def test_a_tokenizer_config_that_cannot_be_read_holds_no_chat_template(tmp_path, told):
    (tmp_path / "config.json").write_text("{}")
    file = tmp_path / "tokenizer_config.json"
    file.write_text('{"chat_template": "{{ messages }}"}')
    assert references.parse(str(tmp_path)).chats
    file.write_bytes(BROKEN[told])
    assert references.parse(str(tmp_path)).chats is False


def test_a_hub_model_that_is_not_here_is_not_ready_and_says_so():
    found = references.parse("nobody/no-such-model")
    assert not found.ready and found.path is None
    with pytest.raises(BadInput, match="not on this machine"):
        found.folder(weights=True)
