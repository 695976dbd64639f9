"""`generate`: a text or one trace, told apart by where each token came from."""

import inspect
import json
import re
import shutil

import pytest

from specviz.__main__ import main
from specviz.locale import labels
from tests.commands.asked import CHINESE, shell, words


def test_generate_json_is_one_trace(pair_folder, capsys):
    assert main(words(pair_folder, "--prompt", "moon", "--max-new-tokens", "20", "--gamma", "3", "--json")) == 0
    trace = json.loads(capsys.readouterr().out)
    assert trace["schema"] == 1 and len(trace["output_ids"]) <= 20 and trace["settings"]["gamma"] == 3


def test_generate_tells_guessed_fixed_and_bonus_apart(pair_folder, capsys):
    assert main(words(pair_folder, "--prompt", "moon", "--max-new-tokens", "40")) == 0
    out = capsys.readouterr().out
    assert out.startswith("moon(") and "[" in out and "α = " in out


def test_every_way_a_text_can_end_has_its_words():
    endings = {"eos", "stop", "length", "context"}
    assert {key[6:] for key in labels("en")["generate"] if key.startswith("ended_")} == endings


def test_gamma_zero_needs_no_draft(pair_folder, capsys):
    command = ["generate", "--target", str(pair_folder / "target"), "--prompt", "moon", "--gamma", "0", "--max-new-tokens", "9"]
    assert main([*command, "--json"]) == 0
    trace = json.loads(capsys.readouterr().out)
    assert all(r["draft"] == [] and r["fix"]["kind"] == "bonus" for r in trace["rounds"])
    assert trace["summary"]["alpha"] is None and trace["pair"]["draft"] is None


def test_stop_texts_end_the_text(pair_folder, capsys):
    command = words(pair_folder, "--prompt", "moon", "--max-new-tokens", "200", "--temperature", "1.5", "--json")
    assert main(command) == 0
    letter = json.loads(capsys.readouterr().out)["text"][5]
    assert main([*command, "--stop", letter]) == 0
    trace = json.loads(capsys.readouterr().out)
    assert trace["finish_reason"] == "stop" and letter not in trace["text"]


@pytest.mark.parametrize(
    "bad",
    [
        ["--prompt", ""],
        ["--prompt", "a" * 600],
        ["--prompt", "x", "--gamma", "33"],
        ["--prompt", "x", "--gamma", "many"],
        ["--prompt", "x", "--temperature", "-1"],
        ["--prompt", "x", "--temperature", "nan"],
        ["--prompt", "x", "--max-new-tokens", "0"],
        ["--prompt", "x", "--top-p", "2"],
        ["--prompt", "x", "--seed", "-1"],
        ["--prompt", "x", "--seed", "9" * 400],
        ["--prompt", "x", "--gamma", "9" * 400],
        ["--prompt", "x", "--top-k", "9" * 400],
        ["--prompt", "x", "--max-new-tokens", "9" * 400],
        ["--prompt", "x\udcff"],
        ["--prompt", "x", "--stop", "\udcff"],
        ["--prompt", "x", "--gamma", "0", "--drafter", "\udcff"],
        ["--prompt", "x", "--target", "~nouser/x"],
        ["--prompt", "x", "--target", "n" * 300],
        ["--prompt", "x", "--drafter", "oracle"],
        ["--prompt", "x", "--pair", "poem"],
        ["--prompt", "x", "--stop", ""],
        [],
    ],
)
@pytest.mark.parametrize("language", ["en_GB.UTF-8", "zh_CN.UTF-8"])
def test_bad_input_is_one_line_and_exit_two(pair_folder, capsys, monkeypatch, bad, language):
    monkeypatch.setenv("LC_ALL", language)
    assert main(words(pair_folder, *bad)) == 2
    out, err = capsys.readouterr()
    assert out == "" and len(err.strip().splitlines()) == 1
    assert any("\u4e00" <= c <= "\u9fff" for c in err) == language.startswith("zh")


def test_a_prompt_too_long_for_the_tokenizer_is_one_line_too(pair_folder, tmp_path):
    target = tmp_path / "target"
    shutil.copytree(pair_folder / "target", target)
    told = json.loads((target / "tokenizer_config.json").read_text())
    (target / "tokenizer_config.json").write_text(json.dumps({**told, "model_max_length": 512}))
    status, out, err = shell(f"P generate --target {target} --gamma 0 --prompt {'moon' * 200} --json")
    assert (status, out) == (2, b"") and len(err.splitlines()) == 1 and "801 tokens" in err


