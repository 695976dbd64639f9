"""`speedup` on the command line."""

import json

import pytest

from specviz.__main__ import main


def figures(capsys, *more):
    assert main(["speedup", *more, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_speedup_gives_the_figures_of_the_lesson(capsys):
    found = figures(capsys, "--alpha", "0.8", "--gamma", "5", "--c", "0")
    assert found["expected_tokens"] == found["speedup"] == pytest.approx(3.69, abs=0.005)  # Leviathan et al., Table 1
    assert found["operations"] == pytest.approx(1.63, abs=0.005)
    assert found["accepted_over_proposed"] == pytest.approx(0.538, abs=5e-4)
    for alpha, speed in (("0.6", 1.91), ("0.9", 3.75)):
        assert figures(capsys, "--alpha", alpha, "--gamma", "5", "--c", "0.05")["speedup"] == pytest.approx(speed, abs=0.005)


def test_speedup_draws_the_line_of_v_through_the_point_given(capsys):
    plain, dear = (figures(capsys, "--alpha", "0.8", "--gamma", "5", "--c", "0.05", *v) for v in ([], ["--v", "1.5"]))
    assert dear["speedup"] == pytest.approx(dear["expected_tokens"] / 1.75)
    assert dear["best_gamma"] < plain["best_gamma"] and dear["best_speedup"] < plain["best_speedup"]
    again = figures(capsys, "--alpha", "0.8", "--gamma", str(dear["best_gamma"]), "--c", "0.05",
                    "--v", str(1 + 0.1 * dear["best_gamma"]))  # fmt: skip
    assert again["speedup"] == pytest.approx(dear["best_speedup"])


@pytest.mark.parametrize("alpha, gamma, tokens", [("1", 1000, 1001), ("0", 1000, 1), ("0.7", 0, 1), ("1", 0, 1)])
def test_speedup_at_the_edges(capsys, alpha, gamma, tokens):
    found = figures(capsys, "--alpha", alpha, "--gamma", str(gamma), "--c", "0")
    assert found["expected_tokens"] == found["speedup"] == tokens
    assert (found["accepted_over_proposed"] is None) == (gamma == 0)


def test_speedup_says_when_no_gamma_helps(capsys):
    found = figures(capsys, "--alpha", "0.3", "--gamma", "3", "--c", "0.3")
    assert found["best_gamma"] == 0 and found["best_speedup"] == 1  # α ≤ c, Corollary 3.9
    assert main(["speedup", "--alpha", "0.3", "--gamma", "3", "--c", "0.3"]) == 0
    assert "no γ helps" in capsys.readouterr().out


@pytest.mark.parametrize("name, bad", [("alpha", "1.2"), ("alpha", "nan"), ("alpha", "much"), ("gamma", "-1"), ("gamma", "1.5"),
                                       ("c", "-0.1"), ("c", "inf"), ("v", "0.5"), ("c-hat", "-1")])  # fmt: skip
@pytest.mark.parametrize("language", ["en_GB.UTF-8", "zh_CN.UTF-8"])
def test_speedup_names_the_figure_that_is_wrong(capsys, monkeypatch, name, bad, language):
    monkeypatch.setenv("LC_ALL", language)
    good = {"alpha": "0.8", "gamma": "5", "c": "0.05", "v": "1", "c-hat": "0"}
    assert main(["speedup", *(f"--{key}={value}" for key, value in {**good, name: bad}.items())]) == 2
    out, err = capsys.readouterr()
    assert out == "" and len(err.strip().splitlines()) == 1
    assert name.replace("-", "_") in err.replace("-", "_")
    assert any("\u4e00" <= c <= "\u9fff" for c in err) == language.startswith("zh")


def test_speedup_without_guesses_refuses_a_dearer_pass(capsys):
    assert main(["speedup", "--alpha", "0.8", "--gamma", "0", "--c", "0", "--v", "1.3"]) == 2
    assert "v is 1" in capsys.readouterr().err
