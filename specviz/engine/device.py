"""All that is special about a device which works while the program goes on: a GPU. Only `memory` knows CUDA besides, to ask
for room.

There a pass of a small model is over sooner than the program can say what to do, and whoever reads a number waits for all
that was said before. So passes are of fixed widths over memory that stays where it is, which CUDA can record once and
replay as a whole; a round takes one message in and one out; and clocks run on the device.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from time import perf_counter

import torch

from specviz.engine.cache import Slots, _Layer

KINDS = RECORDED = ("cuda",)  # on which fixed passes pay, and on which they are recorded; Apple's have no float64
SHORTEST = 256  # places that a fixed pass attends over at least; then twice as many, and so on
EVEN = 64  # of which the places are a multiple
WIDEST = 33  # tokens of a pass: the most guesses of a round, and the token before them
SAME = 1e-2  # of the largest logit: by how much a recorded pass may differ from the same one told anew
WARM = 2  # passes before one is recorded, so that what is made once has been made


def settle(device: torch.device) -> None:
    """Wait until the device has done what it was told, so that a clock around that measures it."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def present() -> torch.device:
    """The first GPU, or the processor where there is none."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def total_memory(device: torch.device) -> int | None:
    """Bytes of memory that a GPU has; None for another device."""
    return torch.cuda.get_device_properties(device).total_memory if device.type == "cuda" else None


def name(device: torch.device) -> str | None:
    """What its maker calls a GPU; None for another device."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else None


class Clock:
    """Milliseconds between marks, told at the end: they are set on the device, behind what it has been told before."""

    def __init__(self, device: torch.device):
        self.events = device.type == "cuda"
        self.kept: list = []  # marks are used again
        self.count = 0

    def mark(self) -> None:
        if self.count == len(self.kept):
            self.kept.append(torch.cuda.Event(enable_timing=True) if self.events else 0.0)
        if self.events:
            self.kept[self.count].record()
        else:
            self.kept[self.count] = perf_counter()
        self.count += 1

    def read(self) -> list[float]:
        """Between every mark and the next; everything before the last of them must have been done. Begins anew."""
        marks, self.count = self.kept[: self.count], 0
        if self.events:
            return [a.elapsed_time(b) for a, b in pairwise(marks)]
        return [(b - a) * 1e3 for a, b in pairwise(marks)]


class Post:
    """Numbers there and back, one message each way: float64, in which every id and every uniform is exact."""

    def __init__(self, device: torch.device, most: int):
        """most: numbers of a message."""
        self.there = torch.zeros(most, dtype=torch.float64, device=device)
        self.here = torch.zeros(most, dtype=torch.float64, pin_memory=device.type == "cuda")

    def send(self, numbers: list[float]) -> torch.Tensor:
        """The numbers on the device, until the next are sent. What was sent before must have arrived: read in between."""
        count = len(numbers)
        self.here[:count] = torch.tensor(numbers, dtype=torch.float64)
        return self.there[:count].copy_(self.here[:count], non_blocking=True)

    @staticmethod
    def read(*tensors: torch.Tensor) -> list:
        """Every tensor as its `tolist` would be, but for all being floats; waits until the device has them."""
        numbers = iter(torch.cat([tensor.reshape(-1).double() for tensor in tensors]).tolist())
        return [_shaped(numbers, tensor.shape) for tensor in tensors]


def _shaped(numbers, shape):
    return [_shaped(numbers, shape[1:]) for _ in range(shape[0])] if shape else next(numbers)


