"""One face for any causal language model: ids and slots in, logits out.

transformers' module stands behind it, with its linear layers packed on a CPU. Knows nothing of drafts, of
probabilities or of text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from time import perf_counter

import torch

from specviz.engine import memory, packed, reading
from specviz.engine.cache import Slots
from specviz.engine.drafters import Begun
from specviz.engine.halves import Halves
from specviz.errors import BadInput


class Model:
    """A causal model ready to run on one device, or spread over several.

    vocab: how many ids the logits tell of. Rows beyond the real tokens are cut off; where the model has fewer rows than
    that (its partner's vocabulary is padded further) what it cannot say gets -inf. context: the most positions it knows.
    window: tokens that some of its layers see at most, None without such; held: bytes its weights take; kv: bytes a token
    of a text takes; folder: where it was read from, None for one that was made on the spot.
    """

    folder: Path | None = None

    def __init__(self, module: torch.nn.Module, vocab: int | None = None, name: str = ""):
        self.module, self.name = module.eval().requires_grad_(False), name
        config = module.config.get_text_config()
        self.parameters = sum(p.numel() for p in module.parameters())
        self.rows = config.vocab_size
        self.vocab = vocab or self.rows
        self.context = config.max_position_embeddings
        self.shape = reading.shape(module.config)
        self.layers = self.shape.layers
        self.window = reading.window(module.config)
        self.device = module.device
        self.layout = _layout(getattr(module, "hf_device_map", None))
        self.busy_ms = 0.0  # spent in passes so far; what a run spends beside them is overhead
        self.dtype = module.dtype
        if self.device.type == "cpu" and self.layout is None and packed.available():
            packed.pack(module)
        self.held = memory.held(module)
        self.kv = int(self.shape.kv(1)) * self.dtype.itemsize
        self._cuts: dict[int, Halves] = {}

    def twin(self) -> Model:
        """The same weights under a clock of their own: a model that guesses for itself."""
        other = copy(self)
        other.busy_ms = 0.0
        return other

    def slots(self, capacity: int | None = None) -> Slots:
        """An empty cache for one text of at most `capacity` tokens."""
        return Slots(self.layers, min(capacity or self.context, self.context))

    @torch.inference_mode()
    def forward(self, ids: Sequence[int], slots: Slots, rows: int | None = None, begun: Begun | None = None) -> torch.Tensor:
        """Logits (n, vocab) after each of the n new `ids`, which follow what `slots` holds; or after the last `rows`.

        One pass, whatever n is. The slots then hold the new ids too. begun: what the first layers have made of the first
        of these ids, and left in the slots; the pass then goes on from there, where the model can.
        """
        with self._clocked():
            if begun and self.cut(begun.layers).resumes:
                return self._told(self._resumed(ids, slots, begun)[0])
            inputs = self._inputs(ids, slots, rows)
            output = self.module(input_ids=self._ids(ids), **inputs)
            slots.length += len(ids)
            return self._told(output.logits[0])

    @torch.inference_mode()
    def through(self, ids: Sequence[int], slots: Slots, layers: int) -> tuple[torch.Tensor, torch.Tensor]:
        """The first `layers` layers and the head alone: their states (1, n, hidden), and logits (1, vocab) after the last id.

        The slots then hold the new ids in those layers only: set the length back before the others read them.
        """
        with self._clocked():
            states, logits = self.cut(layers).begin(input_ids=self._ids(ids), **self._inputs(ids, slots, 1))
            slots.length += len(ids)
            return states, self._told(logits[0])

    def cut(self, layers: int) -> Halves:
        """The model in two after `layers` layers; `resumes` tells whether the late half goes on as the whole would."""
        if self.layout is not None:
            raise BadInput("no_cut", ref=self.name, family=self.module.config.model_type)
        if layers not in self._cuts:
            self._cuts[layers] = halves = Halves(self.module, layers)
            halves.resumes = self._resumes(layers, halves)
        return self._cuts[layers]

    def _resumed(self, ids, slots, begun: Begun):
        past, known = slots.length, begun.states.shape[1]
        slots.length = past + known
        rest = list(ids[known:])
        more, _ = self.cut(begun.layers).begin(input_ids=self._ids(rest), **self._inputs(rest, slots, 1))
        slots.length = past
        logits = self.cut(begun.layers).finish(torch.cat((begun.states, more), 1), **self._inputs(ids, slots, None))
        slots.length = past + len(ids)
        return logits

    @torch.inference_mode()
    def _resumes(self, layers: int, halves: Halves) -> bool:
        """Tried once: some families do more to what they are given in the middle than to what they make there."""
        ids, slots = [min(id, self.rows - 1) for id in (5, 6, 7)], self.slots(3)
        whole = self.module(input_ids=self._ids(ids), **self._inputs(ids, slots, None)).logits
        states, _ = halves.begin(input_ids=self._ids(ids), **self._inputs(ids, slots, 1))
        try:
            parts = halves.finish(states, **self._inputs(ids, slots, None))
        except (RuntimeError, TypeError, ValueError):
            return False
        return bool((whole - parts).abs().max() <= 1e-3 * whole.abs().max())

    @contextmanager
    def _clocked(self):
        started = perf_counter()
        yield
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)  # so that a clock around this call measures the pass
        self.busy_ms += (perf_counter() - started) * 1e3

    def _ids(self, ids):
        return torch.tensor([ids], device=self.device).clamp_(max=self.rows - 1)  # (1, n)

    def _inputs(self, ids, slots, rows) -> dict:
        """What a pass over new ids is told beside them: where they stand, what they see, which rows are wanted."""
        past, count = slots.length, len(ids)
        if past + count > slots.capacity:
            raise ValueError(f"{past + count} tokens do not fit in {slots.capacity} slots")
        positions = torch.arange(past, past + count, device=self.device)  # (n,)
        return {
            "attention_mask": self._mask(positions, past + count),
            "position_ids": positions[None],
            "cache": slots,
            "use_cache": True,
            "logits_to_keep": rows or 0,
        }

    def _told(self, logits):
        """The rows of the real ids, (n, vocab)."""
        if self.device.type == "mps":
            logits = logits.cpu()  # probabilities are summed in float64, which that device does not have
        if self.rows < self.vocab:
            logits = torch.nn.functional.pad(logits, (0, self.vocab - self.rows), value=-torch.inf)
        return logits[:, : self.vocab]

    def _mask(self, positions, total):
        """Row i sees every slot up to its own: (1, 1, n, total). One new token sees everything and needs no mask.

        Where layers see a window the module makes its masks itself, a kind a layer, from the lengths that the slots tell:
        these hold the whole text, so that what has left the window comes back with a roll-back.
        """
        if len(positions) == 1 or self.window:
            return None
        return (torch.arange(total, device=self.device) <= positions[:, None])[None, None]


def _layout(placed: dict | None) -> dict[str, str] | None:
    """{device: "0–11"}: which layers lie where, from the map of a module that is spread; None when it is not."""
    layers = {}
    for part, device in (placed or {}).items():
        if number := re.search(r"\.(\d+)$", part):
            layers.setdefault(str(device) if isinstance(device, str) else f"cuda:{device}", []).append(int(number[1]))
    if len(set(map(str, (placed or {}).values()))) < 2:
        return None
    return {device: f"{min(numbers)}–{max(numbers)}" for device, numbers in layers.items()}
