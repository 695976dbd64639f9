"""How much memory there is, how much a model will take, and how much it took. Bytes throughout."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from specviz import amounts
from specviz.engine import reading
from specviz.errors import BadInput

if TYPE_CHECKING:
    import torch

_MEMINFO = Path("/proc/meminfo")


@dataclass(frozen=True)
class Room:
    """Memory of what models go to. device: cpu, cuda or mps; total and free: over all of its kind together; largest:
    free on the freest one; dtype: the precision that `auto` takes there."""

    device: str
    total: int
    free: int
    largest: int
    dtype: str


def host() -> Room:
    """This machine's own memory; asks no torch."""
    total, free = _host()
    return Room("cpu", total, free, free, "fp32")


def room(device: str = "auto") -> Room:
    """What the device that loading would take has; imports torch. BadInput when there is no such device here."""
    device = choose(device)
    if device != "cuda":
        total, free = _host()  # Apple's chips share theirs
        return Room(device, total, free, free, "fp32")
    import torch

    found = [torch.cuda.mem_get_info(i) for i in range(torch.cuda.device_count())]
    free = [one for one, _ in found]
    return Room(device, sum(total for _, total in found), sum(free), max(free), "bf16")


def choose(device: str) -> str:
    """auto: CUDA, else MPS, else the CPU. BadInput when a device was asked for that is not here."""
    import torch

    here = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if device == "auto":
        return next(name for name, there in here.items() if there)
    if not here.get(device):
        raise BadInput("no_device", device=device)
    return device


def estimate(config, dtype: torch.dtype, packed: bool, tokens: int) -> dict:
    """{"weights", "kv", "read"} of a model before it is loaded, from its configuration alone: its modules are built without
    memory and counted. packed: linear layers keep a packed copy instead of their weights, but a tied head is also the
    embedding, so it is there twice; where a checkpoint is in half precision and its forward the lean one, these copies are
    too. read: what the weights take before they are packed. tokens: how many the slots hold."""
    import torch
    from transformers import AutoModelForCausalLM

    from specviz.engine import lean
    from specviz.engine.packed import halves

    halved = packed and halves() and config.dtype in (torch.bfloat16, torch.float16) and lean.understands(config)
    with torch.device("meta"):
        module = AutoModelForCausalLM.from_config(config, dtype=dtype, trust_remote_code=False)
    module.tie_weights()
    weights = read = sum(p.numel() * p.element_size() for p in (*module.parameters(), *module.buffers()))
    head = module.get_output_embeddings()
    if packed and head is not None and head.weight is module.get_input_embeddings().weight:
        weights += head.weight.numel() * head.weight.element_size()
    if halved:
        weights -= sum(2 * part.weight.numel() for part in module.modules() if isinstance(part, torch.nn.Linear))
    return {"weights": weights, "kv": int(reading.shape(config).kv(tokens)) * dtype.itemsize, "read": read}


def held(module: torch.nn.Module) -> int:
    """What the weights of a loaded module really take, packed copies included; what is shared counts once."""
    tensors = {}
    for part in module.modules():
        own = [*part.parameters(recurse=False), *part.buffers(recurse=False), getattr(part, "packed", None)]
        tensors |= {id(tensor): tensor for tensor in own if tensor is not None}
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())


def check_disk(folder: Path, needed: int, ref: str) -> None:
    """BadInput with the figures when what is to be written into a folder, be it there yet or not, does not fit."""
    there = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    free = shutil.disk_usage(there).free
    if needed > free:
        raise BadInput("no_disk", ref=ref, needed=amounts.size(needed), free=amounts.size(free))


def give_back() -> None:
    """Have the C library return what was freed to the system: packed weights are many pieces, which it would keep."""
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)


def _host() -> tuple[int, int]:
    """(total, free) of the machine: what the kernel could give without swapping."""
    try:
        lines = dict(line.split(":") for line in _MEMINFO.read_text().splitlines())
        total, free = (int(lines[name].split()[0]) * 1024 for name in ("MemTotal", "MemAvailable"))
    except (OSError, KeyError, ValueError):  # not Linux
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return total, total
    return total, min(free, _limit() or free)


def _limit(group: Path = Path("/sys/fs/cgroup")) -> int | None:
    """What the limit of a container leaves, where one is set; files it has read could be forgotten and count as free."""
    try:
        most, current = ((group / f"memory.{name}").read_text().strip() for name in ("max", "current"))
        forgettable = re.search(r"^inactive_file (\d+)$", (group / "memory.stat").read_text(), re.M)
        return None if most == "max" else max(0, int(most) - int(current) + int(forgettable[1]))
    except (OSError, ValueError, TypeError):
        return None
