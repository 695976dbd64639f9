"""`bench` says what it measured, and whether speculation pays."""

import json

import pytest

from specviz.__main__ import main
from tests.commands.asked import shell


@pytest.mark.parametrize("tokens", ["1", "2"])
def test_bench_refuses_texts_too_short_to_guess(capsys, tokens):
    assert main(["bench", "--gamma", "2", "--most", "1", "--max-new-tokens", tokens]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "--max-new-tokens 3" in err


def test_bench_says_nothing_but_what_it_measured():
    status, out, err = shell("P bench --gamma 2 --most 2 --max-new-tokens 5 --json")
    assert status == 0 and err == "" and json.loads(out)["gamma"] == 2


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
