"""What a bundled pair can do, measured after training and written into its model card."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean

from specviz.engine import measure, pairs
from specviz.engine.pairs import Pair
from specviz.settings import Settings
from specviz.training import poems, pretrain, tokens

OPENINGS = 120  # held-out openings on which β is measured; the first 40 are the bench's prompts
TEXT = 64  # tokens written after each


def write(out: Path, texts: poems.Poems, recipe: dict) -> dict:
    """Measure the pair in `out`, write openings.txt, figures.json and README.md there; returns the figures."""
    pair = pairs.load(target=str(out / "target"), draft=str(out / "draft"), device="cpu")
    openings = [poems.opening(poem) for poem in texts.held_out][:: max(1, len(texts.held_out) // OPENINGS)][:OPENINGS]
    (out / "openings.txt").write_text("\n".join(openings[:40]) + "\n", encoding="utf-8")
    held_out = tokens.encode(pair.speller.tokenizer, texts.held_out)
    figures = {
        "held_out_poems": len(held_out),
        "held_out_tokens": sum(len(ids) - 1 for ids in held_out),
        "loss": {side: pretrain.held_out_loss(_module(out / side), held_out) for side in ("target", "draft")},
        "beta": {f"T={t:g}": beta(pair, openings, t) for t in (1.0, 0.6, 0.0)},
        "by_heart": {side: by_heart(pair, side, texts.known) for side in ("target", "draft")},
    }
    (out / "figures.json").write_text(json.dumps(figures, indent=2) + "\n")
    (out / "README.md").write_text(_card(figures, texts, recipe, pair), encoding="utf-8")
    return figures


def beta(pair: Pair, openings: list[str], temperature: float) -> float:
    """Mean Σ min(p, q) over the places of the target's own texts."""
    settings = Settings(temperature=temperature, max_new_tokens=TEXT)
    return mean(b for i, prompt in enumerate(openings) for b in measure.overlaps(pair, prompt, _seeded(settings, i)))


def by_heart(pair: Pair, side: str, known: list[str]) -> dict:
    """Of the best-known poems, given the first clause: the share recited whole by greedy decoding, and the share of
    places whose most probable token is the poem's."""
    model = getattr(pair, side)
    right, places, whole = 0, 0, 0
    for poem in known:
        ids = pair.speller.encode(poem)
        start = len(pair.speller.encode(poems.opening(poem)))
        logits = model.forward(ids, model.slots())
        hits = [int(logits[i - 1].argmax()) == ids[i] for i in range(start, len(ids))]
        right, places, whole = right + sum(hits), places + len(hits), whole + all(hits)
    return {"poems": len(known), "whole": whole / len(known), "places": right / places}


def _seeded(settings, seed):
    return Settings(**{**settings.__dict__, "seed": seed})


def _module(folder):
    from transformers import LlamaForCausalLM

    return LlamaForCausalLM.from_pretrained(folder)


def _card(figures, texts, recipe, pair) -> str:
    def shape(side):
        s = recipe[side]["shape"]
        return f"{s['num_hidden_layers']} × {s['hidden_size']}, {getattr(pair, side).parameters / 1e6:.2f}M"

    loss, b, heart = figures["loss"], figures["beta"], figures["by_heart"]
    seen = sum(map(len, texts.train)) + sum(map(len, texts.known))
    return f"""---
license: mit
language: zh
---
# The poem pair of specviz

Two Llama models that continue Tang poems, made for lessons on speculative decoding: a target and a draft that was
distilled from it. One character-level tokenizer; a character that is not in it is spelt in bytes.

| | target | draft |
|---|---|---|
| shape, parameters | {shape("target")} | {shape("draft")} |
| held-out loss, nats a token | {loss["target"]:.3f} | {loss["draft"]:.3f} |
| best-known poems recited whole after the first clause | {100 * heart["target"]["whole"]:.0f} % | {100 * heart["draft"]["whole"]:.0f} % |
| places of those poems guessed right | {100 * heart["target"]["places"]:.1f} % | {100 * heart["draft"]["places"]:.1f} % |

β = Σ min(p, q), the acceptance rate, on the target's own texts after {OPENINGS} held-out openings:
{b["T=1"]:.3f} at T = 1, {b["T=0.6"]:.3f} at T = 0.6, {b["T=0"]:.3f} at T = 0.

**Data.** npm package chinese-poetry 2.0.1 (MIT): Tang poems of 5 or 7 characters a line, in simplified characters
(OpenCC), {len(texts.train):,} for training ({seen:,} characters), {figures["held_out_poems"]} held out; and the Three Hundred Tang Poems
in their popular wording, repeated {recipe["target"]["known_times"]} times an epoch for the target, {recipe["draft"]["known_times"]} times for the draft.

**Recipe.** `make train`, two CPU cores. Target: {recipe["target"]["steps"]:,} steps of {recipe["target"]["batch_tokens"]:,} tokens, Muon and AdamW,
bfloat16 products. Draft: {recipe["draft"]["steps"]:,} steps, KL from the target on the corpus and on {recipe["samples"]["parts"] * recipe["samples"]["a_part"]:,} of its own
samples, then total variation on the samples alone. Stored in bfloat16, run in float32.

**Licence.** MIT, as the data.
"""
