"""The choices in vector form are the choices of the loop."""

import numpy as np
import pytest
import torch

from specviz import rule, sampling
from specviz.engine import vector
from specviz.errors import BadInput

PROCESSING = [
    {},
    {"temperature": 0},
    {"temperature": 0.7},
    {"temperature": 1.7, "top_k": 5},
    {"top_k": 1},
    {"top_k": 40},
    {"top_p": 0.6},
    {"top_p": 1e-46},
    {"temperature": 0.5, "top_k": 7, "top_p": 0.8},
]
KINDS = ("equal", "near", "far", "sparse")
ALMOST_ONE = 1 - 2**-53


def rows(rng, kind, count, vocab=40):
    """p (count + 1, V) and q (count, V), in float32: the same, strangers, neighbours, or mostly zeros."""
    logits = torch.tensor(rng.normal(size=(count + 1, vocab)) * 2, dtype=torch.float32)
    other = {
        "equal": logits,
        "near": logits + torch.tensor(rng.normal(size=logits.shape) * 0.3, dtype=torch.float32),
    }.get(kind, torch.tensor(rng.normal(size=logits.shape) * 2, dtype=torch.float32))
    how = {"top_k": 3} if kind == "sparse" else {}
    return tuple(torch.from_numpy(sampling.probabilities(side, **how)) for side in (logits, other[:count]))


def judged_one_by_one(p, q, tokens, u_accept, u_fix):
    """(accepted, fix, residual, massless) as loop._round and loop._fix find them."""
    for i, x in enumerate(tokens):
        if not rule.accepts(0.0 if u_accept is None else u_accept[i], float(p[i, x]), float(q[i][x])):
            wanted = p[i].numpy()
            row = rule.residual(wanted, q[i].numpy())
            return i, sampling.draw(row, u_fix and u_fix[i]), True, row is wanted
    last = len(tokens)
    return last, sampling.draw(p[last], u_fix and u_fix[last]), False, False


def judged_at_once(p, q, tokens, u_accept, u_fix):
    us = (None if u is None else torch.tensor(u, dtype=torch.float64) for u in (u_accept, u_fix))
    return tuple(found.item() for found in vector.judge(p, q, torch.tensor(tokens, dtype=torch.long), *us))


@pytest.mark.parametrize("processing", PROCESSING, ids=str)
def test_rows_are_those_of_the_loop_to_the_last_bit(processing):
    rng = np.random.default_rng(1)
    for _ in range(40):
        logits = torch.tensor(rng.normal(size=(5, 40)).round(1) * 3, dtype=torch.float32)  # rounded: there are ties
        assert np.array_equal(vector.probabilities(logits, **processing), sampling.probabilities(logits, **processing))


def test_low_precision_is_lifted_and_what_a_model_cannot_say_stays_impossible():
    logits = torch.tensor([[1.0, 2.0, -torch.inf]])
    for processing in PROCESSING:
        p = vector.probabilities(logits.bfloat16(), **processing)
        assert p.dtype == torch.float32 and p[0, 2] == 0 and vector.sound(p)


@pytest.mark.parametrize("bad", [torch.nan, torch.inf])
@pytest.mark.parametrize("processing", PROCESSING, ids=str)
def test_logits_that_are_no_numbers_are_told_where_the_loop_refuses_them(bad, processing):
    logits = torch.zeros(3, 50)
    assert vector.sound(vector.probabilities(logits, **processing), logits[:0])
    logits[1, 7] = bad
    assert not vector.sound(vector.probabilities(logits, **processing))
    with pytest.raises(BadInput):
        sampling.probabilities(logits, **processing)


def test_draws_are_those_of_the_loop():
    rng = np.random.default_rng(2)
    for kind in ("far", "sparse"):
        p, _ = rows(rng, kind, 999)
        u = torch.tensor(rng.random(1000))
        assert vector.draw(p, u).tolist() == [sampling.draw(row, float(x)) for row, x in zip(p, u, strict=True)]
        assert torch.equal(vector.draw(p, None), p.argmax(-1))


def test_edges_of_a_draw_are_those_of_the_loop():
    """At and around every step of the sum, at its ends, with impossible tokens before, between and behind."""
    p = torch.tensor([0.0, 0.0, 0.25, 0.0, 0.5, 0.125, 0.125, 0.0, 0.0])
    steps = [0.0, 0.25, 0.75, 0.875]
    us = [u for step in steps for u in (np.nextafter(step, 0), step, np.nextafter(step, 1))] + [5e-324, ALMOST_ONE]
    for scale in (1.0, 0.3, 1e-30):
        found = vector.draw((p * scale).expand(len(us), -1), torch.tensor(us)).tolist()
        assert found == [sampling.draw(p * scale, u) for u in us] and set(found) == {2, 4, 5, 6}


