"""The gap between formula and clock: survival without guessing's noise, factors that multiply, bands that hold."""

import math

import numpy as np
import pytest

from specviz import gap, speedup

COST = gap.Cost(target_ms=10.0, c=0.1, v=[1.0, 1.05, 1.1, 1.15, 1.2, 1.3])


def sample(passed, gamma=4, plain_tokens=20, beta=0.5, **ms):
    """A text of known counts whose clock runs as the bench says, unless `ms` says otherwise."""
    rounds = len(passed)
    usual = {
        "plain": 10.0 * plain_tokens,
        "plain_passes": 10.0 * plain_tokens,
        "speculative": rounds * 10.0 * (gamma * COST.c + COST.v[gamma]),
        "draft": rounds * gamma * 10.0 * COST.c,
        "verify": rounds * 10.0 * COST.v[gamma],
    }
    row = [beta] * plain_tokens
    return gap.Sample("月", ["光"] * 2, passed, plain_tokens, {**usual, **ms}, [row] * 2, [row] * 2, [[1] * plain_tokens] * 2)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("gamma", [1, 2, 5])
def test_where_every_place_is_alike_survival_is_the_formula(alpha, gamma):
    assert gap.survival_on([[alpha] * 40], gamma) == pytest.approx(speedup.survival(alpha, gamma))


def test_survival_on_a_text_is_what_throwing_its_coins_gives():
    random = np.random.default_rng(4)
    kept = [random.random(18).tolist() for _ in range(3)]
    gamma, rounds, alive = 3, 0, np.zeros(3)
    for _ in range(8000):
        for row in kept:
            place = 0
            while place < len(row) - gamma:
                passed = 0
                while passed < gamma and random.random() < row[place + passed]:
                    passed += 1
                rounds += 1
                alive[:passed] += 1
                place += passed + 1
    exact = gap.survival_on(kept, gamma)
    assert np.abs(alive / rounds - exact).max() < 4 * 0.5 / rounds**0.5
    assert len({round(x, 3) for x in np.diff([1, *exact])}) == 3  # and it is not a power of anything


def test_texts_too_short_for_a_round_have_no_survival():
    assert gap.survival_on([[0.5] * 4, []], 4) is None
    assert gap.survival_on([[0.5] * 5], 4) == pytest.approx(speedup.survival(0.5, 4))


def test_the_factors_multiply_to_what_was_measured():
    samples = [
        sample([0, 4, 1, 2], speculative=97.0, draft=22.0, plain=260.0),
        sample([3, 3, 0], verify=50.0, plain_passes=150.0),
    ]
    told = gap.told(samples, 4, COST, seed=1)
    factors = [row["factor"] for row in told["waterfall"]]
    assert [row["name"] for row in told["waterfall"]] == list(gap.STEPS)
    assert math.prod(factors) == pytest.approx(told["measured"]["value"], rel=1e-12)
    t = {name: column.sum() for name, column in gap.totals(samples, 4).items()}
    measured = (t["plain_ms"] / t["plain_tokens"]) / (t["speculative_ms"] / (13 + t["rounds"]))
    assert told["measured"]["value"] == pytest.approx(measured)


def test_where_the_clock_keeps_to_the_bench_the_prediction_is_the_measurement():
    told = gap.told([sample([0, 4, 1, 2]), sample([1, 1])], 4, COST, seed=0)
    assert told["measured"]["value"] == pytest.approx(told["predicted"]["value"])
    assert told["off"] == pytest.approx(0)
    tokens = 1 + 9 / 6
    assert told["predicted"]["value"] == pytest.approx(tokens / (0.4 + 1.2))


@pytest.mark.parametrize(
    "slow, name",
    [
        ({"draft": 90.0, "speculative": 190.0}, "draft"),
        ({"verify": 120.0, "speculative": 140.0}, "passes"),
        ({"speculative": 300.0}, "outside"),
    ],
)
def test_what_is_slow_is_named(slow, name):
    told = gap.told([sample([0, 4, 1, 2, 4], **slow)], 4, COST, seed=0)
    assert abs(told["off"]) > gap.CLAIM and told["by"] == name


