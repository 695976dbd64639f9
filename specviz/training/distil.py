"""Teaching the draft to guess like the target: q towards p at every place of the same text.

First KL(p‖q) on the corpus and on the target's own samples, which pulls every part of q towards p and is steady from
random weights; then the total variation itself on the target's own samples, since β = 1 − TV is the acceptance rate
and those are the texts it will be asked about (Zhou et al. 2023, DistillSpec, compare such losses).
"""

from __future__ import annotations

from pathlib import Path

import torch

from specviz.training import optimise
from specviz.training.pretrain import Rows


def distil(target, draft, corpus, samples, recipe: dict, folder: Path) -> None:
    """Train `draft` in place; corpus and samples are lists of documents as ids."""
    turn = recipe["kl_steps"]
    broad = Rows(corpus + samples, recipe["batch_tokens"], seed=recipe["seed"])
    own = Rows(samples, recipe["batch_tokens"], seed=recipe["seed"] + 1)
    target.eval().requires_grad_(False)
    teacher = torch.compile(target)
    # Fused, the passes over (tokens × vocabulary) floats cost a third.
    losses = {False: torch.compile(kl), True: torch.compile(total_variation)}

    def loss_at(step):
        rows = (broad if step < turn else own).at(step)
        with torch.autocast("cpu", torch.bfloat16):
            with torch.no_grad():
                theirs = teacher(rows, use_cache=False).logits
            ours = draft(rows, use_cache=False).logits
        return losses[step >= turn](theirs, ours)

    optimise.train(draft, loss_at, recipe["steps"], folder, lr=recipe["lr"], decay=recipe["decay"])


def kl(theirs, ours) -> torch.Tensor:
    """Mean over places of KL(p‖q) in nats, from rows of logits (B, T, V)."""
    log_p, log_q = theirs.float().log_softmax(-1), ours.float().log_softmax(-1)
    return (log_p.exp() * (log_p - log_q)).sum(-1).mean()


def total_variation(theirs, ours) -> torch.Tensor:
    """Mean over places of ½ Σ |p − q| = 1 − β, from rows of logits (B, T, V)."""
    p, q = theirs.float().softmax(-1), ours.float().softmax(-1)
    return (p - q).abs().sum(-1).mean() / 2


@torch.inference_mode()
def own_samples(target, count: int, longest: int, seed: int, batch: int = 256) -> list[list[int]]:
    """`count` texts that the target writes from nothing at T = 1, each from <s> to </s> or `longest` ids."""
    torch.manual_seed(seed)
    bos, eos = target.config.bos_token_id, target.config.eos_token_id
    texts = []
    while len(texts) < count:
        start = torch.full((batch, 1), bos)
        with torch.autocast("cpu", torch.bfloat16):
            rows = target.generate(
                start,
                attention_mask=torch.ones_like(start),
                do_sample=True,
                top_k=0,
                top_p=1.0,
                max_new_tokens=longest,
                pad_token_id=eos,
            )
        for row in rows.tolist():
            end = row.index(eos) + 1 if eos in row else len(row)
            texts.append(row[:end])
    return texts[:count]