class FixedSlots(Slots):
    """Slots that never move, written at places which the device itself knows while `at` (n,) is set: then every layer
    returns its first `span` places, whatever they hold; which of them count is for the mask to say."""

    def __init__(self, layers: int, capacity: int, widest: int):
        super().__init__(layers, capacity)
        self.layers = [_FixedLayer(self) for _ in range(layers)]
        # A pass that is wider than the text has room writes behind it; attention reads whole blocks.
        self.places = -(-(capacity + widest) // EVEN) * EVEN
        self.at: torch.Tensor | None = None
        self.span = 0

    @torch.inference_mode()
    def empty(self) -> None:
        """Forget the text. What it leaves may be no numbers, which a mask does not hide: 0 · nan is nan."""
        self.length = 0
        for layer in self.layers:
            if layer.is_initialized:
                layer.keys.zero_()
                layer.values.zero_()


class _FixedLayer(_Layer):
    def lazy_initialization(self, key_states, value_states):
        for name, like in (("keys", key_states), ("values", value_states)):
            shape = (*like.shape[:2], self.slots.places, like.shape[-1])
            setattr(self, name, torch.zeros(shape, dtype=like.dtype, device=like.device))
        self.is_initialized = True

    def update(self, key_states, value_states, *args, **kwargs):
        if self.slots.at is None:
            return super().update(key_states, value_states)
        self.keys.index_copy_(2, self.slots.at, key_states)
        self.values.index_copy_(2, self.slots.at, value_states)
        return self.keys.narrow(2, 0, self.slots.span), self.values.narrow(2, 0, self.slots.span)


class Shelf:
    """What a model keeps between runs. idle: passes that no run is using, their memory and their recordings; agrees: whether
    fixed passes give what plain ones do, None before it was tried; recorded: whether recording them has worked so far."""

    def __init__(self):
        self.idle: list[Passes] = []
        self.agrees: bool | None = None
        self.recorded = True


class Passes:
    """Passes of one model over one text, each of a fixed width and span, told of by nothing but tensors that stay.

    The text's first tokens are read by the model's own forward into `slots`.
    """

    def __init__(self, model, capacity: int, widest: int = WIDEST):
        self.shelf, self.module, self.rows, self.context = model.shelf, model.module, model.rows, model.context
        self.slots = FixedSlots(model.layers, capacity, widest)
        self.ids = torch.zeros(1, widest, dtype=torch.long, device=model.device)
        self.length = torch.zeros((), dtype=torch.long, device=model.device)  # tokens before those of the pass
        self.steps = torch.arange(self.slots.places, device=model.device)
        self.recordings: dict[tuple, Callable[[], torch.Tensor]] = {}

    @torch.inference_mode()
    def logits(self, ids: torch.Tensor, length: int, width: int, rows: int = 0) -> torch.Tensor:
        """What the module says (width, its rows), or the last `rows` of it, after ids (n ≤ width,) that follow `length` tokens;
        from row n on it is void. Good until the next pass. Nothing is waited for."""
        self.ids[0, : len(ids)].copy_(ids)
        self.length.fill_(length)
        self.slots.length = length
        which = width, rows, span(length + width, self.slots.places)
        if self.ids.device.type in RECORDED and self.shelf.recorded and which not in self.recordings:
            self._record(which)
        return self.recordings[which]() if which in self.recordings else self.pass_(*which)

    def _record(self, which):
        try:
            self.recordings[which] = record(partial(self.pass_, *which))
        except Exception:  # whatever a module does that cannot be recorded: then it is told operation by operation
            self.shelf.recorded = False
            self.recordings.clear()

    def pass_(self, width: int, rows: int, span: int) -> torch.Tensor:
        """The pass itself, over what ids and length say."""
        slots, at = self.slots, self.length + self.steps[:width]
        seen = self.steps[:span] <= at[:, None]  # row i sees every place up to its own: (width, span)
        slots.at, slots.span = at, span
        try:
            return self.module(
                input_ids=self.ids[:, :width].clamp(max=self.rows - 1),
                attention_mask=seen[None, None],
                position_ids=at.clamp(max=self.context - 1)[None],
                cache=slots,
                use_cache=True,
                logits_to_keep=rows,
            ).logits[0]
        finally:
            slots.at = None


def span(needed: int, places: int) -> int:
    """Over how many places a pass attends that needs `needed` of them: a few sizes, so that few are recorded."""
    size = SHORTEST
    while size < needed:
        size *= 2
    return min(size, places)


def record(action: Callable[[], torch.Tensor]) -> Callable[[], torch.Tensor]:
    """The action as a CUDA graph: called, it does the same again on the same memory, and returns the same tensor. All graphs
    share their scratch memory, so a result is to be used before another is called. RuntimeError and others where something
    in it cannot be recorded."""
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(WARM):
            action()
    torch.cuda.current_stream().wait_stream(aside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=_pool(), capture_error_mode="thread_local"):  # other threads may ask about memory
        result = action()

    def replay():
        graph.replay()
        return result

    return replay


_POOLS: list = []


def _pool():
    if not _POOLS:
        _POOLS.append(torch.cuda.graph_pool_handle())
    return _POOLS[0]


def take(owner: object, model, tokens: int) -> Passes:
    """Passes of the model over a text of at most `tokens` tokens, for as long as the owner lives."""
    capacity = min(span(tokens, model.context), model.context)
    shelf = model.shelf
    found = next((passes for passes in shelf.idle if passes.slots.capacity >= capacity), None)
    if found is None:
        shelf.idle.clear()  # too short: its memory is worth more
        found = Passes(model, capacity)
    else:
        shelf.idle.remove(found)
        found.slots.empty()
    weakref.finalize(owner, shelf.idle.append, found).atexit = False
    return found


def serves(target, drafter=None) -> bool:
    """Whether a run of these is made of fixed passes: both models on one and the same GPU, all of whose layers see the whole
    text; the drafter a draft model, or none. Every other run goes by the plain loop."""
    if drafter is not None and drafter.told["code"] != "model":
        return False
    return all(model.device == target.device and fixed(model) for model in models_of(target, drafter))


def recorded(target, drafter=None) -> bool:
    """Whether a run of these replays its passes as a whole, and does not tell them one operation at a time."""
    if not serves(target, drafter):
        return False
    return all(model.device.type in RECORDED and model.shelf.recorded for model in models_of(target, drafter))


def models_of(target, drafter=None) -> list:
    """The models of a run that `serves`."""
    return [target] if drafter is None else [target, drafter.model]


def fixed(model) -> bool:
    """Whether fixed passes of this model pay here, and give what plain ones do; the latter is tried once."""
    if model.device.type not in KINDS or model.layout or model.lean or model.window:
        return False
    if model.shelf.agrees is None:
        model.shelf.agrees = _agrees(model)
    return model.shelf.agrees


def _agrees(model) -> bool:
    """Four tokens, the last three by two fixed passes at places of their own: what was recorded at the first is replayed at
    the second, which shows whether the module hides a number where no recording finds it. If so, without recordings."""
    if model.context < 4:
        return False
    try:
        recording = model.device.type in RECORDED and model.shelf.recorded
        if _close(model):
            return True
        model.shelf.recorded = False
        return recording and _close(model)
    except (RuntimeError, TypeError, ValueError):  # attention that wants another kind of mask, say
        return False


@torch.inference_mode()
def _close(model) -> bool:
    from specviz.engine.loading import LOOSE, TOLERANCE  # here, for what is loaded has a shelf of this file

    ids = [min(id, model.rows - 1, model.vocab - 1) for id in (5, 6, 7, 8)]
    there = torch.tensor(ids, device=model.device)
    real = min(model.vocab, model.rows)  # padding of the logits is -inf
    whole = model.forward(ids, model.slots(4))[1:, :real].float()
    passes = Passes(model, 4)
    model.forward(ids[:1], passes.slots)
    first = passes.logits(there[1:3], 1, 2).clone()  # the next pass takes its place
    second = passes.logits(there[2:], 2, 2)
    anew = passes.pass_(2, 0, span(4, passes.slots.places))  # the same numbers; half precision would hide a small difference
    parts = model.told(torch.cat((first, second[1:])))[:, :real].float()
    largest, off, replayed = (float(x.abs().max()) for x in (whole, whole - parts, (second - anew).float()))
    return off <= TOLERANCE.get(model.dtype, LOOSE) * largest and replayed <= SAME * largest
