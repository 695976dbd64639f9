"""What bounds one pass of a model on a device: reading its bytes, or multiplying."""

from __future__ import annotations

from specviz import roofline
from specviz.errors import BadInput
from specviz.locale import say
from specviz.roofline import BYTES, DEVICES, Shape

summary = "Bytes and operations of one pass: how long reading takes, how long multiplying, and where they meet."
example = "roofline --params 70e9 --dtype bf16 --device h100-sxm --tokens 5"
CODES = (*DEVICES, "this", "own")


def arguments(parser) -> None:
    shape = Shape()
    parser.add_argument("--params", type=float, default=70e9, help="weights, such as 70e9")
    parser.add_argument("--dtype", default="bf16", help=f"of the weights: {', '.join(BYTES)}")
    parser.add_argument(
        "--device",
        default="h100-sxm",
        help=f"{', '.join(CODES)}. this: the machine you sit at, measured now: bandwidth by a copy (bytes read and bytes "
        "written are both counted), arithmetic by a matrix product, launches by a pass of nearly nothing. own: your numbers",
    )
    parser.add_argument("--tokens", type=int, default=1, help="new tokens of each sequence in the pass")
    parser.add_argument("--context", type=int, default=0, help="tokens each sequence holds already, whose KV is read")
    parser.add_argument("--batch", type=int, default=1, help="sequences")
    parser.add_argument("--layers", type=int, default=shape.layers, help=f"of the KV cache ({shape.layers})")
    parser.add_argument("--kv-heads", type=int, default=shape.kv_heads, help=f"of the KV cache ({shape.kv_heads})")
    parser.add_argument("--head-dim", type=int, default=shape.head_dim, help=f"of the KV cache ({shape.head_dim})")
    parser.add_argument(
        "--heads", type=int, default=shape.heads, help=f"of the queries, for attention's arithmetic ({shape.heads})"
    )
    parser.add_argument("--bandwidth", type=float, metavar="TB/S", help="with --device own, and needed there")
    parser.add_argument("--tflops", type=float, metavar="TFLOPS", help="with --device own; left out, there is no roof")
    parser.add_argument("--memory", type=float, metavar="GB", help="with --device own; left out, nobody knows whether it fits")


def run(arguments) -> dict:
    shape = Shape(arguments.layers, arguments.kv_heads, arguments.head_dim, arguments.heads)
    what = (arguments.params, arguments.dtype, arguments.tokens, arguments.context, arguments.batch, shape)
    own = {name: getattr(arguments, name) for name in ("bandwidth", "tflops", "memory")}
    if arguments.device != "own" and any(value is not None for value in own.values()):
        raise BadInput("own_numbers")
    if arguments.device == "own":
        if own["bandwidth"] is None:
            raise BadInput("own_numbers")
        device = roofline.own(**own)
    elif arguments.device == "this":
        roofline.price(DEVICES["h100-sxm"], *what)  # bad sizes are refused before anything is measured
        device = _measured(arguments.dtype)
    else:
        device = roofline.find(arguments.device)
    priced = roofline.price(device, *what)
    if not arguments.json:
        _print(device, priced, arguments, shape)
    return {**priced.to_json(), "device": device.to_json(), "shape": {**vars(shape)}}


def _measured(dtype) -> roofline.Device:
    from specviz.engine import measure

    return measure.this_device(measure.products_for(dtype))


def _print(device, priced, arguments, shape):
    batch = f", batch {arguments.batch}" if arguments.batch > 1 else ""
    tokens = f"{arguments.tokens} token{'s' if arguments.tokens > 1 else ''}"
    print(f"{arguments.params / 1e9:g}B weights in {arguments.dtype} on {device.name}, {tokens} in one pass{batch}")
    print(f"  weights  {_size(priced.weight_bytes):>9}")
    print(f"  KV       {_size(priced.kv_bytes):>9}  {arguments.context} tokens of context; "
          f"{shape.layers} layers, {shape.kv_heads} heads, {shape.head_dim} wide")  # fmt: skip
    print(f"  memory   {_time(priced.memory_ms):>9}  at {device.bandwidth:.4g} TB/s, busy {priced.memory_busy:.2%} of the pass")
    if priced.compute_ms is None:
        print("  compute          –  no official figure for arithmetic")
    else:
        roof, _ = device.roof(arguments.dtype)
        print(f"  compute  {_time(priced.compute_ms):>9}  at {roof:.4g} TFLOPS in {priced.arithmetic}, "
              f"busy {priced.compute_busy:.2%} of the pass")  # fmt: skip
    if priced.launch_ms:
        print(f"  launches {_time(priced.launch_ms):>9}  once a pass, whatever it holds")
    print(f"  pass     {_time(priced.ms):>9}  bound by {priced.bound}")
    if priced.ridge_tokens is not None:
        print(f"  up to {priced.ridge_tokens:.4g} tokens a pass takes hardly longer than for one")
    if priced.fits is not None:
        how = "fits" if priced.fits else f"does not fit: the times are as if it did; it takes {priced.devices} such devices"
        print(f"  memory of {device.memory:.4g} GB: {how}")
    print(f"  source: {say('en', f'sources.{device.source}')}")


def _size(count: float) -> str:
    for unit, power in (("TB", 12), ("GB", 9), ("MB", 6)):
        if count >= 10**power:
            return f"{count / 10**power:.4g} {unit}"
    return f"{count:.0f} B"


def _time(ms: float) -> str:
    return f"{ms / 1e3:.4g} s" if ms >= 1e4 else f"{ms:.4g} ms"
