"""The gain: exact at its edges, equal to the published tables, and equal to what throwing coins gives."""

import numpy as np
import pytest

from specviz import speedup
from specviz.errors import BadInput

# Leviathan et al. 2023, Table 1 (c = ĉ = 0): α, γ, operations, speed
TABLE_1 = [(0.6, 2, 1.53, 1.96), (0.7, 3, 1.58, 2.53), (0.8, 2, 1.23, 2.44),
           (0.8, 5, 1.63, 3.69), (0.9, 2, 1.11, 2.71), (0.9, 10, 1.60, 6.86)]  # fmt: skip
# Tables 2 and 4: γ, α, c, what the paper expects
TABLES_2_AND_4 = [(7, 0.75, 0.02, 3.2), (7, 0.80, 0.04, 3.3), (7, 0.82, 0.11, 2.5), (7, 0.62, 0.02, 2.3), (3, 0.71, 0.11, 2.0),
                  (5, 0.65, 0.02, 2.4), (5, 0.73, 0.04, 2.6), (5, 0.53, 0.02, 1.9), (3, 0.56, 0.11, 1.6)]  # fmt: skip


def gain(alpha, gamma, c, v=1.0):
    return speedup.speedup(speedup.expected_tokens(alpha, gamma), gamma, c, v)


@pytest.mark.parametrize("alpha, gamma, operations, speed", TABLE_1)
def test_table_1_of_the_paper(alpha, gamma, operations, speed):
    tokens = speedup.expected_tokens(alpha, gamma)
    assert speedup.operations(tokens, gamma, 0) == pytest.approx(operations, abs=0.006)
    assert gain(alpha, gamma, 0) == pytest.approx(speed, abs=0.006)


@pytest.mark.parametrize("gamma, alpha, c, expected", TABLES_2_AND_4)
def test_tables_2_and_4_of_the_paper(gamma, alpha, c, expected):
    assert gain(alpha, gamma, c) == pytest.approx(expected, abs=0.07)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.999999, 1.0])
@pytest.mark.parametrize("gamma", [0, 1, 5, 1000])
def test_edges_are_exact(alpha, gamma):
    tokens = speedup.expected_tokens(alpha, gamma)
    assert 1 <= tokens <= gamma + 1
    if alpha == 1:
        assert tokens == gamma + 1
    if alpha == 0 or gamma == 0:
        assert tokens == 1
    if alpha < 1:
        assert tokens == pytest.approx((1 - alpha ** (gamma + 1)) / (1 - alpha), rel=1e-9)


@pytest.mark.parametrize("alpha, gamma", [(0.5, 3), (0.8, 5), (0.95, 12)])
def test_a_simulation_agrees(alpha, gamma):
    passed = np.random.default_rng(7).random((200_000, gamma)) < alpha
    emitted = 1 + np.cumprod(passed, axis=1).sum(1)
    error = emitted.std() / len(emitted) ** 0.5
    assert abs(emitted.mean() - speedup.expected_tokens(alpha, gamma)) < 4 * error
    assert (emitted - 1).mean() / gamma == pytest.approx(speedup.accepted_over_proposed(alpha, gamma), abs=4 * error / gamma)


def test_survival_is_true_where_the_formula_is_not():
    """Half of the places at .95, half at .45 (lesson.md): neither α in the formula gives what really comes."""
    truth = speedup.tokens_of([(0.95**i + 0.45**i) / 2 for i in range(1, 5)])
    reached = np.array([[0.95 ** (i - 1), 0.45 ** (i - 1)] for i in range(1, 5)]).sum(0)
    pooled = float((reached * [0.95, 0.45]).sum() / reached.sum())
    assert pooled == pytest.approx(speedup.alpha_of([(0.95**i + 0.45**i) / 2 for i in range(1, 5)]))
    assert truth == pytest.approx(3.15, abs=0.005)
    assert speedup.expected_tokens(pooled, 4) == pytest.approx(3.30, abs=0.005)
    assert speedup.expected_tokens(0.7, 4) == pytest.approx(2.77, abs=0.005)


def test_the_other_acceptance_rate_misleads_the_formula():
    wrong = speedup.accepted_over_proposed(0.8, 5)
    assert wrong == pytest.approx(0.538, abs=5e-4)
    assert speedup.expected_tokens(wrong, 5) == pytest.approx(2.11, abs=0.005)
    assert speedup.accepted_over_proposed(0.8, 0) is None


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
def test_alpha_is_what_is_counted(alpha):
    assert speedup.alpha_of(speedup.survival(alpha, 7)) == pytest.approx(alpha)
    assert speedup.alpha_of([]) is None


def test_alpha_matters_more_than_c():
    assert gain(0.6, 5, 0.05) == pytest.approx(1.91, abs=0.005) and gain(0.9, 5, 0.05) == pytest.approx(3.75, abs=0.005)


@pytest.mark.parametrize("alpha", [0.05, 0.3, 0.6, 0.9])
@pytest.mark.parametrize("c", [0.02, 0.3, 0.6, 0.95])
@pytest.mark.parametrize("slope", [0.0, 0.1, 0.5])
def test_guessing_helps_exactly_when_one_guess_helps(alpha, c, slope):
    speedups = speedup.curve(speedup.survival(alpha, speedup.MOST_GUESSES), c, speedup.linear_cost(slope))
    assert speedups[0] == 1
    assert (speedup.best_gamma(speedups) > 0) == (speedups[1] > 1)
    assert slope > 0 or (speedups[1] > 1) == (alpha > c)  # Corollary 3.9


def test_the_cost_line_passes_through_the_point_given():
    cost = speedup.linear_cost(speedup.slope_through(5, 1.5))
    assert cost(1) == 1 and cost(6) == pytest.approx(1.5)
    assert speedup.slope_through(0, 1) == 0
    with pytest.raises(BadInput, match="gamma 0"):
        speedup.slope_through(0, 1.2)


@pytest.mark.parametrize(
    "bad", [{"alpha": 1.01}, {"alpha": float("nan")}, {"gamma": -1}, {"gamma": 1001}, {"c": -0.1}, {"v": 0.5}]
)
def test_a_figure_out_of_range_is_named(bad):
    with pytest.raises(BadInput, match=next(iter(bad))):
        speedup.check(**bad)


def test_a_wider_pass_that_seems_cheaper_was_timed_on_a_busy_machine():
    assert speedup.falls([1.0, 1.2, 2.36, 0.93]) and speedup.falls([1.0, 0.8])
    assert not speedup.falls([1.0, 0.97, 1.1, 1.02]) and not speedup.falls([1.0])
