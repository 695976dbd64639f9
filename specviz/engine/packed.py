"""Linear layers for a CPU with their weights packed once, as a frozen compile would.

torch's own linear repacks the weights whenever it is given two to eight rows, which is what a verification does:
with them packed beforehand five tokens cost little more than one.
"""

from __future__ import annotations

from functools import cache

import torch


class PackedLinear(torch.nn.Module):
    """y = x Wᵀ + b for float32 on a CPU; equal to `torch.nn.Linear` up to rounding. Inference only."""

    def __init__(self, linear: torch.nn.Linear):
        super().__init__()
        self.out_features, self.in_features = linear.weight.shape
        self.packed = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach().contiguous(), None)
        self.bias = None if linear.bias is None else linear.bias.detach()

    def forward(self, x):
        return torch.ops.mkldnn._linear_pointwise(x, self.packed, self.bias, "none", [], "")


@cache
def available() -> bool:
    """Whether this build of torch has the operators and they work here (x86 with oneDNN)."""
    try:
        linear = torch.nn.Linear(8, 8)
        with torch.inference_mode():
            x = torch.ones(1, 2, 8)
            return bool(torch.allclose(PackedLinear(linear)(x), linear(x), atol=1e-5))
    except (AttributeError, RuntimeError):
        return False


def pack(module: torch.nn.Module) -> None:
    """Replace every float32 linear layer inside `module`, in place."""
    for name, child in module.named_children():
        if isinstance(child, torch.nn.Linear) and child.weight.dtype == torch.float32:
            setattr(module, name, PackedLinear(child))
        else:
            pack(child)
