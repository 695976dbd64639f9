"""Linear layers whose weights are whole numbers of eight or four bits, on torch's own operators.

INT8: a row of weights shares one scale, w ≈ s·k with k in −127..127. INT4: every 32 weights of a row share a scale and an
offset, w ≈ s·k + z with k in −8..7, two to a byte. Activations are not quantised; on a CPU they are bfloat16.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import torch
from transformers.pytorch_utils import Conv1D

from specviz.engine import packed
from specviz.engine.model import Model
from specviz.errors import BadInput

GROUP = 32  # weights that share a scale in INT4
ROWS = 16  # of which torch's INT4 product wants a multiple
STEP = 64  # weights: torch's INT8 product reads a row in steps, and past the end of one that is no multiple of them
SAMPLE = 16  # weights shown as they were and as they are
_NIBBLES = torch.arange(256, dtype=torch.uint8)
_HALVES = torch.stack((_NIBBLES & 15, _NIBBLES >> 4), -1).float() - 8  # byte -> its two whole numbers


class Int8Linear(torch.nn.Module):
    """y = x Wᵀ + b with W (out, in) of eight bits."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None):
        super().__init__()
        self.wide = weight.shape[1]
        scale = (weight.abs().amax(1).clamp(min=1e-12) / 127).to(torch.bfloat16)
        whole = (weight / scale.float()[:, None]).round().clamp(-127, 127).to(torch.int8)
        self.register_buffer("whole", torch.nn.functional.pad(whole, (0, -self.wide % STEP)))  # (out, in and padding)
        self.register_buffer("unit", scale)  # of every row
        self.register_buffer("bias", bias)

    def dense(self) -> torch.Tensor:
        return (self.whole.float() * self.unit.float()[:, None])[:, : self.wide]

    def steps(self) -> torch.Tensor:
        """The values that the first weights of the first row may take."""
        return torch.arange(-127, 128) * self.unit[0].float()

    def forward(self, x):
        flat = torch.nn.functional.pad(x.reshape(-1, self.wide), (0, -self.wide % STEP))
        if x.device.type == "cpu":  # reads the bytes as they are; its activations are bfloat16
            y = torch._weight_int8pack_mm(flat.to(torch.bfloat16), self.whole, self.unit).to(x.dtype)
        else:
            y = (flat @ self.whole.to(x.dtype).T) * self.unit.to(x.dtype)
        y = y.reshape(*x.shape[:-1], -1)
        return y if self.bias is None else y + self.bias


