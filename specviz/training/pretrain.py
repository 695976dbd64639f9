"""Next-token training of the target on packed rows."""

from __future__ import annotations

from pathlib import Path

import torch
import torch.nn.functional as F
from transformers import LlamaConfig, LlamaForCausalLM

from specviz.training import optimise, tokens


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


class Rows:
    """Endless batches over repeated, reshuffled documents; `at(step)` depends on the seed and the step alone.

    Steps in the range `long_steps` use rows `long` wide, so that late positions are seen too.
    """

    def __init__(self, documents, batch_tokens, long_steps=(0, 0), width=128, long=512, seed=0):
        self.documents, self.tokens, self.seed = documents, batch_tokens, seed
        self.long_steps = range(*long_steps)
        self.width, self.long = width, long
        self.epoch, self.rows = None, None

    def at(self, step: int) -> torch.Tensor:
        is_long = step in self.long_steps
        width, since = (self.long, step - self.long_steps.start) if is_long else (self.width, step)
        n = self.tokens // width
        if self.epoch is None or self.epoch[0] != width:
            self._shuffle(width, 0)
        per_epoch = self.per_epoch
        if since // per_epoch != self.epoch[1]:
            self._shuffle(width, since // per_epoch)
        start = (since % per_epoch) * n
        return self.rows[start : start + n]

    def _shuffle(self, width, number):
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + width * 1009 + number)
        self.rows = tokens.pack(self.documents, width, generator)
        if number == 0:
            # Epochs differ by a row or two; the first one's length stands for all.
            self.per_epoch = int(len(self.rows) * 0.98) // (self.tokens // width)
        self.epoch = (width, number)


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


def pretrain(model, documents, held_out, recipe: dict, folder: Path) -> None:
    rows = Rows(documents, recipe["batch_tokens"], recipe["long_steps"], seed=recipe["seed"])
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
        check=lambda: {"held_out": held_out_loss(model, held_out)},
    )
