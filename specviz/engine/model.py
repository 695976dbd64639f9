"""One face for any causal language model: ids and slots in, logits out.

transformers' module stands behind it, with its linear layers packed on a CPU. Knows nothing of drafts, of
probabilities or of text.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import torch

from specviz.engine import packed
from specviz.engine.cache import Slots
from specviz.roofline import Shape


class Model:
    """A causal model ready to run on one device.

    vocab: how many ids are real; logits of padding beyond them are cut off. context: the most positions it knows.
    """

    def __init__(self, module: torch.nn.Module, vocab: int | None = None):
        self.module = module.eval().requires_grad_(False)
        config = module.config.get_text_config()
        self.parameters = sum(p.numel() for p in module.parameters())
        self.vocab = min(vocab or config.vocab_size, config.vocab_size)
        self.context = config.max_position_embeddings
        self.layers = config.num_hidden_layers
        heads = config.num_attention_heads
        kv_heads = getattr(config, "num_key_value_heads", None) or heads
        self.shape = Shape(self.layers, kv_heads, getattr(config, "head_dim", None) or config.hidden_size // heads, heads)
        self.device = module.device
        self.busy_ms = 0.0  # spent in passes so far; what a run spends beside them is overhead
        self.dtype = module.dtype
        if self.device.type == "cpu" and packed.available():
            packed.pack(module)

    def slots(self, capacity: int | None = None) -> Slots:
        """An empty cache for one text of at most `capacity` tokens."""
        return Slots(self.layers, min(capacity or self.context, self.context))

    @torch.inference_mode()
    def forward(self, ids: Sequence[int], slots: Slots, rows: int | None = None) -> torch.Tensor:
        """Logits (n, vocab) after each of the n new `ids`, which follow what `slots` holds; or after the last `rows`.

        One pass, whatever n is. The slots then hold the new ids too.
        """
        started = perf_counter()
        past, count = slots.length, len(ids)
        if past + count > slots.capacity:
            raise ValueError(f"{past + count} tokens do not fit in {slots.capacity} slots")
        inputs = torch.tensor([ids], device=self.device)  # (1, n)
        positions = torch.arange(past, past + count, device=self.device)  # (n,)
        output = self.module(
            input_ids=inputs,
            attention_mask=self._mask(positions, past + count),
            position_ids=positions[None],
            cache=slots,
            use_cache=True,
            logits_to_keep=rows or 0,
        )
        slots.length = past + count
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)  # so that a clock around this call measures the pass
        self.busy_ms += (perf_counter() - started) * 1e3
        return output.logits[0, :, : self.vocab]

    def _mask(self, positions, total):
        """Row i sees every slot up to its own: (1, 1, n, total). One new token sees everything and needs no mask."""
        if len(positions) == 1:
            return None
        return (torch.arange(total, device=self.device) <= positions[:, None])[None, None]