def test_sums_made_out_of_order_draw_nothing_impossible(monkeypatch):
    """A GPU adds up in blocks: behind a block the sum may be a hair higher or lower than before it, without any chance."""
    heights = torch.tensor([[0.25, 0.25 + 1e-16, 0.5, 0.5 - 1e-16, 1.0 - 1e-16, 1.0]], dtype=torch.float64)
    p = torch.tensor([[0.25, 0.0, 0.25, 0.0, 0.5, 0.0]])
    monkeypatch.setattr(torch.Tensor, "cumsum", lambda *_, **__: heights)
    us = [0.0, 0.25 - 1e-17, 0.25, 0.25 + 1e-16, 0.5 - 1e-16, 0.5, 1 - 2e-16, ALMOST_ONE]
    assert {int(vector.draw(p, torch.tensor([u], dtype=torch.float64))) for u in us} == {0, 2, 4}


@pytest.mark.parametrize("kind", KINDS)
def test_judging_is_that_of_the_loop_in_thousands_of_rounds(kind):
    rng = np.random.default_rng(sum(map(ord, kind)))
    seen = set()
    for turn in range(800):
        gamma = turn % 7
        p, q = rows(rng, kind, gamma)
        tokens = [sampling.draw(row, rng.random()) for row in q]
        u_accept, u_fix = rng.random(gamma).tolist(), rng.random(gamma + 1).tolist()
        found = judged_at_once(p, q, tokens, u_accept, u_fix)
        assert found == judged_one_by_one(p, q, tokens, u_accept, u_fix)
        seen.add((found[0] == gamma, found[2]))
    assert seen == ({(True, False)} if kind == "equal" else {(True, False), (False, True)})


@pytest.mark.parametrize("same", [True, False])
def test_judging_at_temperature_zero_is_that_of_the_loop(same):
    rng = np.random.default_rng(4)
    for turn in range(300):
        gamma = turn % 7
        logits = torch.tensor(rng.normal(size=(2, gamma + 1, 6)), dtype=torch.float32)
        p, q = (torch.from_numpy(sampling.probabilities(side, 0)) for side in (logits[0], logits[0 if same else 1]))
        tokens = q[:gamma].argmax(-1).tolist()
        found = judged_at_once(p, q[:gamma], tokens, None, None)
        assert found == judged_one_by_one(p, q[:gamma], tokens, None, None)
        assert found[1] == p[found[0]].argmax() and (found[0] == gamma or not same)


def test_edges_of_judging_are_those_of_the_loop():
    even, never = [0.5, 0.5, 0.0], [0.0, 0.5, 0.5]
    cases = {
        "p is q: accepted by the largest uniform": ([even, even], [even], [0], [ALMOST_ONE], [0.1, 0.9]),
        "p of the guess is 0: rejected by the smallest": ([never, even], [even], [0], [0.0], [0.1, 0.9]),
        "u·q = p: rejected": ([[0.25, 0.75, 0.0], even], [even], [0], [0.5], [0.1, 0.9]),
        "u·q just below p": ([[0.25, 0.75, 0.0], even], [even], [0], [float(np.nextafter(0.5, 0))], [0.1, 0.9]),
        "no guesses": ([even], torch.zeros(0, 3), [], [], [0.7]),
        "rejected before one that would stay": ([even, never, even, even], [even] * 3, [0, 0, 0], [0.1] * 3, [0.2] * 4),
        "no mass in the residual": ([even, even], [[0.9, 0.9, 0.0]], [0], [0.99], [0.6, 0.1]),
    }  # fmt: skip
    for name, (p, q, *others) in cases.items():
        p, q = torch.tensor(p), torch.as_tensor(q)
        found = judged_at_once(p, q, *others)
        assert found == judged_one_by_one(p, q, *others), name
        assert found[3] == ("no mass" in name)


def test_there_is_one_rule(monkeypatch):
    p, q = rows(np.random.default_rng(6), "equal", 4)
    tokens, u = q.argmax(-1).tolist(), [0.5] * 5
    assert judged_at_once(p, q, tokens, u[:4], u)[0] == 4
    monkeypatch.setattr(rule, "accepts", lambda u, p_x, q_x: u > 2)
    assert judged_at_once(p, q, tokens, u[:4], u)[0] == 0


def test_nothing_is_read_in_between():
    """On the meta device there is nothing that could be: whoever asks for a number gets an error."""
    logits = torch.zeros(5, 40, device="meta")
    u = torch.zeros(5, device="meta", dtype=torch.float64)
    with pytest.raises((NotImplementedError, RuntimeError)):
        logits[0, 0].item()
    for processing in PROCESSING:
        p = vector.probabilities(logits, **processing)
        certain = processing.get("temperature") == 0
        tokens = vector.draw(p[:4], None if certain else u[:4])
        found = vector.judge(p, p[:4], tokens, None if certain else u[:4], None if certain else u)
        seen = vector.seen(torch.stack((p, p)), torch.stack((tokens[[0] * 5], tokens[[0] * 5]), -1))
        assert all(part.device.type == "meta" for part in (*found, *seen, vector.sound(p, p[:0])))
