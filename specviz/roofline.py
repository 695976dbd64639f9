"""What bounds one pass of a model: reading its bytes, or multiplying (Williams et al. 2009, Roofline).

A pass over K tokens reads every weight once, and the keys and values of the context once a sequence, whatever K is;
it does about two operations a weight and token, and attention two for each of a query head's entries times a key's and
two for a value's: 4 · layers · query heads · width of a head · context a token. What the new tokens of a pass attend to
among themselves is left out. Decimal units throughout: 1 GB is 10^9 bytes.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field

from specviz.errors import BadInput, check_limits

BYTES = {"fp32": 4.0, "bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "int8": 1.0, "int4": 0.5}  # a weight


@dataclass(frozen=True)
class Device:
    """memory in GB and bandwidth in TB/s as the maker prints them; tflops by dtype, dense, empty where none is official.

    memory is None where it depends on the model bought. launch_ms and layer_ms: what a pass and each of its layers cost
    beside reading and multiplying, known only where measured. source: a label under [sources].
    """

    code: str
    name: str
    memory: float | None
    bandwidth: float
    tflops: dict[str, float] = field(default_factory=dict)
    source: str = ""
    launch_ms: float = 0.0
    layer_ms: float = 0.0

    def roof(self, dtype: str) -> tuple[float | None, str | None]:
        """TFLOPS, and the dtype in which the products are taken: that of the weights where there is a figure for it,
        else the faster of bf16 and fp32 (weights are unpacked on the way), else nothing. fp16 runs like bf16."""
        if dtype in self.tflops:
            return self.tflops[dtype], dtype
        known = [name for name in ("bf16", "fp32") if name in self.tflops]
        if not known:
            return None, None
        fastest = max(known, key=self.tflops.get)
        return self.tflops[fastest], dtype if (dtype, fastest) == ("fp16", "bf16") else fastest

    def to_json(self) -> dict:
        return asdict(self)


_HOPPER_SXM = {"fp32": 67.0, "bf16": 989.0, "fp8": 1979.0, "int8": 1979.0}
DEVICES = {
    device.code: device
    for device in (
        Device("h100-sxm", "H100 SXM", 80, 3.35, _HOPPER_SXM, "hopper"),
        Device("h100-pcie", "H100 PCIe", 80, 2.0, {"fp32": 51.0, "bf16": 756.0, "fp8": 1513.0, "int8": 1513.0}, "hopper"),
        Device("h200-sxm", "H200 SXM", 141, 4.8, _HOPPER_SXM, "hopper"),
        Device("a100-sxm-80gb", "A100 SXM 80 GB", 80, 2.039, {"fp32": 19.5, "bf16": 312.0, "int8": 624.0}, "ampere"),
        Device("rtx-4090", "RTX 4090", 24, 1.008, {"fp32": 82.6, "bf16": 165.0, "fp8": 330.0, "int8": 661.0}, "ada"),
        Device("m2-ultra", "Apple M2 Ultra", None, 0.80, {}, "apple"),
        Device("m4-max", "Apple M4 Max", None, 0.546, {}, "apple"),
    )
}


def own(bandwidth: float, tflops: float | None = None, memory: float | None = None) -> Device:
    """The reader's own numbers: TB/s, TFLOPS in whatever precision is asked for, GB. BadInput names one out of LIMITS."""
    given = {"bandwidth": bandwidth, "tflops": tflops, "memory": memory}
    check_limits(LIMITS, **{name: value for name, value in given.items() if value is not None})
    return Device("own", "own numbers", memory, bandwidth, dict.fromkeys(BYTES, tflops) if tflops else {}, "own")


def find(code: str) -> Device:
    """A device of the table; BadInput lists the codes when there is none of this one."""
    if code not in DEVICES:
        raise BadInput("unknown_device", name=code, known=", ".join([*DEVICES, "this", "own"]))
    return DEVICES[code]


LIMITS = {
    "params": (100_000, 10**14),
    "tokens": (1, 1_000_000),
    "context": (0, 100_000_000),
    "batch": (1, 1_000_000),
    "layers": (1, 10_000),
    "heads": (1, 10_000),
    "kv-heads": (1, 10_000),
    "head-dim": (1, 100_000),
    "bandwidth": (1e-4, 1e4),
    "memory": (1e-2, 1e6),
    "tflops": (1e-4, 1e6),
}


