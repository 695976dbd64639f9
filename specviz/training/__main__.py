"""Make a bundled pair from nothing: `python -m specviz.training poem`.

Every stage is kept in the work folder and found again, so a run that was killed goes on where it was.
"""

from __future__ import annotations

import argparse
import copy
import json
from functools import partial
from pathlib import Path

import torch
from transformers import LlamaForCausalLM

from specviz.engine.pairs import WEIGHTS
from specviz.training import card, distil, poems, pretrain, tokens
from specviz.training.recipes import POEM


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pair", choices=["poem"])
    parser.add_argument("--work", type=Path, default=Path("build/training"), help="data, samples and checkpoints")
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    arguments = parser.parse_args()
    poem(arguments.work / "poem", arguments.out / "poem")


def poem(work: Path, out: Path) -> None:
    recipe, texts = POEM, poems.load(poems.fetch(work / "data"))
    tokenizer = tokens.build(texts.train + texts.known, recipe["seen_at_least"], recipe["context"])
    corpus, known, held_out = (tokens.encode(tokenizer, part) for part in (texts.train, texts.known, texts.held_out))

    target = fresh(recipe["target"], tokenizer, recipe["context"])
    often = corpus + known * recipe["target"]["known_times"]
    pretrain.pretrain(target, often, held_out[::5], recipe["target"], work / "target")
    save(target, tokenizer, out / "target")

    target = stored(out / "target")  # as it will be used: rounded to bfloat16
    samples = own_samples(target, recipe["samples"], work / "samples")
    draft = fresh(recipe["draft"], tokenizer, recipe["context"])
    distil.share_tokens(draft, target)
    often = known * recipe["draft"]["known_times"]
    distil.distil(target, draft, corpus + often, samples + often, recipe["draft"], work / "draft")
    save(draft, tokenizer, out / "draft")
    card.write(out, texts, recipe)


def fresh(part: dict, tokenizer, context: int) -> LlamaForCausalLM:
    torch.manual_seed(part["seed"])
    return pretrain.new_model(part["shape"], len(tokenizer), context)


def save(model, tokenizer, folder: Path) -> None:
    """Hugging Face format, weights in bfloat16; the model itself keeps its precision."""
    copy.deepcopy(model).to(torch.bfloat16).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def stored(folder: Path) -> LlamaForCausalLM:
    model = LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32)
    model.set_attn_implementation("eager")
    return model


def own_samples(target, recipe: dict, folder: Path) -> list[list[int]]:
    """The target's own texts, kept part by part."""

    def made(part):
        return distil.own_samples(target, recipe["a_part"], recipe["longest"], recipe["seed"] * 1000 + part)

    return [text for part in range(recipe["parts"]) for text in kept(folder / f"{part}.json", partial(made, part))]


def kept(file: Path, make):
    """The JSON in `file`, made and written first if it is not there."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(make()))
    return json.loads(file.read_text())


if __name__ == "__main__":
    main()
