"""The engine on trial: nothing may speak against it, and a rigged engine must be convicted."""

from dataclasses import replace

import numpy as np
import pytest

from specviz import court, rule
from specviz.engine import trials
from specviz.errors import BadInput
from specviz.settings import Settings


def last(reports):
    *_, report = reports
    return report


def test_nothing_speaks_against_the_engines_rule_at_a_real_position(pair):
    report = last(trials.position_trial(pair, "moon", Settings(temperature=2.0, seed=3), 6_000))
    assert report["throws"] == 6_000 and report["p_value"] > 1e-3
    assert report["law_error"] < 1e-12
    assert report["tv"] < 2 * report["tv_by_chance"][1]
    for row, of_rest in (("p", "p"), ("q", "q"), ("frequencies", "frequency")):
        together = sum(report[row]) + sum(side[of_rest] for side in report["rest"].values())
        assert together == pytest.approx(1) and len(report[row]) == len(report["tokens"])


@pytest.mark.parametrize("temperature", [0.3, 1.0, 2.0])
def test_the_columns_of_a_place_keep_its_beta(pair, temperature):
    report = next(trials.position_trial(pair, "moon", Settings(temperature=temperature), 10))
    over, under = report["rest"]["over"], report["rest"]["under"]
    columns = zip([*report["p"], over["p"], under["p"]], [*report["q"], over["q"], under["q"]], strict=True)
    assert sum(min(a, b) for a, b in columns) == pytest.approx(report["beta"], abs=1e-12)
    assert over["count"] + under["count"] + len(report["tokens"]) == report["vocabulary"]


def test_a_rigged_rule_is_convicted_at_the_same_position(pair, monkeypatch):
    monkeypatch.setattr(trials.rule, "accepts", lambda u, p_x, q_x: True)
    report = last(trials.position_trial(pair, "moon", Settings(temperature=2.0, seed=3), 6_000))
    assert report["p_value"] < court.GUILTY


@pytest.mark.slow
def test_nothing_speaks_against_whole_texts_of_the_engine():
    report = last(trials.text_trial(3_000, seed=1))
    assert report["throws"] == 3_000 and report["p_value"] > 1e-3 and report["texts"] == 64
    assert sum(report["p"]) + report["rest"]["texts"]["p"] == pytest.approx(1)


@pytest.mark.slow
def test_an_engine_with_a_wrong_fix_is_convicted_on_whole_texts(monkeypatch):
    monkeypatch.setattr(rule, "residual", lambda p, q: p)
    assert last(trials.text_trial(3_000, seed=1))["p_value"] < court.GUILTY


def test_without_a_draft_there_is_no_rule_to_try_and_a_sentence_says_so(pair):
    with pytest.raises(BadInput, match="no draft model"):
        next(trials.position_trial(replace(pair, draft=None), "moon", Settings(), 1_000))


@pytest.mark.parametrize("code", ["lookup", "ngram", "early-exit", "quantised"])
def test_whoever_guesses_can_be_put_on_trial(everyone, code):
    prompt, settings = "the moon over the moon over ", Settings(drafter=code, seed=2)
    *_, report = trials.position_trial(everyone, prompt, settings, 4_000)
    assert report["law_error"] < 1e-6 and report["p_value"] > 1e-6
    p, q, _ = trials.rows_after(everyone, prompt, settings)
    assert float(q.sum()) == pytest.approx(1) and report["beta"] == pytest.approx(float(np.minimum(p, q).sum()))


def test_where_nothing_repeats_there_is_no_guess_to_try(everyone):
    with pytest.raises(BadInput) as caught:
        next(trials.position_trial(everyone, "moon", Settings(drafter="lookup"), 100))
    assert caught.value.code == "nothing_found"