@dataclass(frozen=True)
class Shape:
    """What one sequence's cache and attention depend on; `heads` are those of the queries. The default is a 70B model of
    the Llama family, whose query heads share keys and values in groups."""

    layers: int = 80
    kv_heads: int = 8
    head_dim: int = 128
    heads: int = 64

    def kv(self, tokens: float) -> float:
        """Numbers in the keys and values of so many tokens."""
        return 2.0 * self.layers * self.kv_heads * self.head_dim * tokens


@dataclass(frozen=True)
class Pass:
    """One pass, priced. Bytes; milliseconds; compute_ms and ridge_tokens are None where the device has no official
    figure for arithmetic, fits and devices where its memory is not given."""

    weight_bytes: float
    kv_bytes: float
    operations: float
    memory_ms: float
    compute_ms: float | None
    launch_ms: float
    arithmetic: str | None  # the dtype of the products
    ridge_tokens: float | None
    fits: bool | None
    devices: int | None

    @property
    def bound(self) -> str:
        """memory or compute, whichever takes longer."""
        return "compute" if (self.compute_ms or 0) > self.memory_ms else "memory"

    @property
    def ms(self) -> float:
        """Reading and multiplying overlap, so the longer of the two; launches come on top."""
        return max(self.memory_ms, self.compute_ms or 0) + self.launch_ms

    @property
    def memory_busy(self) -> float:
        """The share of the pass in which bytes are read."""
        return self.memory_ms / self.ms

    @property
    def compute_busy(self) -> float | None:
        """The share of the pass in which the arithmetic units multiply; None without a figure for arithmetic."""
        return self.compute_ms and self.compute_ms / self.ms

    def to_json(self) -> dict:
        derived = ("bound", "ms", "memory_busy", "compute_busy")
        return {**asdict(self), **{name: getattr(self, name) for name in derived}}


def kept(dtype: str) -> int:
    """Bytes of a number in the keys and values beside weights of this precision: 16 bits, 32 for fp32."""
    return 4 if dtype == "fp32" else 2


def price(
    device: Device,
    params: float,
    dtype: str = "bf16",
    tokens: int = 1,
    context: int = 0,
    batch: int = 1,
    shape: Shape = Shape(),
) -> Pass:
    """One pass over `tokens` new tokens of each of `batch` sequences that hold `context` tokens already.

    Keys and values are kept in 16 bits, in 32 for fp32, and attention multiplies in that precision. BadInput names a
    figure that is out of LIMITS, or more KV heads than query heads.
    """
    check_limits(LIMITS, params=params, tokens=tokens, context=context, batch=batch)
    heads = {"kv-heads": shape.kv_heads, "head-dim": shape.head_dim, "heads": shape.heads}
    check_limits(LIMITS, layers=shape.layers, **heads)
    if shape.kv_heads > shape.heads:
        raise BadInput("few_heads", kv_heads=shape.kv_heads, heads=shape.heads)
    if dtype not in BYTES:
        raise BadInput("no_dtype", name=dtype, known=", ".join(BYTES))
    weights = params * BYTES[dtype]
    kv = shape.kv(context * batch) * kept(dtype)
    roof, arithmetic = device.roof(dtype)
    memory_ms = (weights + kv) / (device.bandwidth * 1e12) * 1e3
    attending, _ = device.roof("fp32" if dtype == "fp32" else "bf16")
    attention = 4 * shape.layers * shape.heads * shape.head_dim * context
    token_ms = roof and (2 * params / (roof * 1e12) + attention / ((attending or roof) * 1e12)) * batch * 1e3
    capacity = device.memory and device.memory * 1e9
    return Pass(
        weights,
        kv,
        (2.0 * params + attention) * tokens * batch,
        memory_ms,
        token_ms and token_ms * tokens,
        device.launch_ms + device.layer_ms * shape.layers,
        arithmetic,
        token_ms and memory_ms / token_ms,
        capacity and weights + kv <= capacity,
        capacity and math.ceil((weights + kv) / capacity),
    )
