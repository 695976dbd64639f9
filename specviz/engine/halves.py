"""A model cut in two after some layer: the early half guesses with the model's own head, the late half goes on from there.

Both halves are made of the model's own parts; the model itself is never changed, so nothing can be left behind on it.
"""

from __future__ import annotations

from copy import copy

import torch

from specviz.errors import BadInput


class LeanHalves:
    """The lean forward, cut after `layers` layers. States are (n, hidden) of n new tokens that follow what the slots hold."""

    resumes = True

    def __init__(self, lean, layers: int):
        self.lean, self.cut = lean, layers

    def begin(self, ids: torch.Tensor, slots, head: bool = False) -> tuple[torch.Tensor, torch.Tensor | None]:
        """States of the early half, and, if the head is asked for, logits (1, V) after the last id."""
        states = self.lean.layers(self.lean.embed(ids), slots, 0, self.cut)
        return states, self.lean.head(states[-1:]) if head else None

    def finish(self, states: torch.Tensor, slots) -> torch.Tensor:
        """Logits (n, V) of the late half; `states` is used up."""
        return self.lean.head(self.lean.layers(states, slots, self.cut))


class Halves:
    """transformers' module, cut likewise. resumes: whether the late half goes on as the whole would; some families do more to
    what they are given in the middle than to what they make there."""

    def __init__(self, model, layers: int):
        module = model.module
        body = module.get_submodule(module.base_model_prefix)
        count = module.config.get_text_config().num_hidden_layers
        stack, norm = _parts(body, count)
        every = list(body.get_submodule(stack))
        self.inputs, self.norm = model.inputs, _Keeper(body.get_submodule(norm))
        self.early = _with(module, body, {stack: torch.nn.ModuleList(every[:layers]), norm: self.norm}, 0, layers)
        self.late = _with(module, body, {stack: torch.nn.ModuleList(every[layers:])}, layers, count)
        self.resumes = self._resumes(model)

    def begin(self, ids: torch.Tensor, slots, head: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
        output = self.early(input_ids=ids[None], **self.inputs(len(ids), slots, 1))
        states, self.norm.seen = self.norm.seen, None
        return states[0], output.logits[0]

    def finish(self, states: torch.Tensor, slots) -> torch.Tensor:
        return self.late(inputs_embeds=states[None], **self.inputs(len(states), slots, None)).logits[0]

    @torch.inference_mode()
    def _resumes(self, model) -> bool:
        """Tried once, on three tokens."""
        ids = torch.tensor([min(id, model.rows - 1) for id in (5, 6, 7)], device=model.device)
        slots = model.slots(3)
        whole = model.module(input_ids=ids[None], **self.inputs(3, slots, None)).logits[0]
        states, _ = self.begin(ids, slots)
        try:
            parts = self.finish(states, slots)
        except (RuntimeError, TypeError, ValueError):
            return False
        return bool((whole - parts).abs().max() <= 1e-3 * whole.abs().max())


class _Keeper(torch.nn.Module):
    """The last norm, which remembers what it was given."""

    def __init__(self, norm: torch.nn.Module):
        super().__init__()
        self.norm, self.seen = norm, None

    def forward(self, states):
        self.seen = states
        return self.norm(states)


def _parts(body, count: int) -> tuple[str, str]:
    """Names of the list of layers and of the norm after them."""
    names, parts = list(body._modules), body._modules
    lists = [name for name in names if isinstance(parts[name], torch.nn.ModuleList) and len(parts[name]) == count]
    after = names[names.index(lists[0]) + 1 :] if lists else []
    norms = [name for name in after if "norm" in name or name.startswith("ln")]
    if not norms:
        raise BadInput("no_cut", family=body.config.model_type)
    return lists[0], norms[0]


def _with(module, body, parts: dict, first: int, last: int):
    """The module with some parts of its body exchanged and a config of its own; everything else is shared."""
    inner = _copied(body, parts, first, last)
    return _copied(module, {module.base_model_prefix: inner}, first, last)


def _copied(module, parts: dict, first: int, last: int):
    other = copy(module)
    other._modules = {**module._modules, **parts}
    other.config = copy(module.config)
    other.config.num_hidden_layers = last - first
    if kinds := getattr(module.config, "layer_types", None):
        other.config.layer_types = kinds[first:last]
    return other
