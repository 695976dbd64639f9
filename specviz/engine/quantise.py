"""Linear layers whose weights are whole numbers of eight or four bits, on torch's own operators.

INT8: a row of weights shares one scale, w ≈ s·k with k in −127..127. INT4: every 32 weights of a row share a scale and an
offset, w ≈ s·k + z with k in −8..7, two to a byte. Activations are not quantised.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from transformers.pytorch_utils import Conv1D

from specviz.engine.model import Model
from specviz.errors import BadInput

GROUP = 32  # weights that share a scale in INT4
SAMPLE = 16  # weights shown as they were and as they are
_NIBBLES = torch.arange(256, dtype=torch.uint8)
_HALVES = torch.stack((_NIBBLES & 15, _NIBBLES >> 4), -1).float() - 8  # byte -> its two whole numbers


class Int8Linear(torch.nn.Module):
    """y = x Wᵀ + b with W (out, in) of eight bits."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None):
        super().__init__()
        scale = weight.abs().amax(1).clamp(min=1e-12) / 127
        self.register_buffer("whole", (weight / scale[:, None]).round().to(torch.int8))  # (out, in)
        self.register_buffer("scale", scale.to(torch.bfloat16))
        self.register_buffer("bias", bias)

    def dense(self) -> torch.Tensor:
        return self.whole.float() * self.scale.float()[:, None]

    def steps(self) -> torch.Tensor:
        """The values that the first weights of the first row may take."""
        return torch.arange(-127, 128) * self.scale[0].float()

    def forward(self, x):
        flat = x.reshape(-1, x.shape[-1])
        if x.device.type == "cpu":  # reads the bytes as they are; its activations are bfloat16
            y = torch._weight_int8pack_mm(flat.to(torch.bfloat16), self.whole, self.scale).to(x.dtype)
        else:
            y = (flat @ self.whole.to(x.dtype).T) * self.scale.to(x.dtype)
        y = y.reshape(*x.shape[:-1], -1)
        return y if self.bias is None else y + self.bias


class Int4Linear(torch.nn.Module):
    """y = x Wᵀ + b with W (out, in) of four bits. It is unpacked for every pass, except where the processor multiplies it
    as it is."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None, fused: bool | None = None):
        super().__init__()
        self.out, self.wide = weight.shape
        padded = torch.nn.functional.pad(weight, (0, -self.wide % GROUP))
        groups = padded.reshape(self.out, -1, GROUP)
        low, high = groups.amin(2), groups.amax(2)
        scale = ((high - low) / 15).clamp(min=1e-12).to(torch.bfloat16)  # (out, groups)
        zero = (low + 8 * scale.float()).to(torch.bfloat16)
        whole = ((groups - zero.float()[..., None]) / scale.float()[..., None]).round().clamp(-8, 7) + 8
        whole = whole.to(torch.uint8).reshape(self.out, -1)
        self.fused = _multiplies_int4(weight) if fused is None else fused
        if self.fused:
            self.register_buffer("whole", torch.ops.aten._convert_weight_to_int4pack_for_cpu(whole.int(), 1))
            self.register_buffer("both", torch.stack((scale, zero), -1).transpose(0, 1).float().contiguous())
        else:
            self.register_buffer("whole", whole[:, ::2] | whole[:, 1::2] << 4)  # (out, in / 2)
            self.register_buffer("both", torch.stack((scale, zero)))  # (2, out, groups)
        self.register_buffer("bias", bias)

    def dense(self) -> torch.Tensor:
        if self.fused:
            bare = torch.eye(self.wide)
            return torch.ops.aten._weight_int4pack_mm_for_cpu(bare, self.whole, GROUP, self.both).T
        scale, zero = self.both.float()[..., None]
        whole = torch.nn.functional.embedding(self.whole.int(), _HALVES.to(self.whole.device))  # (out, in / 2, 2)
        return torch.addcmul(zero, whole.reshape(self.out, -1, GROUP), scale).reshape(self.out, -1)[:, : self.wide]

    def steps(self) -> torch.Tensor:
        scale, zero = self.both[0, 0] if self.fused else self.both[:, 0, 0]
        return zero.float() + torch.arange(-8, 8) * scale.float()

    def forward(self, x):
        if not self.fused:
            return torch.nn.functional.linear(x, self.dense().to(x.dtype), self.bias)
        flat = x.reshape(-1, x.shape[-1])
        y = torch.ops.aten._weight_int4pack_mm_for_cpu(flat, self.whole, GROUP, self.both).reshape(*x.shape[:-1], -1)
        return y if self.bias is None else y + self.bias


LINEAR = {8: Int8Linear, 4: Int4Linear}


def quantised(source: Model, bits: int) -> tuple[Model, dict]:
    """A model read anew with every linear layer of so many bits, and what that did.

    {"bytes", "bytes_before", "layers": [{"name", "error"}], "sample": {"name", "before", "after", "steps"}}; error is
    ‖W − Ŵ‖ ÷ ‖W‖, the sample's steps are the values that its weights may take. BadInput when its files are gone.
    """
    from specviz.engine import loading

    if source.folder is None:
        raise BadInput("no_files", ref=source.name)
    module = loading.again(source)
    errors, sample = [], None
    for name, before, bias in _linears(module):
        smaller = LINEAR[bits](before, bias)
        after = smaller.dense()
        errors.append({"name": name, "error": float((before - after).norm() / before.norm())})
        sample = sample or {
            "name": name,
            "before": before[0, :SAMPLE].tolist(),
            "after": after[0, :SAMPLE].tolist(),
            "steps": smaller.steps().tolist(),
        }
        parent, _, last = name.rpartition(".")
        setattr(module.get_submodule(parent), last, smaller)
    model = Model(module.to(source.device), source.vocab, source.name)
    return model, {"bytes": model.held, "bytes_before": source.held, "layers": errors, "sample": sample}


def _linears(module) -> Iterator[tuple[str, torch.Tensor, torch.Tensor | None]]:
    """Name, weight (out, in) in float32 and bias of every linear layer; GPT-2 calls its own by another name."""
    found = [(name, part) for name, part in module.named_modules() if isinstance(part, (torch.nn.Linear, Conv1D))]
    for name, part in found:
        weight, bias = part.weight.detach().float(), part.bias
        weight = weight.T.contiguous() if isinstance(part, Conv1D) else weight
        yield name, weight, None if bias is None else bias.detach()


def _multiplies_int4(weight: torch.Tensor) -> bool:
    """Only there is torch's own INT4 product faster than unpacking; elsewhere it is many times slower (measured on AVX2)."""
    fits = weight.shape[0] % 16 == 0 and weight.shape[1] % GROUP == 0
    return torch.backends.cpu.get_cpu_capability() == "AVX512" and fits
