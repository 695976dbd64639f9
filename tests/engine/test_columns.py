"""A few columns of p and q stand for all of them."""

import numpy as np
import pytest
import torch

from specviz import rule
from specviz.engine import columns, vector


def rows(vocab=300, heat=4.0, seed=0, top_k=None):
    rng = np.random.default_rng(seed)
    for _ in range(25):
        logits = rng.normal(size=(2, vocab)) * heat
        if top_k:
            logits[logits < np.sort(logits, -1)[:, -top_k, None]] = -np.inf
        p = np.exp(logits - logits.max(-1, keepdims=True))
        yield (p / p.sum(-1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("how", [{}, {"vocab": 3}, {"top_k": 2}, {"heat": 0.01}], ids=str)
def test_nothing_is_lost_and_the_overlap_stays_exact(how):
    for p, q in rows(**how):
        shown, rest, guess = columns.column(p, q, [1])
        sums = {name: sum(entry[1 + i] for entry in shown) for i, name in enumerate("pq")}
        for name, row in (("p", p), ("q", q)):
            assert sums[name] + rest["over"][name] + rest["under"][name] == pytest.approx(float(row.sum()), abs=1e-6)
        overlap = sum(min(a, b) for _, a, b in shown) + rest["over"]["p"] + rest["under"]["q"]
        assert overlap == pytest.approx(rule.beta(p, q), abs=1e-6)
        assert guess == (float(p[1]), float(q[1]))


def test_what_was_asked_for_is_there_once_however_small_it_is():
    for p, q in rows(top_k=3):
        never = int(np.flatnonzero((p == 0) & (q == 0))[0])
        best = int(np.maximum(p, q).argmax())
        ids = [entry[0] for entry in columns.column(p, q, [never, best]).top]
        assert ids[0] == best and ids[-1] == never and len(set(ids)) == len(ids)
        assert [entry[0] for entry in columns.column(p, q, [never, never]).top].count(never) == 1


def test_a_device_reads_the_same_columns():
    for p, q in rows():
        both = torch.from_numpy(np.stack((p, q)))[:, None]
        ids, shown, over, whole = (part.squeeze().tolist() for part in vector.seen(both, torch.tensor([[5, 9]])))
        top, rest, _ = columns.column(p, q, [5, 9])
        assert ids[: columns.SHOWN] == [entry[0] for entry in top[: columns.SHOWN]]
        assert shown == [[float(row[id]) for id in ids] for row in (p, q)]
        # Those of a device may show a token twice, as one of the tallest and as one that was asked for.
        assert over == pytest.approx([rest["over"][name] for name in "pq"], abs=1e-6)
        assert whole == pytest.approx([rest["over"][name] + rest["under"][name] for name in "pq"], abs=1e-6)


def test_rows_of_two_precisions_are_read_in_the_finer_one():
    p, q = next(rows())
    assert columns.column(p.astype(np.float64), q, [0]) == columns.column(p.astype(np.float64), q.astype(np.float64), [0])
