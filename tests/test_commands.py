"""The command line: one JSON document or one sentence, never a traceback."""

import json
import os
import subprocess
import sys

import pytest

from specviz.__main__ import main
from specviz.commands import VERBS


def words(pair_folder, *more):
    return [
        "generate",
        "--target",
        str(pair_folder / "target"),
        "--draft",
        str(pair_folder / "draft"),
        "--device",
        "cpu",
        *more,
    ]


def test_generate_json_is_one_trace(pair_folder, capsys):
    assert main(words(pair_folder, "--prompt", "moon", "--max-new-tokens", "20", "--gamma", "3", "--json")) == 0
    trace = json.loads(capsys.readouterr().out)
    assert trace["schema"] == 1 and len(trace["output_ids"]) <= 20 and trace["settings"]["gamma"] == 3


def test_generate_tells_guessed_fixed_and_bonus_apart(pair_folder, capsys):
    assert main(words(pair_folder, "--prompt", "moon", "--max-new-tokens", "40")) == 0
    out = capsys.readouterr().out
    assert out.startswith("moon(") and "[" in out and "α = " in out


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


def test_pairs_lists_the_catalogue(capsys):
    assert main(["pairs", "--json"]) == 0
    (poem,) = [row for row in json.loads(capsys.readouterr().out) if row["name"] == "poem"]
    assert poem["ready"] and poem["target"]["parameters"] > poem["draft"]["parameters"] > 0


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


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_helps_with_an_example(verb, capsys):
    with pytest.raises(SystemExit) as done:
        main([verb, "--help"])
    assert done.value.code == 0 and "example: python -m specviz " + verb in capsys.readouterr().out.replace("\n", " ")


def test_stdout_holds_the_document_and_nothing_else(pair_folder):
    command = [sys.executable, "-m", "specviz", *words(pair_folder, "--prompt", "moon", "--max-new-tokens", "5", "--json")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONWARNINGS": "ignore"})
    json.loads(done.stdout)
    assert "Traceback" not in done.stderr and "Loading" not in done.stderr


@pytest.mark.parametrize(
    "quartiles, pays, words",
    [
        ((1.2, 1.4, 1.5), True, "pays here: 1.40 times plain decoding at γ = 2 (quartiles over the prompts 1.20 to 1.50)."),
        ((0.9, 1.1, 1.3), True, "not on every prompt"),
        ((0.7, 0.9, 1.1), False, "does not pay here: 0.90"),
        ((1.0, 1.0, 1.0), False, "does not pay here"),
    ],
)
def test_bench_says_in_one_sentence_whether_speculation_pays(quartiles, pays, words):
    from specviz.commands import bench

    found = bench.verdict(2, dict(zip(("q1", "median", "q3"), quartiles, strict=True)))
    assert found["pays"] is pays and words in found["says"] and found["says"].count(". ") == 0
