"""Key/value slots: allocated a block at a time, written in place, rolled back by setting an int."""

from __future__ import annotations

from typing import NamedTuple

import torch
from transformers.cache_utils import Cache, CacheLayerMixin

BLOCK = 1024  # tokens: a model may know far more positions than a machine can hold, and few texts need them


class Slots(Cache):
    """The keys and values of one text under one model.

    `length` is how many tokens have been forwarded; setting it back forgets the later ones. Nothing is copied on a
    step, unless the text outgrows what is allocated, which then doubles: a layer writes its new keys at their slots and
    returns views of the filled part, (1, heads, length, dim).
    """

    def __init__(self, layers: int, capacity: int):
        super().__init__(layers=[_Layer(self) for _ in range(layers)])
        self.capacity = capacity
        self.length = 0


class _Layer(CacheLayerMixin):
    is_sliding = False

    def __init__(self, slots: Slots):
        super().__init__()
        self.slots = slots

    def lazy_initialization(self, key_states, value_states):
        batch, heads, _, _ = key_states.shape
        for name, like in (("keys", key_states), ("values", value_states)):
            shape = (batch, heads, min(BLOCK, self.slots.capacity), like.shape[-1])
            setattr(self, name, torch.empty(shape, dtype=like.dtype, device=like.device))
        self.is_initialized = True

    def update(self, key_states, value_states, *args, **kwargs):
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        start = self.slots.length  # the pass moves it on once all layers have written
        count = key_states.shape[-2]
        if start + count > self.keys.shape[-2]:
            self._grow(start + count)
        self.keys.narrow(2, start, count).copy_(key_states)
        self.values.narrow(2, start, count).copy_(value_states)
        return self.keys.narrow(2, 0, start + count), self.values.narrow(2, 0, start + count)

    def _grow(self, needed):
        size = min(max(needed, 2 * self.keys.shape[-2]), self.slots.capacity)
        for name in ("keys", "values"):
            old = getattr(self, name)
            new = old.new_empty(*old.shape[:2], size, old.shape[-1])
            new.narrow(2, 0, old.shape[-2]).copy_(old)
            setattr(self, name, new)

    def get_mask_sizes(self, query_length):
        return self.slots.length + query_length, 0

    def get_seq_length(self):
        return self.slots.length

    def get_max_length(self):
        return self.slots.capacity


class Rows:
    """The same for a model whose layers are all alike, in one block of memory: a row of it is a token, its keys and values
    of one layer side by side, written by one copy."""

    def __init__(self, layers: int, capacity: int, heads: int, wide: int):
        self.capacity, self.length = capacity, 0
        self.shape = heads, wide
        self.block = torch.empty(layers, min(BLOCK, capacity), 2 * heads * wide)

    def rows(self, count: int) -> tuple[list, list, list]:
        """For every layer: where `count` new tokens go (count, 2 · heads · wide), and the keys and the values that they then
        see, views (1, heads, length + count, wide)."""
        total = self.length + count
        if total > self.block.shape[1]:
            self._grow(total)
        keys, values = self._seen(total)
        return self.block.narrow(1, self.length, count).unbind(0), keys, values

    @property
    def layers(self) -> list[Layer]:
        """What every layer holds, and whatever stands behind `length`."""
        return [Layer(*both) for both in zip(*self._seen(self.block.shape[1]), strict=True)]

    def _seen(self, total):
        both = self.block.narrow(1, 0, total).view(len(self.block), total, 2, *self.shape)
        keys, values = both.permute(2, 0, 3, 1, 4).unsqueeze(2).unbind(0)
        return keys.unbind(0), values.unbind(0)

    def _grow(self, needed):
        layers, size, wide = self.block.shape
        block = self.block.new_empty(layers, min(max(needed, 2 * size), self.capacity), wide)
        block.narrow(1, 0, size).copy_(self.block)
        self.block = block


class Layer(NamedTuple):
    """Views (1, heads, length, wide)."""

    keys: torch.Tensor
    values: torch.Tensor
