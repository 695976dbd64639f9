"""The engine on trial: nothing may speak against it, and a rigged engine must be convicted."""

import pytest

from specviz import court, rule
from specviz.engine import trials
from specviz.settings import Settings


def last(reports):
    *_, report = reports
    return report


def test_nothing_speaks_against_the_engines_rule_at_a_real_position(pair):
    report = last(trials.position_trial(pair, "moon", Settings(temperature=2.0, seed=3), 6_000))
    assert report["throws"] == 6_000 and report["p_value"] > 1e-3
    assert report["law_error"] < 1e-12
    assert report["tv"] < 2 * report["tv_by_chance"][1]
    for row in ("p", "q", "frequencies"):
        assert sum(report[row]) == pytest.approx(1) and len(report[row]) == len(report["tokens"])


def test_a_rigged_rule_is_convicted_at_the_same_position(pair, monkeypatch):
    monkeypatch.setattr(trials.rule, "accepts", lambda u, p_x, q_x: True)
    report = last(trials.position_trial(pair, "moon", Settings(temperature=2.0, seed=3), 6_000))
    assert report["p_value"] < court.GUILTY


@pytest.mark.slow
def test_nothing_speaks_against_whole_texts_of_the_engine():
    report = last(trials.text_trial(3_000, seed=1))
    assert report["throws"] == 3_000 and report["p_value"] > 1e-3 and report["texts"] == 64


@pytest.mark.slow
def test_an_engine_with_a_wrong_fix_is_convicted_on_whole_texts(monkeypatch):
    monkeypatch.setattr(rule, "residual", lambda p, q: p)
    assert last(trials.text_trial(3_000, seed=1))["p_value"] < court.GUILTY
