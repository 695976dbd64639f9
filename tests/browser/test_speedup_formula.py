"""The JavaScript twin of specviz/speedup.py over a grid with its edges, and the questions. A real browser, no server."""

import itertools

import numpy as np
import pytest

from specviz import speedup
from specviz.ui.components.speedup import MOST_PLACES, PURE, source

SCRIPTS = source(*PURE)
ALPHAS = [0.0, 1e-12, 0.05, 0.3, 0.45, 0.6, 0.8, 0.95, 0.999999, 1.0]
GAMMAS = [0, 1, 2, 5, 20, 64, 1000]
COSTS = [0.0, 0.02, 0.128, 1.0, 7.5]
SLOPES = [0.0, 0.05, 0.7]
GRID = list(itertools.product(ALPHAS, GAMMAS, COSTS, SLOPES))


def test_survival_has_the_same_bits(page):
    cases = list(itertools.product(ALPHAS, GAMMAS))
    theirs = page.evaluate("(cases) => cases.map(([a, g]) => survivalOf(a, g))", cases)
    assert theirs == [speedup.survival(*case) for case in cases]


def test_tokens_and_both_acceptance_rates(page):
    cases = list(itertools.product(ALPHAS, GAMMAS))
    script = """(cases) => cases.map(([a, g]) => {
      const row = survivalOf(a, g);
      return [expectedTokens(a, g), acceptedOverProposed(row), alphaOf(row)];
    })"""
    for (alpha, gamma), (tokens, other, counted) in zip(cases, page.evaluate(script, cases), strict=True):
        assert tokens == pytest.approx(speedup.expected_tokens(alpha, gamma), rel=1e-15)
        ours = speedup.accepted_over_proposed(alpha, gamma)
        assert (other is None) == (ours is None) and (other is None or other == pytest.approx(ours, rel=1e-13, abs=1e-15))
        ours = speedup.alpha_of(speedup.survival(alpha, gamma))
        assert (counted is None) == (ours is None) and (counted is None or counted == pytest.approx(ours, rel=1e-14))


def test_speedup_over_the_grid(page):
    script = "(grid) => grid.map(([a, g, c, s]) => speedupOf(expectedTokens(a, g), g, c, linearCost(s)(g + 1)))"
    ours = [speedup.speedup(speedup.expected_tokens(a, g), g, c, speedup.linear_cost(s)(g + 1)) for a, g, c, s in GRID]
    np.testing.assert_allclose(page.evaluate(script, GRID), ours, rtol=1e-15)


def test_the_curve_and_its_best_gamma_have_the_same_bits(page):
    cases = list(itertools.product(ALPHAS, COSTS, SLOPES))
    script = """(cases) => cases.map(([a, c, s]) => {
      const curve = curveOf(survivalOf(a, MOST_GUESSES), c, linearCost(s));
      return [curve, bestGamma(curve)];
    })"""
    for (alpha, c, slope), (curve, best) in zip(cases, page.evaluate(script, cases), strict=True):
        ours = speedup.curve(speedup.survival(alpha, speedup.MOST_GUESSES), c, speedup.linear_cost(slope))
        assert curve == ours and best == speedup.best_gamma(ours)


def test_the_alpha_that_a_speed_needs(page):
    for alpha, gamma, c in itertools.product([0.1, 0.5, 0.9], [1, 4, 10], [0.0, 0.128]):
        speed = speedup.speedup(speedup.expected_tokens(alpha, gamma), gamma, c, 1.0)
        assert page.evaluate("(x) => alphaFor(...x, 1)", [speed, gamma, c]) == pytest.approx(alpha, abs=1e-9)
    assert page.evaluate("() => [alphaFor(9, 4, 0, 1), alphaFor(0.5, 4, 0, 1)]") == [None, None]


@pytest.mark.parametrize("i, v", [(0, 0.1), (2, 0.9), (4, 0.0), (3, 0.5), (0, 1.0)])
def test_a_dragged_bar_leaves_survival_falling(page, i, v):
    row = [0.8, 0.64, 0.5, 0.4, 0.3]
    after = page.evaluate("([row, i, v]) => shifted(row, i, v)", [row, i, v])
    assert after[i] == v and all(a >= b for a, b in itertools.pairwise(after))
    assert all(new == old for new, old in zip(after[:i], row[:i], strict=True) if old >= v)
    assert all(new == old for new, old in zip(after[i + 1 :], row[i + 1 :], strict=True) if old <= v)


def test_further_places_go_on_like_the_last(page):
    longer = page.evaluate("([row, n]) => lengthened(row, n)", [[0.8, 0.4], MOST_PLACES])
    assert longer[:4] == pytest.approx([0.8, 0.4, 0.2, 0.1]) and len(longer) == MOST_PLACES
    assert page.evaluate("() => lengthened([0.5, 0], 4)") == [0.5, 0, 0, 0]
    assert page.evaluate("() => lengthened([], 3)") == [1, 1, 1]


