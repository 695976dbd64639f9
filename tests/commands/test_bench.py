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


def test_bench_tells_what_it_measured_and_on_which_sources(bench):
    from specviz.engine import packed

    found = bench("--gamma", "2", "--device", "cpu")
    assert (found["device"], found["dtype"], found["path"]) == ("cpu", "float32", "lean" if packed.available() else "eager")
    assert found["drafter"] == "model" and 0 < found["trace"] < 1 and 0 < found["outside_forwards"] < 1
    assert found["commit"] is None or len(found["commit"]) >= 7
    assert all(value > 0 for value in found["ratios"].values())
    assert found["ratios"]["efficiency"] == pytest.approx(
        found["ratios"]["speculative_over_plain"] / (found["tokens_per_round"] / (2 * found["c"] + found["v"]["3"]))
    )


def test_bench_of_a_lookup_races_transformers_own(bench):
    found = bench("--drafter", "lookup", "--gamma", "3")
    names = [row["name"] for row in found["rows"]]
    assert names == ["plain", "speculative", "transformers plain", "transformers prompt lookup, equal γ"]
    assert found["ratios"]["speculative_over_assisted"] > 0 and found["ratios"]["speculative_over_assisted_default"] is None


def test_bench_of_a_pair_without_a_draft_looks_up(pair_folder, tmp_path, capsys):
    prompts = tmp_path / "prompts.txt"
    prompts.write_text("moon\n", encoding="utf-8")
    asked = ["bench", "--pair", str(pair_folder / "target"), "--prompts", str(prompts), "--max-new-tokens", "24", "--json"]
    assert main([*asked, "--gamma", "2", "--temperature", "0"]) == 0
    assert json.loads(capsys.readouterr().out)["drafter"] == "lookup"
    assert main([*asked, "--drafter", "model"]) == 2


def test_bench_profiles_a_round_by_part(bench):
    found = bench("--gamma", "1,2", "--profile")
    assert [one["gamma"] for one in found["profiles"]] == [1, 2]
    assert all(sum(one["share"].values()) == pytest.approx(1) for one in found["profiles"])


@pytest.fixture
def bench(capsys):
    def run(*asked):
        assert main(["bench", "--pair", "poem", "--most", "1", "--max-new-tokens", "16", "--json", *asked]) == 0
        return json.loads(capsys.readouterr().out)

    return run


def test_bench_names_the_file_that_holds_no_prompt(tmp_path, capsys):
    prompts = tmp_path / "nothing.txt"
    prompts.write_text("\n  \n", encoding="utf-8")
    assert main(["bench", "--prompts", str(prompts)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "nothing.txt” holds no prompt" in err
