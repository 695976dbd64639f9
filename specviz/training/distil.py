"""Teaching the draft to guess like the target: q towards p at every place of the same text.

First KL(p‖q) on the corpus and on the target's own samples, which pulls every part of q towards p and is steady from
random weights; then the total variation itself, since β = 1 − TV is the acceptance rate (Zhou et al. 2023, DistillSpec,
compare such losses): on the target's own samples, which are the texts it will be asked about; where there are few, in
turns with the corpus, for read again and again they are learnt by heart.
"""

from __future__ import annotations

import copy
from pathlib import Path

import torch
from transformers import DynamicCache

from specviz.training import optimise


def distil(target, draft, broad, own, aside: list[list[int]], recipe: dict, folder: Path) -> None:
    """Train `draft` in place. broad, own: batches by step, see rows.py, of all texts and of the target's own; aside:
    texts of the target that are in neither, on which β is watched."""
    turn = recipe["kl_steps"]
    target.eval().requires_grad_(False)
    teacher = torch.compile(target)
    # Fused, the passes over (tokens × vocabulary) floats cost a third.
    losses = {False: torch.compile(kl), True: torch.compile(total_variation)}

    def loss_at(step):
        source = own if step >= turn and step % recipe["own_every"] == 0 else broad
        rows = source.at(step)
        # Compiled, long rows run on a single core here.
        reads = teacher if rows.shape[1] == source.width else target
        with torch.autocast("cpu", torch.bfloat16):
            with torch.no_grad():
                theirs = reads(rows, use_cache=False).logits
            ours = draft(rows, use_cache=False).logits
        return losses[step >= turn](theirs, ours)

    optimise.train(
        draft, loss_at, recipe["steps"], folder, recipe["lr"], recipe["decay"], lambda: {"beta": beta(target, draft, aside)}
    )


def share_tokens(draft, target) -> None:
    """The draft begins with the target's token vectors and last gain: it has only to learn where the target's last
    state will lie. Both must be equally wide."""
    with torch.no_grad():
        draft.model.embed_tokens.weight.copy_(target.model.embed_tokens.weight)
        draft.model.norm.weight.copy_(target.model.norm.weight)


def kl(theirs, ours) -> torch.Tensor:
    """Mean over places of KL(p‖q) in nats, from rows of logits (B, T, V)."""
    log_p, log_q = theirs.float().log_softmax(-1), ours.float().log_softmax(-1)
    return (log_p.exp() * (log_p - log_q)).sum(-1).mean()


def total_variation(theirs, ours) -> torch.Tensor:
    """Mean over places of ½ Σ |p − q| = 1 − β, from rows of logits (B, T, V)."""
    p, q = theirs.float().softmax(-1), ours.float().softmax(-1)
    return (p - q).abs().sum(-1).mean() / 2


@torch.inference_mode()
def beta(target, draft, documents: list[list[int]]) -> float:
    """Mean Σ min(p, q) over all places of `documents`, each from its own beginning."""
    found = []
    for ids in documents:
        rows = torch.tensor([ids[:-1]])
        p, q = (model(rows, use_cache=False).logits[0].float().softmax(-1) for model in (target, draft))
        found += torch.minimum(p, q).sum(-1).tolist()
    return sum(found) / len(found)


@torch.inference_mode()
def own_samples(target, count: int, longest: int, seed: int, batch: int = 512) -> list[list[int]]:
    """`count` texts that the target writes from nothing at T = 1, each from <s> to </s> or `longest` ids.

    In bfloat16: the texts are places to learn at, what is learnt there comes from the target in float32.
    """
    generator = torch.Generator().manual_seed(seed)
    target = copy.deepcopy(target).to(torch.bfloat16)
    target.set_attn_implementation("sdpa")
    texts = []
    while len(texts) < count:
        texts += _batch(target, batch, longest, generator)
    return texts[:count]


def _batch(target, batch: int, longest: int, generator) -> list[list[int]]:
    bos, eos = target.config.bos_token_id, target.config.eos_token_id
    texts, alive, cache = [[bos] for _ in range(batch)], torch.arange(batch), DynamicCache()
    while len(alive) and len(texts[alive[0]]) < longest:
        last = torch.tensor([[texts[i][-1]] for i in alive.tolist()])
        logits = target(last, cache=cache, use_cache=True).logits[:, -1]
        # By the inverse of the distribution function: torch.multinomial draws a random number for every token.
        below = logits.double().softmax(-1).cumsum(-1)
        u = torch.rand(len(alive), 1, generator=generator, dtype=torch.float64)
        drawn = torch.searchsorted(below, u * below[:, -1:], right=True)[:, 0]
        for i, token in zip(alive.tolist(), drawn.tolist(), strict=True):
            texts[i].append(token)
        going = drawn != eos
        if not going.all():
            alive = alive[going]
            cache.batch_select_indices(going.nonzero()[:, 0])
    return texts