class Int4Linear(torch.nn.Module):
    """y = x Wᵀ + b with W (out, in) of four bits. direct: multiplied as it is, on a CPU; else unpacked for every pass."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None, direct: bool = True):
        super().__init__()
        self.out, self.wide, self.direct = *weight.shape, direct
        groups = torch.nn.functional.pad(weight, (0, -self.wide % GROUP, 0, -self.out % ROWS))
        groups = groups.reshape(groups.shape[0], -1, GROUP)
        low, high = groups.amin(2), groups.amax(2)
        scale = ((high - low) / 15).clamp(min=1e-12).to(torch.bfloat16)  # (out, groups)
        zero = (low + 8 * scale.float()).to(torch.bfloat16)
        whole = ((groups - zero.float()[..., None]) / scale.float()[..., None]).round().clamp(-8, 7).flatten(1) + 8
        if direct:
            self.register_buffer("whole", torch.ops.aten._convert_weight_to_int4pack_for_cpu(whole.int(), 1))
            self.register_buffer("both", torch.stack((scale, zero), -1).transpose(0, 1).contiguous())  # (groups, out, 2)
        else:
            whole = whole.to(torch.uint8)
            self.register_buffer("whole", whole[:, ::2] | whole[:, 1::2] << 4)  # (out, in / 2)
            self.register_buffer("both", torch.stack((scale, zero)))  # (2, out, groups)
        self.register_buffer("bias", bias)

    def dense(self) -> torch.Tensor:
        if self.direct:
            return self._product(torch.eye(self.wide)).T.float()
        scale, zero = self.both.float()[..., None]
        whole = torch.nn.functional.embedding(self.whole.int(), _HALVES.to(self.whole.device))  # (out, in / 2, 2)
        return torch.addcmul(zero, whole.reshape(len(whole), -1, GROUP), scale).flatten(1)[: self.out, : self.wide]

    def steps(self) -> torch.Tensor:
        """The values that the first weights of the first row may take."""
        scale, zero = self.both[0, 0] if self.direct else self.both[:, 0, 0]
        return zero.float() + torch.arange(-8, 8) * scale.float()

    def forward(self, x):
        if not self.direct:
            return torch.nn.functional.linear(x, self.dense().to(x.dtype), self.bias)
        y = self._product(x.reshape(-1, self.wide)).to(x.dtype).reshape(*x.shape[:-1], -1)
        return y if self.bias is None else y + self.bias

    def _product(self, rows):
        # Activations in bfloat16: with float32 torch takes a way that is thirty times as slow.
        rows = torch.nn.functional.pad(rows, (0, -self.wide % GROUP)).to(torch.bfloat16)
        return torch.ops.aten._weight_int4pack_mm_for_cpu(rows, self.whole, GROUP, self.both)[:, : self.out]


def quantised(source: Model, bits: int) -> tuple[Model, dict]:
    """A model read anew with every linear layer of so many bits, and what that did: `shrink`'s report with {"bytes",
    "bytes_before"}. BadInput when its files are not known, or memory is short."""
    from specviz.engine import loading

    if source.folder is None:
        raise BadInput("no_files", ref=source.name)
    module = loading.again(source)
    report = shrink(module, bits, source.device, keep=source.lean is not None)
    model = Model(module.to(source.device), source.vocab, source.name, partial(_product, bits))
    return model, {"bytes": model.held, "bytes_before": source.held, **report}


def shrink(module: torch.nn.Module, bits: int, device: torch.device | str = "cpu", keep: bool = False) -> dict:
    """Replace every linear layer, in place; device: where the module will run. keep: only tell what that would do.

    {"layers": [{"name", "error"}], "sample": {"name", "before", "after", "steps"}}; error is ‖W − Ŵ‖ ÷ ‖W‖; the sample is
    the first weights of a row, which share a scale, and steps all values they may take.
    """
    layers, sample = [], None
    for name, before, bias in _linears(module):
        smaller = _linear(bits, before, bias, torch.device(device).type == "cpu")
        after = smaller.dense()
        layers.append({"name": name, "error": float((before - after).norm() / before.norm())})
        sample = sample or {
            "name": name,
            "before": before[0, :SAMPLE].tolist(),
            "after": after[0, :SAMPLE].tolist(),
            "steps": smaller.steps().tolist(),
        }
        if not keep:
            parent, _, last = name.rpartition(".")
            setattr(module.get_submodule(parent), last, smaller)
    return {"layers": layers, "sample": sample}


def _linear(bits: int, weight, bias, direct: bool) -> Int8Linear | Int4Linear:
    return Int8Linear(weight, bias) if bits == 8 else Int4Linear(weight, bias, direct)


def _product(bits: int, weight, bias, after: bool = False) -> Int8Linear | Int4Linear:
    """As the lean forward makes its products: rows are quantised one by one, so several layers in one are none the worse."""
    made = _linear(bits, weight, bias, direct=True)
    made.scale, made.small = 1.0, weight.numel() <= packed.SMALL
    made.held = sum(part.numel() * part.element_size() for part in made.buffers())
    return made


def _linears(module) -> Iterator[tuple[str, torch.Tensor, torch.Tensor | None]]:
    """Name, weight (out, in) in float32 and bias of every linear layer; GPT-2 calls its own by another name."""
    found = [(name, part) for name, part in module.named_modules() if isinstance(part, (torch.nn.Linear, Conv1D))]
    for name, part in found:
        weight, bias = part.weight.detach().float(), part.bias
        weight = weight.T.contiguous() if isinstance(part, Conv1D) else weight
        yield name, weight, None if bias is None else bias.detach()
