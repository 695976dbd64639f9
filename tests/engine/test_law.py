"""The law of whole texts, exactly: every path the engine can take is walked and weighed, nothing is sampled."""

from collections import defaultdict
from itertools import product

import numpy as np
import pytest

from specviz import rule, sampling
from specviz.engine import loop
from specviz.engine.drafters.model import ModelDrafter
from specviz.engine.loop import Run
from specviz.engine.record import Recorder
from specviz.settings import Settings
from tests.fakes import Letters, TableModel

PROMPT = [0]
TOKENS = 3


class Oracle:
    """Stands in for chance: follows a path of choices, notes how many there were and how likely the path is."""

    def __init__(self, path):
        self.path, self.at, self.weight, self.widths = path, 0, 1.0, []

    def _choose(self, weights):
        options = [i for i, w in enumerate(weights) if w > 0]
        pick = self.path[self.at] if self.at < len(self.path) else 0
        self.widths.append(len(options))
        self.at += 1
        self.weight *= weights[options[pick]]
        return options[pick]

    def draw(self, row, u):
        row = np.asarray(row, dtype=np.float64)
        return self._choose(row / row.sum())

    def accepts(self, u, p_x, q_x):
        chance = min(1.0, p_x / q_x)
        return self._choose([1 - chance, chance]) == 1


def exact_law(monkeypatch, gamma, settings=None, eos=(), residual=rule.residual, accepts=None, draft_draw=None, vocab=3):
    """Text -> probability, by walking every path of the engine depth first."""
    settings = settings or Settings(gamma=gamma, max_new_tokens=TOKENS)
    target, draft = TableModel(vocab, seed=1), TableModel(vocab, seed=2)
    law, path = defaultdict(float), []
    while True:
        oracle = Oracle(path)
        monkeypatch.setattr(loop, "draw", oracle.draw)
        monkeypatch.setattr(loop.rule, "accepts", accepts(oracle) if accepts else oracle.accepts)
        monkeypatch.setattr(loop.rule, "residual", residual)
        if draft_draw:
            monkeypatch.setattr(Run, "_draw_guess", lambda self, q, at: draft_draw(q))
        drafter = ModelDrafter(draft, settings.sampling) if gamma else None
        run = Run(target, drafter, PROMPT, settings, Recorder(Letters(eos), soft=False), frozenset(eos))
        run.first()
        list(run.rounds())
        law[tuple(run.ending.ids)] += oracle.weight
        path = (path + [0] * len(oracle.widths))[: len(oracle.widths)]
        while path and path[-1] + 1 == oracle.widths[len(path) - 1]:
            path.pop()
        if not path:
            return law
        path[-1] += 1


def target_law(settings, eos=(), vocab=3):
    """What the target alone says, by multiplying its own probabilities."""
    target, law = TableModel(vocab, seed=1), {}
    for text in product(range(vocab), repeat=settings.max_new_tokens):
        ids, weight = list(PROMPT), 1.0
        for x in text:
            weight *= sampling.probabilities(target.logits(ids)[None], **settings.sampling)[0][x]
            ids.append(x)
            if x in eos:
                break
        law[tuple(ids[len(PROMPT) :])] = weight
    return law


def distance(law, other):
    return sum(abs(law.get(t, 0) - other.get(t, 0)) for t in set(law) | set(other)) / 2


@pytest.mark.parametrize("gamma", [0, 1, 2, 5])
def test_output_law_is_the_target(monkeypatch, gamma):
    settings = Settings(gamma=gamma, max_new_tokens=TOKENS)
    assert distance(exact_law(monkeypatch, gamma), target_law(settings)) < 1e-12


@pytest.mark.parametrize("changes", [{"temperature": 0.4}, {"temperature": 1.7}, {"top_k": 2}, {"top_p": 0.7}])
def test_output_law_is_the_target_under_any_processing(monkeypatch, changes):
    settings = Settings(gamma=2, max_new_tokens=TOKENS, **changes)
    assert distance(exact_law(monkeypatch, 2, settings), target_law(settings)) < 1e-12


@pytest.mark.parametrize("gamma", [1, 3])
def test_output_law_is_the_target_when_the_text_may_end_early(monkeypatch, gamma):
    settings = Settings(gamma=gamma, max_new_tokens=TOKENS)
    assert distance(exact_law(monkeypatch, gamma, eos=(2,)), target_law(settings, eos=(2,))) < 1e-12


def test_output_law_is_the_target_over_several_rounds(monkeypatch):
    settings = Settings(gamma=2, max_new_tokens=5)
    law = exact_law(monkeypatch, 2, settings, vocab=2)
    assert distance(law, target_law(settings, vocab=2)) < 1e-12


WRONG = {
    "the fix is drawn from p, not from the residual": {"residual": lambda p, q: p},
    "the residual goes through a softmax": {"residual": lambda p, q: rule.deficit(p, q).softmax(-1)},
    "everything is accepted": {"accepts": lambda oracle: lambda u, p, q: True},
    "accepted iff p > q/2": {"accepts": lambda oracle: lambda u, p, q: p > q / 2},
    "greedy guesses are tested against their softmax q": {"draft_draw": lambda q: int(q.argmax())},
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_rule_is_found_out(monkeypatch, name):
    settings = Settings(gamma=2, max_new_tokens=TOKENS)
    assert distance(exact_law(monkeypatch, 2, **WRONG[name]), target_law(settings)) > 0.01
