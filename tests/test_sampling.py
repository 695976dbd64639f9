"""Logits to probabilities to tokens."""

import numpy as np
import pytest
import torch
from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from specviz import sampling
from specviz.errors import BadInput
from specviz.sampling import Purpose

LOGITS = np.random.default_rng(5).normal(size=(6, 40)).astype(np.float32) * 3


@pytest.mark.parametrize("temperature", [0.3, 1.0, 2.0])
@pytest.mark.parametrize("top_k", [0, 1, 5, 39, 40, 99])
@pytest.mark.parametrize("top_p", [0.1, 0.6, 0.95, 1.0])
def test_processing_is_that_of_transformers(temperature, top_k, top_p):
    scores = TemperatureLogitsWarper(temperature)(None, torch.tensor(LOGITS))
    scores = TopKLogitsWarper(top_k)(None, scores) if top_k else scores
    scores = TopPLogitsWarper(top_p)(None, scores) if top_p < 1 else scores
    ours = sampling.probabilities(LOGITS, temperature, top_k, top_p)
    assert np.allclose(ours, scores.softmax(-1).numpy(), atol=1e-6)


@pytest.mark.parametrize("top_k, top_p", [(0, 1.0), (3, 1.0), (0, 0.7), (4, 0.5)])
def test_numpy_and_torch_agree(top_k, top_p):
    ours = sampling.probabilities(LOGITS, 0.8, top_k, top_p)
    theirs = sampling.probabilities(torch.tensor(LOGITS), 0.8, top_k, top_p)
    assert theirs.dtype == np.float32
    assert np.allclose(ours, theirs, atol=1e-7)


@pytest.mark.parametrize("of", [np.array, torch.tensor])
@pytest.mark.parametrize("top_p", [1e-46, 1e-300])
def test_the_most_probable_token_stays_however_small_top_p_is(of, top_p):
    rows = np.asarray(sampling.probabilities(of(LOGITS), top_p=top_p))
    assert (rows.argmax(-1) == LOGITS.argmax(-1)).all() and (rows.max(-1) == 1).all()


def test_temperature_zero_is_an_exact_one_hot_at_the_first_largest():
    rows = sampling.probabilities(np.array([[1.0, 3.0, 3.0]]), temperature=0)
    assert rows.tolist() == [[0.0, 1.0, 0.0]]


def test_low_precision_logits_are_lifted_to_float32_and_float64_stays():
    assert sampling.probabilities(torch.tensor(LOGITS).bfloat16()).dtype == np.float32
    assert sampling.probabilities(LOGITS.astype(np.float64)).dtype == np.float64


@pytest.mark.parametrize("of", [np.array, torch.tensor])
def test_a_token_of_probability_zero_is_never_drawn(of):
    row = of([0.0, 0.4, 0.0, 0.6, 0.0])
    assert {sampling.draw(row, u) for u in (0.0, 0.2, 0.39999, 0.4, 0.7, 1 - 2**-53)} == {1, 3}
    assert sampling.draw(row, 0.0) == 1 and sampling.draw(row, 1 - 2**-53) == 3


@pytest.mark.parametrize("of", [np.array, torch.tensor])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("temperature", [0, 0.5, 1])
def test_logits_that_are_no_numbers_are_refused(of, bad, temperature):
    with pytest.raises(BadInput, match="not numbers"):
        sampling.probabilities(of([[0.5, 1.0], [0.5, bad]]), temperature)


def test_draw_is_the_inverse_of_the_cumulative_sum():
    p = np.array([0.1, 0.2, 0.3, 0.4])
    u = (np.arange(10_000) + 0.5) / 10_000
    assert np.bincount([sampling.draw(p, x) for x in u]).tolist() == [1000, 2000, 3000, 4000]


def test_uniforms_are_distinct_and_uniform_and_depend_on_every_key():
    keys = [(s, at, purpose, child) for s in range(5) for at in range(200) for purpose in Purpose for child in range(2)]
    us = np.array([sampling.uniform(*key) for key in keys])
    assert len(set(us)) == len(us) and (us >= 0).all() and (us < 1).all()
    steps = np.sort(us) - (np.arange(len(us)) + 0.5) / len(us)
    assert np.abs(steps).max() < 1.63 / len(us) ** 0.5  # Kolmogorov-Smirnov, p = 0.01; the draws never change


def test_a_uniform_is_a_pure_function_of_its_key():
    assert sampling.uniform(7, 3, Purpose.FIX) == sampling.uniform(7, 3, Purpose.FIX)
    assert sampling.uniform(2**63 - 1, 10**9, Purpose.DRAFT) < 1