def without_an_end(pair_folder, tmp_path):
    """The tiny pair with a tokenizer and configurations that name no end of text."""
    shutil.copytree(pair_folder, tmp_path / "pair")
    for path in [*(tmp_path / "pair").glob("*/*config.json")]:
        told = {name: value for name, value in json.loads(path.read_text()).items() if name != "eos_token"}
        path.write_text(json.dumps({**told, "eos_token_id": None} if path.name != "tokenizer_config.json" else told))
    return tmp_path / "pair"


@pytest.mark.parametrize("language", ["en_GB.UTF-8", "zh_CN.UTF-8"])
def test_what_is_not_perfect_is_a_note_beside_the_text(pair_folder, tmp_path, capsys, monkeypatch, language):
    monkeypatch.setenv("LC_ALL", language)
    command = words(without_an_end(pair_folder, tmp_path), "--prompt", "moon", "--max-new-tokens", "9", "--chat")
    assert main(command) == 0
    out, err = capsys.readouterr()
    assert len(err.splitlines()) == 2 and "α" in out
    assert [bool(CHINESE.search(line)) for line in err.splitlines()] == 2 * [language.startswith("zh")]
    assert main([*command, "--json"]) == 0
    out, err = capsys.readouterr()
    assert [note["code"] for note in json.loads(out)["notes"]] == ["no_template", "no_end"] and err == ""


def test_every_note_has_its_words():
    from specviz.engine import notes

    assert set(re.findall(r'"code": "(\w+)"', inspect.getsource(notes))) == set(labels("en")["notes"])


def test_plain_decoding_prints_the_text_and_no_halves_of_characters(pair_folder, capsys):
    command = words(pair_folder, "--prompt", "moon", "--gamma", "0", "--max-new-tokens", "40", "--temperature", "3")
    assert main([*command, "--json"]) == 0
    text = json.loads(capsys.readouterr().out)["text"]
    assert "\ufffd" in text, "bytes that spell no character, or this shows nothing"
    assert main(command) == 0
    assert capsys.readouterr().out.startswith(f"moon{text}\n\n")


@pytest.mark.parametrize(
    ("more", "facts"),
    [
        ("--drafter ngram --n 1", {"code": "ngram", "n": 1}),
        ("--drafter early-exit --layers 5", {"code": "early-exit", "layers": 5, "of_layers": 12, "resumes": True}),
        ("--drafter quantised --bits 4 --of target", {"code": "quantised", "bits": 4, "of": "target"}),
        ("--drafter lookup --n 4", {"code": "lookup", "n": 4}),
    ],
)
def test_every_drafter_is_had_by_its_code_and_its_knobs(capsys, more, facts):
    asked = ["generate", "--pair", "poem", "--prompt", "床前明月光，", "--temperature", "0", "--max-new-tokens", "12", "--json"]
    texts = []
    for more_words in (more.split(), ["--gamma", "0"]):
        assert main([*asked, *more_words]) == 0
        texts.append(json.loads(capsys.readouterr().out))
    assert facts.items() <= texts[0]["drafter"].items() and texts[1]["drafter"] is None
    assert texts[0]["output_ids"] == texts[1]["output_ids"]


@pytest.mark.parametrize("more", ["early-exit --layers 12", "quantised --bits 3", "quantised --of mine", "lookup --n 40"])
def test_a_knob_out_of_range_is_one_sentence(capsys, more):
    assert main(["generate", "--pair", "poem", "--prompt", "春", "--drafter", *more.split()]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and re.search(r"layers|bits|of is|n is", err)


@pytest.mark.parametrize("verb", ["generate --prompt 春", "bench"])
@pytest.mark.parametrize(
    ("more", "listens"),
    [
        ("--layers 3", "early-exit"),
        ("--drafter lookup --bits 8", "quantised"),
        ("--drafter early-exit --n 2", "lookup, ngram"),
    ],
)
def test_a_knob_that_nobody_listens_to_is_one_sentence_that_says_who_would(capsys, verb, more, listens):
    assert main([*verb.split(), "--pair", "poem", *more.split()]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and listens in err
