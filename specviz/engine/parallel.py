"""One pass over several tokens beside a pass for each of them: the same numbers, up to rounding."""

from __future__ import annotations

from time import perf_counter

import torch

from specviz import sampling
from specviz.engine.drafters.model import ModelDrafter
from specviz.engine.pairs import Pair
from specviz.errors import BadInput
from specviz.sampling import Purpose
from specviz.settings import Settings

SHOWN = 3  # tokens of every place


def compare(pair: Pair, prompt: str, settings: Settings) -> dict:
    """Read the last token of `prompt` and γ guesses after it once in one pass and once in γ + 1 passes.

    {"guesses": [text], "places": [{"after", "tokens": [[text, p in one pass, p in a pass of its own]]}], "largest_logit",
    "largest_p": the largest differences over the whole vocabulary, "one_ms", "serial_ms"}. BadInput without a draft, or
    where prompt and guesses do not fit.
    """
    if pair.draft is None:
        raise BadInput("no_draft")
    ids = pair.speller.encode(prompt, settings.chat)
    context = min(pair.target.context, pair.draft.context)
    if len(ids) + settings.gamma >= context:
        raise BadInput("prompt_too_long", tokens=len(ids), context=context)
    guesses = _guesses(pair, ids, settings)
    new = [ids[-1], *guesses]
    one, one_ms = _read(pair.target, ids[:-1], [new])
    serial, serial_ms = _read(pair.target, ids[:-1], [[id] for id in new])
    p, other = (sampling.probabilities(rows, settings.temperature) for rows in (one, serial))
    places = []
    for i, top in enumerate((-p).argsort(-1, stable=True)[:, :SHOWN].tolist()):
        tokens = [[pair.speller.piece(id).text, float(p[i, id]), float(other[i, id])] for id in top]
        places.append({"after": pair.speller.piece(new[i]).text, "tokens": tokens})
    return {
        "guesses": [pair.speller.piece(id).text for id in guesses],
        "places": places,
        "largest_logit": float((one - serial).abs().max()),
        "largest_p": float(abs(p - other).max()),
        "one_ms": one_ms,
        "serial_ms": serial_ms,
    }


def _guesses(pair, ids, settings):
    drafter = ModelDrafter(pair.draft, settings.sampling)
    drafter.begin(ids)

    def draw(q, position):
        u = sampling.uniform(settings.seed, position, Purpose.DRAFT) if settings.temperature > 0 else None
        return sampling.draw(q, u)

    return drafter.propose(settings.gamma, draw).tokens


def _read(model, before, passes) -> tuple[torch.Tensor, float]:
    """Logits (k, V) after every token of `passes`, and the milliseconds they took."""
    slots = model.slots()
    if before:
        model.forward(before, slots, rows=1)
    started = perf_counter()
    rows = [model.forward(ids, slots) for ids in passes]
    return torch.cat(rows), (perf_counter() - started) * 1e3
