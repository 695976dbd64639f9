"""Make a bundled pair from nothing: `python -m specviz.training poem` or `english`.

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

from specviz.engine.catalogue import WEIGHTS
from specviz.training import card, distil, english, ngrams, poems, pretrain, tokens
from specviz.training.recipes import ENGLISH, POEM
from specviz.training.rows import Rows, Windows, line_starts

ASIDE = 256  # of the target's own texts, never trained on


def main() -> None:
    makers = {"poem": poem_pair, "english": english_pair}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pair", choices=makers)
    parser.add_argument("--work", type=Path, default=Path("build/training"), help="data, samples and checkpoints")
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    arguments = parser.parse_args()
    makers[arguments.pair](arguments.work / arguments.pair, arguments.out / arguments.pair)


def poem_pair(work: Path, out: Path) -> None:
    recipe, texts = POEM, poems.load(poems.fetch(work / "data"))
    part = recipe["target"]
    tokenizer = tokens.of_characters(texts.train + texts.known, recipe["seen_at_least"], recipe["context"])
    corpus, known, held_out = (tokens.encode(tokenizer, part) for part in (texts.train, texts.known, texts.held_out))

    often = corpus + known * part["known_times"]
    rows = Rows(often, part["batch_tokens"], part["long_steps"], seed=part["seed"])
    target = taught(recipe, tokenizer, rows, {"poems": held_out[::5]}, work, out)

    part = recipe["draft"]
    aside, samples = own_samples(target, recipe["samples"], work / "samples")
    often = known * part["known_times"]
    broad = Rows(corpus + often + samples + often, part["batch_tokens"], seed=part["seed"])
    own = Rows(samples + often, part["batch_tokens"], seed=part["seed"] + 1)
    distilled(recipe, tokenizer, target, broad, own, aside, work, out)
    ngrams.save(corpus, len(tokenizer), out / "ngrams.safetensors")
    card.poem(out, texts, recipe)


def english_pair(work: Path, out: Path) -> None:
    recipe, texts = ENGLISH, english.load(english.fetch(work / "data"))
    part = recipe["target"]
    reading = [text for kind in ("verse", "code") for text in texts[kind].train]
    tokenizer = tokens.of_bytes(reading, recipe["tokens"], recipe["context"])
    kinds = streams(tokenizer, texts, recipe["shares"])
    pieces = {kind: held_out_pieces(tokenizer, texts[kind], recipe) for kind in ("verse", "code")}

    rows = Windows(kinds, tokenizer.bos_token_id, part["batch_tokens"], part["long_steps"], seed=part["seed"])
    watched = {kind: documents[::5] for kind, documents in pieces.items()}
    target = taught(recipe, tokenizer, rows, watched, work, out)

    part = recipe["draft"]
    aside, samples = own_samples(target, recipe["samples"], work / "samples")
    broad = Windows(kinds, tokenizer.bos_token_id, part["batch_tokens"], part["long_steps"], seed=part["seed"])
    own = Rows(samples, part["batch_tokens"], width=broad.width, seed=part["seed"] + 1)
    distilled(recipe, tokenizer, target, broad, own, aside, work, out)
    ngrams.save(tokens.encode(tokenizer, reading), len(tokenizer), out / "ngrams.safetensors")
    card.english_pair(out, texts, pieces, recipe)


def streams(tokenizer, texts, shares: dict[str, float]) -> dict:
    """kind -> (its training texts as one row of ids, where lines begin, its share), as Windows wants them."""
    breaks = {id for token, id in tokenizer.get_vocab().items() if token.endswith("Ċ")}  # "\n" in a byte-level alphabet
    found = {}
    for kind, share in shares.items():
        ids = [id for document in tokens.encode(tokenizer, texts[kind].train) for id in document[1:]]
        found[kind] = (ids, line_starts(ids, breaks), share)
    return found


def held_out_pieces(tokenizer, part: english.Part, recipe: dict) -> list[list[int]]:
    """Pieces of the held-out texts as ids after `<s>`; they end in the middle of a text and so without `</s>`."""
    pieces = [piece for text in part.held_out for piece in english.pieces(text, recipe["held_out_lines"])]
    return [ids[:-1] for ids in tokens.encode(tokenizer, pieces)]


def taught(recipe: dict, tokenizer, rows, held_out: dict, work: Path, out: Path) -> LlamaForCausalLM:
    """The target after its training, as it will be used: rounded to bfloat16."""
    target = fresh(recipe["target"], tokenizer, recipe["context"])
    pretrain.pretrain(target, rows, held_out, recipe["target"], work / "target")
    save(target, tokenizer, out / "target")
    return stored(out / "target")


def distilled(recipe: dict, tokenizer, target, broad, own, aside, work: Path, out: Path) -> None:
    draft = fresh(recipe["draft"], tokenizer, recipe["context"])
    distil.share_tokens(draft, target)
    distil.distil(target, draft, broad, own, aside, recipe["draft"], work / "draft")
    save(draft, tokenizer, out / "draft")


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


def own_samples(target, recipe: dict, folder: Path) -> tuple[list[list[int]], list[list[int]]]:
    """The target's own texts, kept part by part: those put aside, and those to learn from."""

    def made(part):
        return distil.own_samples(target, recipe["a_part"], recipe["longest"], recipe["seed"] * 1000 + part)

    texts = [text for part in range(recipe["parts"]) for text in kept(folder / f"{part}.json", partial(made, part))]
    return texts[:ASIDE], texts[ASIDE:]


def kept(file: Path, make):
    """The JSON in `file`, made and written first if it is not there."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(make()))
    return json.loads(file.read_text())


if __name__ == "__main__":
    main()
