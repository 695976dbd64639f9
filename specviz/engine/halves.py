"""A model cut in two after some layer: the early half guesses with the model's own head, the late half goes on from there.

Both halves are made of the model's own parts; the model itself is never changed, so nothing can be left behind on it.
"""

from __future__ import annotations

from copy import copy

import torch

from specviz.errors import BadInput


class Halves:
    """transformers' module, cut after `layers` layers. Both halves are called as the module is. resumes: whether the late
    one goes on as the whole would; whoever cuts finds out."""

    resumes = False

    def __init__(self, module: torch.nn.Module, layers: int):
        body = module.get_submodule(module.base_model_prefix)
        count = module.config.get_text_config().num_hidden_layers
        stack, norm = _parts(body, count)
        every = list(body.get_submodule(stack))
        self.norm = _Keeper(body.get_submodule(norm))
        self.early = _with(module, body, {stack: _list(every[:layers]), norm: self.norm}, 0, layers)
        self.late = _with(module, body, {stack: _list(every[layers:])}, layers, count)

    def begin(self, **inputs) -> tuple[torch.Tensor, torch.Tensor]:
        """(states (1, n, hidden), logits) of the early half."""
        output = self.early(**inputs)
        states, self.norm.seen = self.norm.seen, None
        return states, output.logits

    def finish(self, states: torch.Tensor, **inputs) -> torch.Tensor:
        """Logits of the late half."""
        return self.late(inputs_embeds=states, **inputs).logits


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


def _list(layers) -> torch.nn.ModuleList:
    return torch.nn.ModuleList(layers)
