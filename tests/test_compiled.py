"""What is compiled says what NumPy says in more words."""

import numpy as np
import pytest
from numba import float64
from numba.core.registry import CPUDispatcher

from specviz import compiled

SIZES = [1, 5, 63, 64, 65, 128, 200, 5931]
PRECISIONS = [np.float32, np.float64]


def rows(size, kind, count=20):
    """Pairs of rows of chances, most of them next to nothing and some of them nothing at all."""
    rng = np.random.default_rng(size)
    for _ in range(count):
        p, q = (rng.dirichlet(np.full(size, 0.05)) for _ in "pq")
        q[rng.random(size) < 0.3] = 0.0
        p[rng.random(size) < 0.3] = 0.0
        p[rng.integers(size)] = 0.5
        yield p.astype(kind), q.astype(kind)


@pytest.mark.parametrize("kind", PRECISIONS)
@pytest.mark.parametrize("size", SIZES)
def test_a_draw_is_the_inverse_of_the_cumulative_sum(size, kind):
    for p, _ in rows(size, kind):
        heights = p.cumsum(dtype=np.float64)
        for u in np.random.default_rng(size).random(20):
            assert compiled.drawn(p, u) == heights.searchsorted(u * heights[-1], side="right")


@pytest.mark.parametrize("kind", PRECISIONS)
def test_the_ends_of_the_line_are_tokens_with_a_chance(kind):
    for before in (0, 1, 63, 64, 130):
        for behind in (0, 1, 64, 200):
            p = np.array([0.0] * before + [0.25, 0.5, 0.25] + [0.0] * behind, kind)
            assert compiled.drawn(p, 0.0) == before
            assert compiled.drawn(p, 1 - 2**-53) == before + 2 and compiled.drawn(p / 3, 1 - 2**-53) == before + 2
            assert compiled.drawn(p, 0.25) == before + 1 and compiled.drawn(p, np.nextafter(0.25, 0)) == before


@pytest.mark.parametrize("bad", [[0.0, 0.0], [np.nan, 1.0], [np.inf, 1.0], []])
@pytest.mark.parametrize("kind", PRECISIONS)
def test_nothing_is_drawn_where_there_is_nothing_to_draw_from(kind, bad):
    assert compiled.drawn(np.array(bad, kind), 0.5) == -1


@pytest.mark.parametrize("kind", PRECISIONS)
@pytest.mark.parametrize("size", SIZES)
def test_the_tallest_fall_and_of_equals_the_smaller_id_comes_first(size, kind):
    for p, q in rows(size, kind):
        p, q = p.round(2), q.round(2)  # there are ties
        ids = np.full(8, -7)
        count = compiled.tallest(p, q, ids)
        heights = np.maximum(p, q)
        order = np.argsort(-heights, kind="stable")
        assert ids[:count].tolist() == order[heights[order] > 0][:8].tolist()


@pytest.mark.parametrize("kind", PRECISIONS)
@pytest.mark.parametrize("size", SIZES)
def test_the_others_are_summed_apart_by_which_side_is_larger(size, kind):
    for p, q in rows(size, kind):
        shown = np.random.default_rng(size).permutation(size)[: min(size, 9)]
        other = ~np.isin(np.arange(size), shown)
        sides = other & (q > p), other & (q <= p)
        wanted = [row[side].sum(dtype=np.float64) for side in sides for row in (p, q)]
        assert compiled.others(p, q, shown) == pytest.approx(wanted, abs=1e-13)


def test_where_all_are_shown_nothing_is_left_over():
    p = np.array([0.1, 0.2, 0.7])
    assert compiled.others(p, p[::-1].copy(), np.array([2, 0, 1])) == (0.0, 0.0, 0.0, 0.0)


def test_a_uniform_is_the_first_word_of_numpy_s_philox():
    rng = np.random.default_rng(1)
    for _ in range(300):
        key, *counter = (int(rng.integers(2**63)) for _ in range(4))
        wanted = np.random.Philox(key=key, counter=[0, *counter]).random_raw()
        assert int(compiled.philox(key, *counter)) == wanted


def test_where_nothing_can_be_kept_it_is_compiled_all_the_same(monkeypatch):
    def nowhere(dispatcher):
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(CPUDispatcher, "enable_caching", nowhere)
    again = compiled._compiled(float64, None)(lambda p: p[0])
    assert again(np.array([0.5])) == 0.5
