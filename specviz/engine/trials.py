"""The engine on trial: its own rule at one real position, and its own loop over whole short texts.

Both yield a growing report as plain data, ready for a screen; the verdicts are `specviz.court`'s.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import torch

from specviz import court, rule, sampling
from specviz.engine import drafters, toy
from specviz.engine.columns import SHOWN, column
from specviz.engine.drafters.model import ModelDrafter
from specviz.engine.loop import Run
from specviz.engine.pairs import Pair
from specviz.engine.record import Recorder
from specviz.errors import BadInput
from specviz.sampling import Purpose, draw, uniform
from specviz.settings import Settings

BATCH = 2_000  # throws between two reports


def rows_after(pair: Pair, prompt: str, settings: Settings) -> tuple[np.ndarray, np.ndarray, int]:
    """p and q of the token that follows `prompt`, in float64 over the whole vocabulary, and its position.

    q is that of whoever the settings let guess; BadInput nothing_found where it has no guess to make.
    """
    ids = pair.speller.encode(prompt, settings.chat)
    drafter = drafters.new(pair, replace(settings, gamma=1))
    context = min(pair.target.context, drafter.context)
    if len(ids) >= context:
        raise BadInput("prompt_too_long", tokens=len(ids), context=context)
    slots = pair.target.slots()
    if len(ids) > 1:
        pair.target.forward(ids[:-1], slots, rows=1)
    drafter.begin(ids, slots)
    guessed = drafter.propose(1, lambda q, position: int(q.argmax()))
    if not guessed.tokens:
        raise BadInput("nothing_found")
    logits = pair.target.forward(ids[-1:], slots)[0], torch.as_tensor(guessed.logits[0])
    p, q = (sampling.probabilities(row[None].double().cpu(), **settings.sampling)[0] for row in logits)
    return p, q, len(ids)


def emit(p, q, seed: int, position: int, throw: int) -> int:
    """One token of the engine's rule at one position: guess, judge, fix, each with its own uniform."""
    x = draw(q, uniform(seed, position, Purpose.DRAFT, throw))
    if rule.accepts(uniform(seed, position, Purpose.ACCEPT, throw), float(p[x]), float(q[x])):
        return x
    return draw(rule.residual(p, q), uniform(seed, position, Purpose.FIX, throw))


def position_trial(pair: Pair, prompt: str, settings: Settings, throws: int) -> Iterator[dict]:
    """Throw the engine's rule at the place after `prompt`; a report every BATCH throws.

    tokens, p, q, frequencies: of the tokens of largest max(p, q). rest: all others in two sums, those with q > p (over)
    and with p ≥ q (under); only so does Σ min(p, q) of the columns stay exact.
    """
    p, q, position = rows_after(pair, prompt, settings)
    top = [id for id, _, _ in column(p, q, [int(p.argmax())]).top]
    others = np.ones(len(p), dtype=bool)
    others[top] = False
    sides = {"over": others & (q > p), "under": others & (q <= p)}
    report = {
        "tokens": [pair.speller.piece(id).text for id in top],
        "p": p[top].tolist(),
        "q": q[top].tolist(),
        "beta": rule.beta(p, q),
        "law_error": float(abs(rule.output_law(p, q) - p).max()),
        "vocabulary": len(p),
        "wanted": throws,
    }
    counts = np.zeros(len(p), dtype=np.int64)
    for start in range(0, throws, BATCH):
        for i in range(start, min(start + BATCH, throws)):
            counts[emit(p, q, settings.seed, position, i)] += 1
        done = int(counts.sum())
        yield {
            **report,
            "throws": done,
            "frequencies": (counts[top] / done).tolist(),
            "rest": {name: _together(side, p=p, q=q, frequency=counts / done) for name, side in sides.items()},
            "tv": float(np.abs(counts / done - p).sum() / 2),
            "tv_by_chance": court.tv_by_chance(p, done, repeats=60),
            "p_value": court.g_test(counts, p),
        }


def text_trial(throws: int, seed: int, vocab: int = 4, tokens: int = 3, gamma: int = 2) -> Iterator[dict]:
    """Write `throws` texts of a few tokens with the whole engine (drafter, cache, bonus) on a toy vocabulary, against
    the target's exact law of texts, a report every BATCH / 4 texts; `rest` sums the texts that are not shown."""
    target, draft = toy.TableModel(vocab, seed=1), toy.TableModel(vocab, seed=2)
    settings = Settings(gamma=gamma, max_new_tokens=tokens)
    law = toy.text_law(target, [0], settings)
    texts = sorted(law, key=law.get, reverse=True)
    index = {text: i for i, text in enumerate(texts)}
    p = np.array([law[text] for text in texts])
    counts = np.zeros(len(p), dtype=np.int64)
    recorder = Recorder(toy.Letters(), soft=False)
    others = np.arange(len(p)) >= SHOWN
    for start in range(0, throws, BATCH // 4):
        for i in range(start, min(start + BATCH // 4, throws)):
            one = replace(settings, seed=seed * 1_000_003 + i)
            run = Run(target, ModelDrafter(draft, one.sampling), [0], one, recorder, frozenset())
            run.first()
            for _ in run.rounds():
                pass
            counts[index[tuple(run.ending.ids)]] += 1
        done = int(counts.sum())
        yield {
            "tokens": ["".join(chr(97 + x) for x in text) for text in texts[:SHOWN]],
            "p": p[:SHOWN].tolist(),
            "frequencies": (counts[:SHOWN] / done).tolist(),
            "rest": {"texts": _together(others, p=p, frequency=counts / done)},
            "texts": len(texts),
            "throws": done,
            "wanted": throws,
            "tv": float(np.abs(counts / done - p).sum() / 2),
            "tv_by_chance": court.tv_by_chance(p, done, repeats=60),
            "p_value": court.g_test(counts, p),
        }


def _together(which, **rows) -> dict:
    """How many outcomes these are, and the sum of every row over them."""
    return {"count": int(which.sum()), **{name: float(row[which].sum()) for name, row in rows.items()}}
