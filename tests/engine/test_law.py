"""The law of whole texts, exactly: every path the engine can take is walked and weighed, nothing is sampled."""

from collections import defaultdict

import pytest
from scipy.special import softmax

from specviz import court, rule
from specviz.engine import loop
from specviz.engine.drafters.lookup import LookupDrafter
from specviz.engine.drafters.model import ModelDrafter
from specviz.engine.loop import Run
from specviz.engine.record import Recorder
from specviz.engine.toy import text_law
from specviz.settings import Settings
from tests.fakes import Letters, TableModel

PROMPT = [0]
TOKENS = 3


def exact_law(
    monkeypatch, gamma, settings=None, eos=(), residual=rule.residual, accepts=None, draft_draw=None, vocab=3, guesser=None
):
    """Text -> probability, by walking every path the engine's luck can take."""
    settings = settings or Settings(gamma=gamma, max_new_tokens=TOKENS)
    target, draft = TableModel(vocab, seed=1), TableModel(vocab, seed=2)

    def write(path):
        monkeypatch.setattr(loop, "draw", lambda row, u: path.draw(row))
        monkeypatch.setattr(loop.rule, "accepts", accepts or (lambda u, p_x, q_x: path.happens(p_x / q_x)))
        monkeypatch.setattr(loop.rule, "residual", residual)
        if draft_draw:
            monkeypatch.setattr(Run, "_draw_guess", lambda self, q, at: draft_draw(q))
        drafter = guesser(vocab) if guesser else ModelDrafter(draft, settings.sampling) if gamma else None
        run = Run(target, drafter, PROMPT, settings, Recorder(Letters(eos), soft=False), frozenset(eos))
        run.first()
        list(run.rounds())
        return tuple(run.ending.ids)

    law = defaultdict(float)
    for text, weight in court.every_path(write):
        law[text] += weight
    return law


def target_law(settings, eos=(), vocab=3):
    return text_law(TableModel(vocab, seed=1), PROMPT, settings, eos)


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


@pytest.mark.parametrize("changes", [{}, {"temperature": 0.4}, {"top_k": 2}])
def test_output_law_is_the_target_when_the_text_guesses_for_itself(monkeypatch, changes):
    settings = Settings(gamma=2, max_new_tokens=6, drafter="lookup", **changes)
    guessed = []

    class Watched(LookupDrafter):
        def propose(self, gamma, draw):
            draft = super().propose(gamma, draw)
            guessed.append(len(draft.tokens))
            return draft

    law = exact_law(monkeypatch, 2, settings, vocab=2, guesser=lambda vocab: Watched(vocab, shortest=1))
    assert distance(law, target_law(settings, vocab=2)) < 1e-12
    assert max(guessed) == 2, "or nothing was ever guessed"


WRONG = {
    "the fix is drawn from p, not from the residual": {"residual": lambda p, q: p},
    "the residual goes through a softmax": {"residual": lambda p, q: softmax(rule.deficit(p, q))},
    "everything is accepted": {"accepts": lambda u, p, q: True},
    "accepted iff p > q/2": {"accepts": lambda u, p, q: p > q / 2},
    "greedy guesses are tested against their softmax q": {"draft_draw": lambda q: int(q.argmax())},
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_rule_is_found_out(monkeypatch, name):
    settings = Settings(gamma=2, max_new_tokens=TOKENS)
    assert distance(exact_law(monkeypatch, 2, **WRONG[name]), target_law(settings)) > 0.01
