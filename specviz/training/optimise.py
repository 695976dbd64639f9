"""A training loop that can be killed at any moment and goes on where it was.

Knows nothing of poems or of losses: it is given a model, a function from step to loss, and a number of steps.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import torch


def optimisers(model: torch.nn.Module, lr: float, decay: float) -> list[torch.optim.Optimizer]:
    """Muon for the matrices inside the layers, AdamW for embeddings and gains, at one common learning rate."""
    inner = [p for n, p in model.named_parameters() if p.ndim == 2 and "embed" not in n]
    outer = [p for n, p in model.named_parameters() if p.ndim != 2 or "embed" in n]
    return [
        torch.optim.Muon(inner, lr=lr, weight_decay=decay, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(outer, lr=lr, weight_decay=decay / 10, betas=(0.9, 0.95), fused=True),
    ]


def schedule(step: int, steps: int, warmup: int = 100) -> float:
    """Factor on the learning rate: a short rise, then a straight line to zero."""
    return min((step + 1) / warmup, (steps - step) / (steps - warmup))


def train(
    model: torch.nn.Module,
    loss_at: Callable[[int], torch.Tensor],
    steps: int,
    folder: Path,
    lr: float,
    decay: float = 0.1,
    check: Callable[[], dict] | None = None,
    every: int = 100,
) -> None:
    """Minimise `loss_at(step)` for `steps` steps in place; every `every` steps, log, `check()` and checkpoint.

    `folder` holds checkpoint.pt and log.jsonl; a run that finds a checkpoint there continues it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    steppers = optimisers(model, lr, decay)
    start = _resume(model, steppers, folder / "checkpoint.pt")
    began, total = time.time(), 0.0
    for step in range(start, steps):
        for stepper in steppers:
            for group in stepper.param_groups:
                group["lr"] = lr * schedule(step, steps)
        loss = loss_at(step)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for stepper in steppers:
            stepper.step()
            stepper.zero_grad(set_to_none=True)
        total += loss.item()
        if (step + 1) % every == 0 or step + 1 == steps:
            since = (step % every) + 1
            line = {"step": step + 1, "loss": total / since, "seconds": time.time() - began, **(check() if check else {})}
            with open(folder / "log.jsonl", "a") as log:
                print(json.dumps(line), file=log)
            _checkpoint(model, steppers, step + 1, folder / "checkpoint.pt")
            total = 0.0


def _checkpoint(model, steppers, step, path):
    state = {"step": step, "model": model.state_dict(), "steppers": [s.state_dict() for s in steppers]}
    torch.save(state, path.with_suffix(".tmp"))
    path.with_suffix(".tmp").replace(path)  # never a half-written checkpoint


def _resume(model, steppers, path):
    if not path.exists():
        return 0
    state = torch.load(path, weights_only=True)
    model.load_state_dict(state["model"])
    for stepper, saved in zip(steppers, state["steppers"], strict=True):
        stepper.load_state_dict(saved)
    return state["step"]
