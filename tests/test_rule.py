"""The rule alone: known answers, and the theorem for any p and q."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from specviz import rule

masses = st.lists(st.one_of(st.just(0.0), st.floats(1e-12, 1.0)), min_size=2, max_size=8)


def law(values):
    row = np.array(values)
    return row / row.sum()


@st.composite
def two_laws(draw):
    p = draw(masses.filter(any))
    q = draw(st.lists(st.one_of(st.just(0.0), st.floats(1e-12, 1.0)), min_size=len(p), max_size=len(p)).filter(any))
    return law(p), law(q)


@given(two_laws())
def test_output_law_is_the_target(laws):
    p, q = laws
    assert np.abs(rule.output_law(p, q) - p).max() < 1e-12


@given(two_laws())
def test_beta_is_one_minus_the_distance(laws):
    p, q = laws
    assert rule.beta(p, q) == pytest.approx(1 - rule.total_variation(p, q), abs=1e-12)


@given(two_laws())
def test_overlap_and_deficit_tile_p(laws):
    p, q = laws
    assert np.abs(rule.overlap(p, q) + rule.deficit(p, q) - p).max() < 1e-15


def test_a_softmax_q_is_not_tested_as_if_it_were_greedy():
    p, q = np.array([0.6, 0.4]), np.array([0.8, 0.2])
    assert rule.output_law(p, q) == pytest.approx([0.6, 0.4], abs=1e-15)
    assert rule.beta(p, q) == pytest.approx(0.8)


def test_residual_is_normalised_not_put_through_softmax():
    assert rule.residual(np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.6, 0.3])).tolist() == [1.0, 0.0, 0.0]


def test_equal_laws_always_accept_and_never_divide_by_zero():
    p = np.array([0.25, 0.75, 0.0])
    assert all(rule.accepts(0.999999, x, x) for x in p[:2])
    assert rule.residual(p, p).tolist() == p.tolist()


def test_what_the_target_never_says_is_never_accepted():
    assert not rule.accepts(0.0, 0.0, 0.5)


def test_numpy_and_torch_are_the_same_function():
    rng = np.random.default_rng(0)
    p, q = law(rng.random(50)), law(rng.random(50))
    for function in (rule.overlap, rule.deficit, rule.residual, rule.output_law):
        theirs = function(torch.tensor(p), torch.tensor(q)).numpy()
        assert np.allclose(function(p, q), theirs, rtol=0, atol=1e-15)
    assert rule.beta(p, q) == pytest.approx(rule.beta(torch.tensor(p), torch.tensor(q)), abs=1e-15)
