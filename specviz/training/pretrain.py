"""Next-token training of the target on packed rows."""

from __future__ import annotations

from pathlib import Path

import torch
import torch.nn.functional as F
from transformers import LlamaConfig, LlamaForCausalLM

from specviz.training import optimise


def new_model(shape: dict, vocab: int, context: int) -> LlamaForCausalLM:
    """A fresh Llama of the given shape; embeddings and head are one matrix."""
    config = LlamaConfig(
        vocab_size=vocab,
        max_position_embeddings=context,
        tie_word_embeddings=True,
        bos_token_id=0,
        eos_token_id=1,
        **shape,
    )
    model = LlamaForCausalLM(config)
    # On a CPU and at these widths the plain attention trains faster than the fused one.
    model.set_attn_implementation("eager")
    return model


def cross_entropy(model, rows: torch.Tensor) -> torch.Tensor:
    """Mean nats a token of rows (B, T) under `model`, in bfloat16 products and float32 sums."""
    with torch.autocast("cpu", torch.bfloat16):
        logits = model(rows, use_cache=False).logits
    return F.cross_entropy(logits[:, :-1].flatten(0, 1).float(), rows[:, 1:].flatten())


@torch.inference_mode()
def held_out_loss(model, documents: list[list[int]], batch: int = 64) -> float:
    """Mean nats a token over whole documents, each from its own beginning, `<s>` given and `</s>` counted."""
    was, total, count = model.training, 0.0, 0
    model.eval()
    documents = sorted(documents, key=len)  # so that little of a batch is padding
    for start in range(0, len(documents), batch):
        chunk = documents[start : start + batch]
        width = max(map(len, chunk))
        ids = torch.tensor([d + [0] * (width - len(d)) for d in chunk])
        labels = torch.tensor([d + [-100] * (width - len(d)) for d in chunk])[:, 1:]
        logits = model(ids, use_cache=False).logits[:, :-1].float()
        total += F.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="sum", ignore_index=-100).item()
        count += (labels >= 0).sum().item()
    model.train(was)
    return total / count


def pretrain(model, rows, held_out: dict[str, list], recipe: dict, folder: Path) -> None:
    """`rows`: batches by step, see rows.py; `held_out`: kind of text -> documents whose loss is watched."""
    fast = torch.compile(model)

    def loss_at(step):
        batch = rows.at(step)
        # Compiled, rows of 512 run on a single core here: measured over a minute a step, against two seconds.
        return cross_entropy(fast if batch.shape[1] == rows.width else model, batch)

    optimise.train(
        model,
        loss_at,
        recipe["steps"],
        folder,
        lr=recipe["lr"],
        decay=recipe["decay"],
        check=lambda: {f"held_out_{kind}": held_out_loss(model, ids) for kind, ids in held_out.items()},
    )
