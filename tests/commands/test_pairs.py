"""`pairs` and `check`: which pairs there are, and whether two models fit together."""

import json

import pytest

from specviz.__main__ import main


def test_pairs_lists_the_catalogue(capsys):
    assert main(["pairs", "--json"]) == 0
    (poem,) = [row for row in json.loads(capsys.readouterr().out) if row["name"] == "poem"]
    assert poem["ready"] and poem["target"]["parameters"] > poem["draft"]["parameters"] > 0


def test_check_tells_the_verdict_and_exits_zero(pair_folder, capsys):
    target, draft = (str(pair_folder / side) for side in ("target", "draft"))
    assert main(["check", "--target", target, "--draft", draft, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "pass" and found["first_difference"] is None
    assert main(["check", "--target", target, "--draft", "poem/draft", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "refuse" and found["reasons"] and found["first_difference"]["target"] is not None


@pytest.mark.parametrize("language", ["en_GB.UTF-8", "zh_CN.UTF-8"])
def test_check_speaks_the_readers_language(pair_folder, capsys, monkeypatch, language):
    monkeypatch.setenv("LC_ALL", language)
    assert main(["check", "--target", str(pair_folder / "target"), "--draft", "poem/draft"]) == 0
    out = capsys.readouterr().out
    assert ("不合用" in out) == language.startswith("zh") and "|" in out


@pytest.mark.parametrize("reference", ["/no/such/folder", "x.gguf", "", "poem/nothing/x", "a/b--c", "a/b.git", "a/b\n"])
def test_check_of_what_cannot_be_read_is_one_line_and_exit_two(capsys, reference):
    assert main(["check", "--target", reference, "--draft", "poem/draft"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and len(err.splitlines()) == 1


def test_pairs_tell_memory_and_whether_it_fits(capsys):
    assert main(["pairs", "--context", "2048", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["llama-3.3-70b"]["memory"]["bf16"]["target"] == 2 * 70_553_706_496
    assert rows["poem"]["memory"]["bf16"]["fits"] and rows["poem"]["context"] == 1024
    assert main(["pairs"]) == 0
    assert "not tried here" in capsys.readouterr().out
