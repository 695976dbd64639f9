"""One model from its folder onto a device: measured against the memory first, looked over and tried afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM

from specviz import amounts
from specviz.engine import memory, packed, reading
from specviz.engine.cache import BLOCK
from specviz.engine.model import Model
from specviz.errors import BadInput

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
TOLERANCE = {torch.float32: 1e-3}  # of the largest logit; half precisions round more
LOOSE = 0.1


@dataclass(frozen=True)
class Place:
    """Where models go. weights, kv: what they are estimated to take there together, in bytes; spread: no single GPU is
    large enough for them, so the target lies on several."""

    device: str
    dtype: str
    weights: int
    kv: int
    spread: bool = False


def place(configs: list, device: str = "auto", dtype: str = "auto") -> Place:
    """Device and precision for these models; BadInput with the figures when the memory there is too small."""
    room = memory.room(device)
    name = room.dtype if dtype == "auto" else dtype
    packs = room.device == "cpu" and name == "fp32" and packed.available()
    needed = [memory.estimate(config, DTYPES[name], packs, BLOCK) for config in configs]
    weights, kv = (sum(one[what] for one in needed) for what in ("weights", "kv"))
    # Each is read whole before it is packed, beside those that already are.
    most = max(sum(one["weights"] for one in needed[:i]) + one["read"] for i, one in enumerate(needed))
    check_room(max(weights, most) + kv, room, name)
    return Place(room.device, name, weights, kv, spread=weights + kv > room.largest)


def model(folder: Path, name: str, config, vocab: int, where: Place) -> Model:
    """The model in `folder`, called `name`, ready to run; BadInput when weights are missing, no numbers, or misbehave."""
    how = {"device_map": "auto"} if where.spread else {}
    with reading.told(name):
        module, found = reading.read(
            folder,
            AutoModelForCausalLM,
            config=config,
            dtype=DTYPES[where.dtype],
            output_loading_info=True,
            ignore_mismatched_sizes=True,
            **how,
        )
        check_weights(name, module, found)
        ready = Model(module if where.spread else module.to(where.device), vocab, name)
        ready.folder = folder
        try_out(ready)
    return ready


def again(ready: Model) -> torch.nn.Module:
    """The module of a model that has been loaded, read once more: its weights are its own, and lie on the CPU."""
    name = str(ready.dtype).removeprefix("torch.")
    check_room(ready.held, memory.host(), name)
    with reading.told(ready.name):
        return reading.read(ready.folder, AutoModelForCausalLM, dtype=ready.dtype)


def check_room(needed: int, room: memory.Room, dtype: str) -> None:
    """BadInput with the figures when so many bytes are not free there."""
    if needed > room.free:
        raise BadInput(
            "no_room", needed=amounts.size(needed), free=amounts.size(room.free), device=room.device.upper(), dtype=dtype
        )


def check_weights(name: str, module, found: dict) -> None:
    """BadInput that names a weight which transformers had to invent, or which holds what is no number."""
    for weight in sorted(found["missing_keys"]):
        raise BadInput("weight_missing", ref=name, weight=weight)
    for weight, *shapes in found["mismatched_keys"]:
        there, needed = (str(tuple(shape)) for shape in shapes)
        raise BadInput("weight_shape", ref=name, weight=weight, there=there, needed=needed)
    for weight, numbers in module.named_parameters():
        if not numbers.is_meta and not numbers.isfinite().all():  # meta: left on the disk until it is needed
            raise BadInput("weight_not_finite", ref=name, weight=weight)


def try_out(ready: Model) -> None:
    """BadInput unless three tokens give numbers, the same whether they are read in one pass or, after a roll-back, in
    parts: an encoder, or a memory that cannot be rolled back, shows here whatever its config says."""
    ids, slots = [min(id, ready.vocab - 1) for id in (5, 6, 7)], ready.slots(3)
    alone = ready.forward(ids[:1], slots)
    slots.length = 0
    whole = ready.forward(ids, slots)
    slots.length = 1
    parts = torch.cat((alone, ready.forward(ids[1:], slots)))
    real = min(ready.vocab, ready.rows)  # padding of the logits is -inf
    whole, parts = whole[:, :real].float(), parts[:, :real].float()
    if not whole.isfinite().all():
        raise BadInput("no_numbers", ref=ready.name)
    if float((whole - parts).abs().max()) > TOLERANCE.get(ready.dtype, LOOSE) * float(whole.abs().max()):
        raise BadInput("not_causal", ref=ready.name)
