"""Another machine's milliseconds for a run that is already known: verdicts stay, every pass is priced anew.

What stays is decided by p, q and chance; what a pass costs, by the machine. The twin of this file in the browser is
ui/components/clock/price.js, held to it by a test.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from specviz import roofline

# Parameters, layers, width of a head and query heads of the Llama 3 family (Meta's published configurations); 8 key-value
# heads each.
FAMILY = ((1.24e9, 16, 64, 32), (3.21e9, 28, 128, 24), (8.03e9, 32, 128, 32), (70.6e9, 80, 128, 64), (405.9e9, 126, 128, 128))
KV_HEADS = 8

PassMs = Callable[[int], float]  # tokens in one pass -> milliseconds


@dataclass(frozen=True)
class Clock:
    """Milliseconds of a draft pass of one token, and of a target pass of k."""

    draft_ms: float
    target_ms: PassMs


def shape(params: float) -> roofline.Shape:
    """Layers and heads of a model of this size, after the Llama 3 family: between two members by the logarithm of
    size, beyond them as the nearest one."""
    sizes = [member[0] for member in FAMILY]
    if params <= sizes[0] or params >= sizes[-1]:
        _, layers, width, heads = FAMILY[0 if params <= sizes[0] else -1]
        return roofline.Shape(layers, KV_HEADS, width, heads)
    above = next(i for i, size in enumerate(sizes) if size > params)
    (small, few, _, less), (large, many, width, more) = FAMILY[above - 1], FAMILY[above]
    share = math.log(params / small) / math.log(large / small)
    layers, heads = (math.floor(a + (b - a) * share + 0.5) for a, b in ((few, many), (less, more)))
    return roofline.Shape(layers, KV_HEADS, width, heads)


def passes(
    device: roofline.Device, target: float, draft: float, dtype: str, context: int, batch: int, gamma: int
) -> dict[str, roofline.Pass]:
    """draft: one token of the draft · plain: one token of the target · verify: γ + 1 of them; for each sequence of the
    batch, after `context` tokens."""

    def price(params, tokens):
        return roofline.price(device, params, dtype, tokens, context, batch, shape(params))

    return {"draft": price(draft, 1), "plain": price(target, 1), "verify": price(target, gamma + 1)}


def calculated(device: roofline.Device, target: float, draft: float, dtype: str, context: int, batch: int) -> Clock:
    """The clock of a device by its datasheet."""

    def target_ms(k):
        return roofline.price(device, target, dtype, k, context, batch, shape(target)).ms

    return Clock(roofline.price(device, draft, dtype, 1, context, batch, shape(draft)).ms, target_ms)


def measured(target_ms: float, c: float, v: Sequence[float]) -> Clock:
    """The clock of the machine on which target_ms, c and v(1), v(2), … were measured; wider passes than were timed lie
    on the line through the narrowest and the widest."""
    slope = (v[-1] - v[0]) / max(1, len(v) - 1)

    def pass_ms(k):
        return target_ms * (v[k - 1] if k <= len(v) else v[-1] + slope * (k - len(v)))

    return Clock(target_ms * c, pass_ms)


def lanes(guesses: Sequence[int], emitted: Sequence[int], clock: Clock) -> dict:
    """{"rounds": [{"draft", "verify", "rest"} in ms], "plain": [ms of every token], "speedup"} of a run whose rounds
    made so many guesses and emitted so many tokens. Nothing but passes is counted: rest is 0."""
    rounds = [{"draft": n * clock.draft_ms, "verify": clock.target_ms(n + 1), "rest": 0.0} for n in guesses]
    plain = [clock.target_ms(1)] * sum(emitted)
    spent = math.fsum(r["draft"] + r["verify"] for r in rounds)
    return {"rounds": rounds, "plain": plain, "speedup": math.fsum(plain) / spent if spent else None}


def memory(device: roofline.Device, *ready: roofline.Pass) -> dict:
    """{"need", "devices"}: bytes of weights, keys and values of both models, and how many such devices hold them; None
    where the device's memory is not given."""
    need = math.fsum(one.weight_bytes + one.kv_bytes for one in ready)
    return {"need": need, "devices": device.memory and math.ceil(need / (device.memory * 1e9))}
