"""The draft, or the target as its own draft, with weights of eight or four bits guesses.

Fewer bytes are read a pass; whether that is faster here is for the clock to say.
"""

from __future__ import annotations

from specviz.engine import quantise
from specviz.engine.drafters.model import ModelDrafter
from specviz.errors import BadInput
from specviz.settings import BITS


def make(pair, settings) -> ModelDrafter:
    of = settings.of or ("draft" if pair.draft else "target")
    source = getattr(pair, of)
    if source is None:
        raise BadInput("no_draft")
    bits = settings.bits or BITS[0]
    if (of, bits) not in pair.made:
        pair.made[of, bits] = quantise.quantised(source, bits)
    model, report = pair.made[of, bits]
    return ModelDrafter(model, settings.sampling, {"code": "quantised", "bits": bits, "of": of, **report})