def test_the_two_acceptance_rates_are_counted_apart():
    told = gap.told([sample([0, 4, 1, 2])], 4, COST, seed=0)
    assert told["accepted"] == 7 and told["proposed"] == 16
    assert told["alpha"]["value"] == pytest.approx(7 / (1 + 4 + 2 + 3))
    assert told["accepted_over_proposed"]["value"] == pytest.approx(7 / 16)
    assert [s["value"] for s in told["survival"]] == [3 / 4, 2 / 4, 1 / 4, 1 / 4]
    assert told["tokens_per_round"]["value"] == pytest.approx(speedup.tokens_of([3 / 4, 2 / 4, 1 / 4, 1 / 4]))


def test_a_band_comes_from_whole_texts():
    """Ten texts that are each all yes or all no say little, however many rounds they hold; ten alike say much."""
    torn = [sample([4] * 50 if i % 2 else [0] * 50) for i in range(10)]
    alike = [sample([4, 0] * 25) for _ in range(10)]
    wide, narrow = (gap.told(s, 4, COST, seed=0)["alpha"] for s in (torn, alike))
    assert wide["value"] == narrow["value"]
    assert wide["high"] - wide["low"] > 0.3 and narrow["high"] == narrow["low"]


def test_nine_bands_in_ten_and_more_hold_the_truth():
    """95 % bands of 20 texts of independent places; percentile bands of so few texts are a little narrow."""
    random, held, tries = np.random.default_rng(0), 0, 200
    for _ in range(tries):
        passes = random.random((20, 10, 4)) < 0.6
        texts = [sample(np.cumprod(row, axis=1).sum(1).tolist()) for row in passes]
        band = gap.banded(texts, 4, COST, seed=3)["alpha"]
        held += band["low"] <= 0.6 <= band["high"]
    assert held / tries > 0.88


def test_the_same_seed_gives_the_same_bands():
    samples = [sample([i % 5, 2, 1]) for i in range(6)]
    assert gap.told(samples, 4, COST, seed=5) == gap.told(samples, 4, COST, seed=5)
    assert gap.banded(samples, 4, COST, 5)["alpha"] != gap.banded(samples, 4, COST, 6)["alpha"]


def test_one_text_has_no_band_and_no_round_has_nothing_to_tell():
    assert gap.told([sample([1, 2])], 4, COST, 0)["alpha"]["low"] is None
    assert gap.told([sample([])], 4, COST, 0) is None and gap.told([], 4, COST, 0) is None


@pytest.mark.parametrize("beta, best", [(0.05, 0), (0.3, 1), (0.95, 5)])
def test_the_best_gamma_may_be_none_at_all(beta, best):
    told = gap.told([sample([0, 1, 4], beta=beta, plain_tokens=60)], 4, COST, 0)
    assert told["curve"][0] == 1 and told["best_gamma"] == best
    expected = speedup.curve(speedup.survival(beta, 5), COST.c, lambda k: COST.v[k - 1])
    assert told["curve"] == pytest.approx(expected)


def test_the_place_in_the_line_begins_behind_a_mark():
    assert gap.line_places("床前明月光，", list("疑是地上霜。举")) == [1, 2, 3, 4, 5, 6, 1]
    assert gap.line_places("床前", list("明月光，疑")) == [3, 4, 5, 6, 1]
    assert gap.line_places("one two", [" three", ",", " four"])[-2:] == [9, 1]


def test_acceptance_by_place_is_the_mean_of_beta_there():
    one = gap.Sample("", ["a"], [0], 1, {}, [[0.2, 0.4], [0.6]], [[1.0]], [[1, 2], [1]])
    late = gap.Sample("", ["a"], [0], 1, {}, [[0.1, 0.3]], [[1.0]], [[8, 30]])
    rows = gap.by_line([one, late])
    assert [row["place"] for row in rows] == [1, 2, 8]
    assert [row["beta"] for row in rows] == pytest.approx([0.4, 0.4, 0.2])


def test_the_clock_of_the_runs_is_told_beside_the_bench():
    told = gap.told([sample([0, 4], draft=16.0, verify=30.0, speculative=50.0, plain_passes=150.0)], 4, COST, 0)
    assert told["clocked"] == pytest.approx({"guess": 2.0, "verify": 15.0, "plain": 7.5, "outside": 0.08})