def test_the_mixture_of_the_lesson(page):
    script = """() => {
      const row = mixtureOf(0.5, 4), alpha = alphaOf(row);
      return [tokensOf(row), expectedTokens(alpha, 4), expectedTokens((EASY + HARD) / 2, 4), givenReached(row)];
    }"""
    truth, pooled, mean, given = page.evaluate(script)
    assert (truth, pooled, mean) == (
        pytest.approx(3.15, abs=0.005),
        pytest.approx(3.30, abs=0.005),
        pytest.approx(2.77, abs=0.005),
    )
    assert given == sorted(given), "whoever got far is likely on easy text"


def walk(page, n, *turns):
    """Whether the answer is found after each of these moves of a slider."""
    script = """([n, turns]) => {
      let task = freshTask(n);
      return turns.map(([name, value]) => { task = turned(task, name, value); return found(task); });
    }"""
    return page.evaluate(script, [n, turns])


def test_the_first_question_is_found_by_going_past_the_best_and_back(page):
    curve = speedup.curve(speedup.survival(0.8, MOST_PLACES), 0.05, speedup.linear_cost(0))
    best = speedup.best_gamma(curve)
    assert walk(page, 1, ["gamma", 3], ["gamma", best]) == [False, False], "the best is not known before what lies beyond"
    assert walk(page, 1, ["gamma", best + 4], ["gamma", best]) == [False, True]


def test_the_second_question_is_found_by_trying_both_one_at_a_time(page):
    assert walk(page, 2, ["alpha", 0.9], ["c", 0.03], ["c", 0.02]) == [False, False, True]
    script = "() => { const t = turned(turned(freshTask(2), 'alpha', 0.9), 'c', 0.02); return [t.alpha, t.c]; }"
    assert page.evaluate(script) == [0.6, 0.02]


def test_the_third_question_is_found_at_half_and_half(page):
    assert walk(page, 3, ["easy", 0.7], ["easy", 0.5]) == [False, True]


def test_the_answers_print_the_figures_of_the_lesson(page):
    first, second, third = (page.evaluate("(n) => answerFacts(freshTask(n))", n) for n in (1, 2, 3))
    assert first["best"] == "8" and float(first["least"]) < float(first["speed"])
    assert (second["five"], second["five_alpha"]) == ("1.91", "3.75")
    assert (second["low"], second["high"]) == ("8", "36")
    assert float(second["alpha"]) > float(second["c"]) > float(second["start"])
    assert (third["high"], third["low"]) == ("0.95", "0.45")


def test_every_slider_step_is_a_value_it_prints(page):
    values = page.evaluate("() => Object.fromEntries(Object.entries(SLIDERS).map(([name, s]) => [name, s.values]))")
    assert values["gamma"] == list(range(MOST_PLACES + 1)) and values["alpha"][0] == 0 and values["alpha"][-1] == 1
    assert {0.02, 0.05, 0.11, 1} <= set(values["c"]) and values["c"] == sorted(values["c"])
    assert page.evaluate("() => [0.02, 0.005, 0.128, 1].map(cost)") == ["0.02", "0.005", "0.128", "1.00"]
    assert page.evaluate("() => [0, 1, 3, 12].map(powerSum)") == ["1", "1 + α", "1 + α + α² + α³", "1 + α + α² + … + α¹²"]


@pytest.mark.parametrize("dragged", [{}, {"c": 0.02}, {"alpha": 0.9}, {"gamma": 7}, {"easy": 0}])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_an_answer_that_is_shown_moves_the_picture_to_what_it_says(page, n, dragged):
    script = """([n, dragged]) => {
      let task = freshTask(n);
      for (const [name, value] of Object.entries(dragged)) if (name in START[n]) task = turned(task, name, value);
      task = revealed(task);
      const now = taskNow(task);
      return [answerFacts(task), figure(speedupOf(tokensOf(now.row), now.gamma, now.c, 1)), figure(now.alpha), now.gamma,
        [figure(bestSpeed(task.most.alpha, START[2].c, 0)), figure(bestSpeed(START[2].alpha, task.most.c, 0))]];
    }"""
    facts, speed, alpha, gamma, bars = page.evaluate(script, [n, dragged])
    if n == 1:
        assert (facts["best"], facts["speed"]) == (str(gamma), speed)
    if n == 2:
        assert facts["alpha"] == speed and [facts["alpha"], facts["c"]] == bars
    if n == 3:
        assert facts["middle"] == alpha


def test_the_third_question_is_answered_at_the_half_and_not_by_a_jump_over_it(page):
    found = "(easy) => found(turned(freshTask(3), 'easy', easy))"
    assert page.evaluate(found, 0.5) and not page.evaluate(found, 0) and not page.evaluate(found, 0.9)
