"""Guesses out of the text itself: the longest match, the most recent one, one-hot q."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax

from specviz.engine import writing
from specviz.engine.drafters.lookup import LONGEST, SHORTEST, LookupDrafter
from specviz.settings import Settings

VOCAB = 50


def guesses(ids, gamma=4, **options) -> list[int]:
    drafter = LookupDrafter(VOCAB, **options)
    drafter.begin(ids)
    return drafter.propose(gamma, draw=None).tokens


def searched(ids, gamma, longest=LONGEST, shortest=SHORTEST) -> list[int]:
    """The same by walking backwards over everything, the slow and plain way."""
    for n in range(min(longest, len(ids) - 1), shortest - 1, -1):
        for end in range(len(ids) - 1, n - 1, -1):
            if ids[end - n : end] == ids[-n:]:
                text = list(ids)
                for place in range(end, end + gamma):
                    text.append(text[place])
                return text[len(ids) :]
    return []


def test_what_followed_is_copied():
    assert guesses([5, 6, 7, 8, 9, 10, 3, 5, 6]) == [7, 8, 9, 10]


def test_the_longest_match_wins_over_a_later_one():
    assert guesses([1, 2, 3, 30, 9, 2, 3, 40, 9, 1, 2, 3], gamma=1) == [30]


def test_of_equal_matches_the_most_recent_wins():
    assert guesses([2, 3, 30, 9, 2, 3, 40, 8, 2, 3], gamma=1) == [40]


def test_a_match_that_reaches_its_own_copy_goes_on_repeating():
    assert guesses([1, 2, 1, 2, 1, 2], gamma=5) == [1, 2, 1, 2, 1]


@pytest.mark.parametrize("ids", [[1], [1, 2], [1, 2, 3, 4], [7, 7]])
def test_without_a_match_nothing_is_guessed(ids):
    assert guesses(ids) == []


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60), st.integers(1, 6))
def test_the_index_finds_what_a_search_finds(ids, gamma):
    drafter = LookupDrafter(4)
    drafter.begin(ids[:1])
    for id in ids[1:]:
        drafter.commit([id])
    assert drafter.propose(gamma, draw=None).tokens == searched(ids, gamma)


def test_q_is_one_hot():
    drafter = LookupDrafter(VOCAB)
    drafter.begin([5, 6, 7, 5, 6])
    draft = drafter.propose(2, draw=None)
    assert np.array_equal(draft.q, np.eye(VOCAB, dtype=np.float32)[[7, 5]])
    assert np.array_equal(softmax(draft.logits, -1), draft.q)


@pytest.mark.parametrize("seed", [0, 1])
def test_at_temperature_zero_the_text_is_that_of_plain_decoding(pair, seed):
    settings = Settings(gamma=5, temperature=0.0, max_new_tokens=60, seed=seed, drafter="lookup")
    *_, ours = writing.write(pair, "moon moon moon", settings)
    *_, plain = writing.write(pair, "moon moon moon", replace(settings, gamma=0))
    assert ours.output_ids == plain.output_ids
    assert any(guess.verdict == "accepted" for r in ours.rounds for guess in r.draft), "or nothing was put to the test"


def test_no_draft_model_is_needed(pair):
    alone = replace(pair, draft=None)
    *_, trace = writing.write(alone, "moon moon", Settings(gamma=3, max_new_tokens=20, drafter="lookup"))
    assert len(trace.output_ids) == 20 or trace.finish_reason == "eos"
    assert {guess.q for r in trace.rounds for guess in r.draft} <= {1.0}
