"""Products with weights for a CPU, packed once, as a frozen compile would.

torch's own linear repacks the weights whenever it is given two to eight rows, which is what a verification does:
with them packed beforehand five tokens cost little more than one. And what decides at these sizes is how many bytes
are read: weights that half precision holds exactly, as it does those of a bf16 or fp16 checkpoint, are kept in it and
widened as they are multiplied. Activations and sums are float32 either way.
"""

from __future__ import annotations

import math
import warnings
from functools import cache

import torch

SMALL = 2**21  # weights: a product of no more is over before a second thread has done its part
HIGHEST = 2.0**14  # half precision ends at 2¹⁶
FINEST = 2.0**-24  # its smallest step; beside HIGHEST nothing that float32 could tell


class PackedLinear(torch.nn.Module):
    """y = x Wᵀ + b for float32 on a CPU; equal to `torch.nn.Linear` up to rounding. Inference only."""

    scale, small = 1.0, False  # read by more than one thread, be it ever so small

    def __init__(self, linear: torch.nn.Linear):
        super().__init__()
        self.out_features, self.in_features = linear.weight.shape
        self.packed = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach().contiguous(), None)
        self.bias = None if linear.bias is None else linear.bias.detach()
        self.held = 4 * linear.weight.numel()

    def forward(self, x):
        return torch.ops.mkldnn._linear_pointwise(x, self.packed, self.bias, "none", [], "")


class HalfLinear:
    """x (W · up)ᵀ + b, W · up as half precision holds it: up is a power of two, so the scaling is exact. Whoever calls it
    multiplies x by `scale` = 1 / up where that costs nothing, or what comes out, and then b must have been made for it.
    float32 in, sums and out. held: bytes; small: one thread does it alone."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None, up: float):
        self.scale, self.held, self.bias = 1 / up, 2 * weight.numel(), bias
        weight = (weight * up).contiguous()
        self.small = weight.numel() <= SMALL
        if self.small:
            self.packed = torch.fbgemm_pack_gemm_matrix_fp16(weight)
        else:
            self.packed = torch.ops.quantized.linear_prepack_fp16(weight, bias)

    def __call__(self, x):
        if self.small:
            return torch.fbgemm_linear_fp16_weight_fp32_activation(x, self.packed, self.bias)
        return torch.ops.quantized.linear_dynamic_fp16(x, self.packed)


def product(weight: torch.Tensor, bias: torch.Tensor | None = None, after: bool = False) -> HalfLinear | PackedLinear:
    """x (n, in) -> (n, out) by the fewest bytes that are exact. What goes in is to be multiplied by its .scale; or, `after`,
    what comes out."""
    up = enlargement(weight) if halves() else None
    if up is not None:
        return HalfLinear(weight, bias * up if after and bias is not None else bias, up)
    linear = torch.nn.Linear(1, 1, bias is not None, device="meta")
    linear.weight = torch.nn.Parameter(weight, requires_grad=False)
    linear.bias = bias if bias is None else torch.nn.Parameter(bias, requires_grad=False)
    return PackedLinear(linear)


def enlargement(weight: torch.Tensor) -> float | None:
    """The power of two by which half precision holds these weights exactly, or closer than float32 can tell beside the
    largest of them; None where there is none."""
    largest = float(weight.abs().max())
    if not 0 < largest < math.inf:
        return None
    up = 2.0 ** math.floor(math.log2(HIGHEST / largest))
    scaled = weight * up
    return up if float(scaled.half().float().sub_(scaled).abs().max()) <= FINEST else None


@cache
def available() -> bool:
    """Whether this build of torch has the operators and they work here (x86 with oneDNN)."""
    linear = torch.nn.Linear(8, 8)
    return _works(lambda: PackedLinear(linear), linear)


@cache
def halves() -> bool:
    """Whether products of float32 with weights in half precision work here (x86 with FBGEMM)."""
    linear, small = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)
    linear.weight.data = linear.weight.data.half().float()
    small.weight.data, small.bias = linear.weight.data, linear.bias

    def large():
        made = HalfLinear.__new__(HalfLinear)
        made.small, made.packed = False, torch.ops.quantized.linear_prepack_fp16(linear.weight.detach(), linear.bias.detach())
        return made

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the version of torch is pinned: what a later one drops does not matter here
        return _works(lambda: HalfLinear(small.weight.detach(), small.bias.detach(), 1.0), small) and _works(large, linear)


def _works(make, linear) -> bool:
    try:
        with torch.inference_mode():
            x = torch.ones(2, 8)
            return bool(torch.allclose(make()(x), linear(x), atol=1e-5))
    except (AttributeError, RuntimeError):
        return False


def pack(module: torch.nn.Module) -> None:
    """Replace every float32 linear layer inside `module`, in place."""
    for name, child in module.named_children():
        if isinstance(child, torch.nn.Linear) and child.weight.dtype == torch.float32:
            setattr(module, name, PackedLinear(child))
        else:
            pack(child)
