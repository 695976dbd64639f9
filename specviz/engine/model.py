"""One face for any causal language model: ids and slots in, logits out.

transformers' module stands behind it, with its linear layers packed on a CPU; or, where there is one, a leaner forward
that equals it. Knows nothing of drafts, of probabilities or of text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from time import perf_counter

import torch

from specviz.engine import device, lean, memory, packed, reading
from specviz.engine.cache import Rows, Slots
from specviz.engine.drafters import Begun
from specviz.engine.halves import Halves, LeanHalves
from specviz.errors import BadInput

CORES = torch.get_num_threads()  # as many as torch takes by itself, or was told to take


class Model:
    """A causal model ready to run on one device, or spread over several.

    vocab: how many ids the logits tell of. Rows beyond the real tokens are cut off; where the model has fewer rows than
    that (its partner's vocabulary is padded further) what it cannot say gets -inf. context: the most positions it knows.
    window: tokens that some of its layers see at most, None without such; held: bytes its weights take; kv: bytes
    a token of a text takes; folder: where it was read from, None for one that was made on the spot.
    """

    folder: Path | None = None

    def __init__(self, module: torch.nn.Module, vocab: int | None = None, name: str = "", product=packed.product):
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
        self.lean = None
        if self.layout is None and lean.fits(module):
            self.lean = lean.Lean(module, product)
        elif self.device.type == "cpu" and self.layout is None and packed.available():
            packed.pack(module)
        self.held = self.lean.held if self.lean else memory.held(module)
        self.kv = int(self.shape.kv(1)) * self.dtype.itemsize
        self.shelf = device.Shelf()
        self._cuts: dict[int, Halves | LeanHalves] = {}

    def twin(self) -> Model:
        """The same weights under a clock of their own: a model that guesses for itself."""
        other = copy(self)
        other.busy_ms = 0.0
        return other

    def slots(self, capacity: int | None = None) -> Slots | Rows:
        """An empty cache for one text of at most `capacity` tokens."""
        capacity = min(capacity or self.context, self.context)
        return self.lean.slots(capacity) if self.lean else Slots(self.layers, capacity)

    @torch.inference_mode()
    def forward(
        self, ids: Sequence[int], slots: Slots | Rows, rows: int | None = None, begun: Begun | None = None
    ) -> torch.Tensor:
        """Logits (n, vocab) after each of the n new `ids`, which follow what `slots` holds; or after the last `rows`.

        One pass, whatever n is. The slots then hold the new ids too. begun: what the first layers have made of the first
        of these ids, and left in the slots; the pass then goes on from there, where the model can.
        """
        with self._clocked(ids, slots) as inputs:
            if begun and self.cut(begun.layers).resumes:
                logits = self._resumed(inputs, slots, begun)
            elif self.lean:
                x = self.lean.layers(self.lean.embed(inputs), slots)  # (n, hidden)
                logits = self.lean.head(x[-rows:] if rows else x)
            else:
                logits = self.module(input_ids=inputs[None], **self.inputs(len(ids), slots, rows)).logits[0]
        return self.told(logits)

    @torch.inference_mode()
    def through(self, ids: Sequence[int], slots: Slots | Rows, layers: int) -> tuple[torch.Tensor, torch.Tensor]:
        """The first `layers` layers and the head alone: their states (n, hidden), and logits (1, vocab) after the last id.

        The slots then hold the new ids in those layers only: set the length back before the others read them.
        """
        with self._clocked(ids, slots) as inputs:
            states, logits = self.cut(layers).begin(inputs, slots, head=True)
        return states, self.told(logits)

    def cut(self, layers: int) -> Halves | LeanHalves:
        """The model in two after `layers` layers; `resumes` tells whether the late half goes on as the whole would."""
        if self.layout is not None:
            raise BadInput("no_cut", family=self.module.config.model_type)
        if layers not in self._cuts:
            self._cuts[layers] = LeanHalves(self.lean, layers) if self.lean else Halves(self, layers)
        return self._cuts[layers]

    def inputs(self, count: int, slots: Slots, rows: int | None) -> dict:
        """What transformers' module is told beside the ids: where they stand, what they see, which rows are wanted."""
        positions = torch.arange(slots.length, slots.length + count, device=self.device)  # (n,)
        return {
            "attention_mask": self._mask(positions, slots.length + count),
            "position_ids": positions[None],
            "cache": slots,
            "use_cache": True,
            "logits_to_keep": rows or 0,
        }

    def _resumed(self, inputs, slots, begun: Begun):
        """Only what guessing has not begun goes through the early half."""
        halves, past, known = self.cut(begun.layers), slots.length, len(begun.states)
        slots.length = past + known
        more, _ = halves.begin(inputs[known:], slots)
        slots.length = past
        return halves.finish(torch.cat((begun.states, more)), slots)

    @contextmanager
    def _clocked(self, ids, slots) -> Iterator[torch.Tensor]:
        """One pass over new ids (n,), as many threads as it is worth; afterwards the slots hold them."""
        started = perf_counter()
        past = slots.length
        if past + len(ids) > slots.capacity:
            raise ValueError(f"{past + len(ids)} tokens do not fit in {slots.capacity} slots")
        with threads(self.lean and self.lean.threads):
            yield torch.tensor(ids, device=self.device).clamp_(max=self.rows - 1)
        slots.length = past + len(ids)
        device.settle(self.device)
        self.busy_ms += (perf_counter() - started) * 1e3

    def told(self, logits):
        """Of what the module says, the columns of the real ids: (n, vocab)."""
        if self.device.type == "mps":
            logits = logits.cpu()  # probabilities are summed in float64, which that device does not have
        if self.rows < self.vocab:
            logits = torch.nn.functional.pad(logits, (0, self.vocab - self.rows), value=-torch.inf)
        return logits if logits.shape[-1] == self.vocab else logits[:, : self.vocab]

    def _mask(self, positions, total):
        """Row i sees every slot up to its own: (1, 1, n, total). One new token sees everything and needs no mask.

        Where layers see a window the module makes its masks itself, a kind a layer, from the lengths that the slots tell:
        these hold the whole text, so that what has left the window comes back with a roll-back.
        """
        if len(positions) == 1 or self.window:
            return None
        return (torch.arange(total, device=self.device) <= positions[:, None])[None, None]


def steps(generator: Iterator) -> Iterator:
    """What a generator yields, every step of it made without a thought of gradients, and by one thread but for the passes:
    waking another for a row of probabilities takes longer than the row, and far longer while somebody else has its core.
    Whoever reads what is yielded has both as before."""
    while True:
        with torch.inference_mode(), threads(1):
            try:
                found = next(generator)
            except StopIteration:
                return
        yield found


@contextmanager
def threads(count: int | None) -> Iterator[None]:
    """As many threads as are worth it, until it is over; None for all that torch began with."""
    before = torch.get_num_threads()
    torch.set_num_threads(min(count or CORES, CORES))
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _layout(placed: dict | None) -> dict[str, str] | None:
    """{device: "0–11"}: which layers lie where, from the map of a module that is spread; None when it is not."""
    layers = {}
    for part, where in (placed or {}).items():
        if number := re.search(r"\.(\d+)$", part):
            layers.setdefault(str(where) if isinstance(where, str) else f"cuda:{where}", []).append(int(number[1]))
    if len(set(map(str, (placed or {}).values()))) < 2:
        return None
    return {where: f"{min(numbers)}–{max(numbers)}" for where, numbers in layers.items()}
