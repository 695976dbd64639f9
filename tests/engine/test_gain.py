"""Measuring what guessing gains: the counts are the engine's own, the job lets others go first."""

import json

import pytest

from specviz import gap, speedup
from specviz.engine import gain, measure
from specviz.errors import BadInput
from specviz.settings import Settings
from tests.engine.test_service import request, service, wait  # noqa: F401  the fixture

OPENINGS = {"known": ["moon", "aa", "bc"], "new": ["月光", "light"], "unlike": ["xyz", "q", "rain"]}


@pytest.fixture(scope="module")
def reports(pair):
    return list(gain.gain(pair, Settings(gamma=3, temperature=0.7, seed=5), OPENINGS))


def test_reports_grow_to_a_whole_one_and_never_change(pair):
    seen = [(report, json.dumps(report, allow_nan=False)) for report in gain.gain(pair, Settings(gamma=2), OPENINGS)]
    assert [report["done"] for report, _ in seen] == list(range(1, 9)) and seen[-1][0]["of"] == 8
    assert all(json.dumps(report, allow_nan=False) == then for report, then in seen)


def test_what_is_counted_depends_on_the_seed_alone(pair, reports):
    *_, again = gain.gain(pair, Settings(gamma=3, temperature=0.7, seed=5), OPENINGS)
    for kind, samples in reports[-1]["samples"].items():
        for one, other in zip(samples, again["samples"][kind], strict=True):
            assert {**one, "ms": 0} == {**other, "ms": 0}
        ours, theirs = reports[-1]["kinds"][kind], again["kinds"][kind]
        assert all(ours[name] == theirs[name] for name in ("alpha", "beta", "survival", "by_line", "tokens_per_round"))


def test_the_counts_are_those_of_the_runs(pair, reports):
    """A round of the measurement is a round of the loop: the same verdicts for the same prompt and seed."""
    from dataclasses import replace

    from specviz.engine import writing

    settings = Settings(gamma=3, temperature=0.7, seed=5)
    sample = reports[-1]["samples"]["known"][1]
    *_, trace = writing.write(pair, "aa", replace(settings, seed=6, max_new_tokens=gain.TOKENS + gain.ROOM))
    whole = [r for r in trace.rounds if len(r.draft) == 3 and r.fix]
    assert sample["passed"] == [r.accepted for r in whole[: len(sample["passed"])]] and len(sample["passed"]) > 3


def test_overlaps_are_exact(pair):
    settings = Settings(gamma=2, temperature=0.8, seed=1, max_new_tokens=30)
    plain = measure.overlaps(pair, "moon", settings)
    ids = pair.speller.encode("moon")
    from specviz.engine.loop import Run
    from specviz.engine.record import Recorder

    run = Run(
        pair.target,
        None,
        ids,
        Settings(gamma=0, temperature=0.8, seed=1, max_new_tokens=30),
        Recorder(pair.speller, False),
        pair.eos,
    )
    run.first()
    list(run.rounds())
    overlaps, kept = gain.chances_along(pair, ids, run.ending.ids, settings)
    assert overlaps == pytest.approx(plain, abs=1e-5)
    assert all(0 <= x <= 1 for x in kept)


def test_the_chances_along_the_texts_predict_what_guessing_does(pair):
    """Survival computed from p and q of the texts, against rounds really guessed: the same within their noise."""
    texts = [gain.sample(pair, "moon", Settings(gamma=3, temperature=0.7, seed=seed)) for seed in range(40)]
    exact = gap.survival_on([row for s in texts for row in s.kept], 3)
    rounds = [n for s in texts for n in s.passed]
    for i in (1, 2, 3):
        share = sum(n >= i for n in rounds) / len(rounds)
        assert abs(share - exact[i - 1]) < 4 * 0.5 / len(rounds) ** 0.5


def test_the_parts_of_a_lane_do_not_exceed_the_whole(reports):
    for samples in reports[-1]["samples"].values():
        for ms in (s["ms"] for s in samples):
            assert ms["draft"] + ms["verify"] <= ms["speculative"] and ms["plain_passes"] <= ms["plain"]


def test_the_prediction_is_the_sum_over_survival_divided_by_the_measured_costs(reports):
    report = reports[-1]
    cost = report["cost"]
    for told in report["kinds"].values():
        tokens = speedup.tokens_of([band["value"] for band in told["survival"]])
        assert told["predicted"]["value"] == pytest.approx(speedup.speedup(tokens, 3, cost["c"], cost["v"][3]))


def test_a_slow_machine_stops_after_the_least_number_of_texts_of_every_kind(pair, monkeypatch):
    monkeypatch.setattr(gain, "LEAST", 2)
    *_, report = gain.gain(pair, Settings(gamma=2), OPENINGS, budget=0.0)
    assert {kind: told["texts"] for kind, told in report["kinds"].items()} == {"known": 2, "new": 2, "unlike": 2}
    assert report["done"] == report["of"] == 6 and report["samples"]


@pytest.mark.parametrize("gamma", [0, gain.WIDEST])
def test_a_gamma_whose_pass_is_not_timed_is_refused(pair, gamma):
    with pytest.raises(BadInput, match="gamma"):
        next(gain.gain(pair, Settings(gamma=gamma), OPENINGS))


def test_openings_of_every_kind_are_known_for_the_bundled_pair():
    found = gain.kinds("poem")
    assert list(found) == ["known", "new", "repeating", "unlike"]
    assert all(len(prompts) == len(set(prompts)) == gain.TEXTS for prompts in found.values())


@pytest.mark.parametrize("name", ["smollm2-135m", "../poem", "a/b|c/d"])
def test_a_pair_nobody_prepared_is_measured_on_what_any_model_can_go_on_from(name):
    found = gain.kinds(name)
    assert list(found) == ["code", "prose", "copied"]
    assert all(len(prompts) == len(set(prompts)) == gain.TEXTS for prompts in found.values())


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(gain, "kinds", lambda name: OPENINGS)


def test_a_measurement_is_a_job_like_any_other(service, few):  # noqa: F811
    from specviz.engine.work import Gain

    job = wait(service.submit(Gain("poem", Settings(gamma=2))))
    assert job.state == "done" and job.report["done"] == job.report["of"] == 8
    cancelled = service.submit(Gain("poem", Settings(gamma=3)))
    cancelled.cancel()
    assert wait(service.submit(request(seed=5))).state == "done" and cancelled.state == "cancelled"


def test_others_go_first_between_two_texts(service, few):  # noqa: F811
    from specviz.engine.work import Gain

    finished = []
    blocker = service.submit(request(seed=1, max_new_tokens=200))
    measuring = service.submit(Gain("poem", Settings(gamma=2)))
    other = service.submit(request(seed=2), wanted=lambda: finished.append(measuring.state) or True)
    assert wait(other).state == "done"
    assert finished[-1] == "queued", "the measurement stood back while the other run wrote"
    assert wait(measuring).state == "done" and blocker.state == "done"
    assert measuring.report["done"] == 8


def test_a_measurement_that_stands_back_can_be_cancelled(service, few):  # noqa: F811
    from specviz.engine.work import Gain

    service.submit(request(seed=1, max_new_tokens=100))
    measuring = service.submit(Gain("poem", Settings(gamma=2)))
    others = [service.submit(request(seed=s, max_new_tokens=60)) for s in range(2, 5)]
    measuring.cancel()
    assert [wait(job).state for job in others] == ["done"] * 3 and wait(measuring).state == "cancelled"
