"""A forward of the Llama family for a CPU with nothing in it but the arithmetic: Llama, Mistral, Qwen2, Qwen3.

At these sizes most of a pass of transformers' modules is launches and copies. Here q, k and v are one product, gate and
up are one, weights are packed once, positions are turned by a table, keys and values go straight to their slots, and
grouped heads are never repeated. transformers' module is the reference; where its config holds anything that is not
understood completely, the module stays.
"""

from __future__ import annotations

import torch
from torch.nn.functional import embedding, scaled_dot_product_attention, silu

from specviz.engine import packed, reading
from specviz.engine.cache import BLOCK, Rows

FAMILIES = ("llama", "mistral", "qwen2", "qwen3")
ROPES = ("default", "linear", "llama3", "yarn")  # whose frequencies do not depend on the length of the text


def understands(config) -> bool:
    """Whether a model of this configuration is computed here completely."""
    rope = getattr(config, "rope_parameters", None) or {}
    return (
        config.model_type in FAMILIES
        and config.hidden_act == "silu"
        and reading.window(config) is None
        and rope.get("rope_type") in ROPES
        and rope.get("partial_rotary_factor", 1.0) == 1.0
        and reading.shape(config).head_dim % 2 == 0
    )


def fits(module: torch.nn.Module) -> bool:
    """Whether this very module is: a plain one of its family, in float32 on a CPU, whose products can be packed."""
    plain = type(module).__module__.startswith("transformers.models.")
    return (
        plain
        and understands(module.config)
        and all(p.dtype == torch.float32 and p.device.type == "cpu" for p in module.parameters())
        and all(type(part) is torch.nn.Linear for name, part in module.named_modules() if name.endswith(("_proj", "lm_head")))
        and packed.available()
    )


class Lean:
    """The three steps of a pass: `embed`, `layers`, `head`. Takes the weights out of the module, which is empty afterwards.

    x is (n, hidden) throughout: n new tokens of one text. held: bytes that the weights take now; halved: all products read
    them in half precision; threads: how many are worth waking for it, None for as many as there are. product: makes a
    product as `packed.product` does.
    """

    @torch.no_grad()
    def __init__(self, module: torch.nn.Module, product=packed.product):
        config, inner = module.config, module.model
        self.shape = reading.shape(config)
        self.embeddings = inner.embed_tokens.weight.detach()
        self._head = _product(product, module.lm_head)
        self._norm = _Norm(inner.norm, self._head.scale)
        self._layers = []
        for layer in inner.layers:
            self._layers.append(_Layer(layer, self.shape, product))
            layer.to("meta")  # the packed copy is the only one
        self._turns = _Turns(inner.rotary_emb)
        module.to("meta")
        self.products = [self._head, *(product for layer in self._layers for product in layer.products)]
        self.held = sum(product.held for product in self.products) + 4 * self.embeddings.numel()
        self.halved = all(isinstance(product, packed.HalfLinear) for product in self.products)
        self.threads = 1 if all(product.small for product in self.products) else None

    def slots(self, capacity: int) -> Rows:
        return Rows(len(self._layers), capacity, self.shape.kv_heads, self.shape.head_dim)

    def embed(self, ids: torch.Tensor) -> torch.Tensor:
        """x of the ids (n,)."""
        return embedding(ids, self.embeddings)

    def layers(self, x: torch.Tensor, slots: Rows, first: int = 0, last: int | None = None) -> torch.Tensor:
        """x after layers first … last − 1, all of them if left out. `x` is changed in place.

        The tokens stand behind what `slots` holds; their keys and values are written there, its length is left alone.
        """
        past, count = slots.length, len(x)
        new, keys, values = slots.rows(count)
        turns = self._turns(past, count)
        mask = None
        if count > 1:
            mask = x.new_full((count, past + count), -torch.inf).triu_(past + 1)  # row i sees every slot up to its own
        for i in range(first, len(self._layers) if last is None else last):
            x = self._layers[i](x, turns, mask, new[i], keys[i], values[i])
        return x

    def head(self, x: torch.Tensor) -> torch.Tensor:
        """Logits (n, vocabulary) of x."""
        return self._head(self._norm(x))


class _Layer:
    """Attention and feed-forward of one layer.

    Rows of q and k are so ordered that the two numbers which a rotation mixes are neighbours: a complex number, turned
    by one multiplication. Scores do not change when q and k are reordered alike.
    """

    def __init__(self, layer, shape, product):
        attention, mlp = layer.self_attn, layer.mlp
        self.heads, self.kv_heads, self.wide = shape.heads, shape.kv_heads, shape.head_dim
        self.turned = self.heads + self.kv_heads
        self.scaling, self.grouped = attention.scaling, self.heads != self.kv_heads
        order = _neighbours(self.turned, self.wide)
        self.read = _product(product, attention.q_proj, attention.k_proj, attention.v_proj, order=order)
        self.write = _product(product, attention.o_proj, after=True)
        self.widen = _product(product, mlp.gate_proj, mlp.up_proj)
        self.narrow = _product(product, mlp.down_proj, after=True)
        self.before = _Norm(layer.input_layernorm, self.read.scale)
        self.between = _Norm(layer.post_attention_layernorm, self.widen.scale)
        self.inner = mlp.down_proj.in_features
        self.head_norm = _HeadNorm(attention, shape) if hasattr(attention, "q_norm") else None
        self.products = self.read, self.write, self.widen, self.narrow

    def __call__(self, x, turns, mask, new, keys, values):
        count, turned = len(x), self.turned * self.wide
        qkv = self.read(self.before(x))  # (n, (heads + 2 kv_heads) · wide)
        qk = qkv[:, :turned].view(count, self.turned, self.wide)
        if self.head_norm:
            self.head_norm(qk)
        torch.view_as_complex(qk.view(count, self.turned, -1, 2)).mul_(turns)
        new.copy_(qkv[:, self.heads * self.wide :])
        q = qk[:, : self.heads].transpose(0, 1)[None]  # (1, heads, n, wide)
        seen = scaled_dot_product_attention(q, keys, values, mask, scale=self.scaling, enable_gqa=self.grouped)
        x.add_(self.write(seen.transpose(1, 2).reshape(count, -1)), alpha=self.write.scale)
        gate_up = self.widen(self.between(x))  # (n, 2 · inner)
        x.add_(self.narrow(silu(gate_up[:, : self.inner]).mul_(gate_up[:, self.inner :])), alpha=self.narrow.scale)
        return x


class _Norm:
    """x divided by the root of its mean square, times the weight and the scale of the product that comes next."""

    def __init__(self, norm, scale: float):
        width = norm.weight.numel()
        self.weight = norm.weight.detach() * (width**0.5 * scale)
        self.least = torch.full((1, 1), (width * norm.variance_epsilon) ** 0.5)

    def __call__(self, x):
        return x.div(torch.hypot(torch.linalg.vector_norm(x, 2, -1, True), self.least)).mul_(self.weight)


class _HeadNorm:
    """The same for every head of q and k, in place."""

    def __init__(self, attention, shape):
        order, norms = _neighbours(1, shape.head_dim), (attention.q_norm, attention.k_norm)
        rows = [norm.weight.detach()[order].expand(n, -1) for norm, n in zip(norms, (shape.heads, shape.kv_heads), strict=True)]
        self.weight = torch.cat(rows) * shape.head_dim**0.5  # (heads + kv_heads, wide)
        self.least = torch.full((1, 1, 1), (shape.head_dim * attention.q_norm.variance_epsilon) ** 0.5)

    def __call__(self, qk):
        qk.div_(torch.hypot(torch.linalg.vector_norm(qk, 2, -1, True), self.least)).mul_(self.weight)


class _Turns:
    """By how much the pairs of a head are turned at every position: complex numbers (n, 1, wide / 2), from a table that
    grows with the texts."""

    def __init__(self, rotary):
        self.frequencies, self.scaling = rotary.inv_freq.float().clone(), rotary.attention_scaling
        self.table = self._made(BLOCK)

    def __call__(self, past: int, count: int) -> torch.Tensor:
        if past + count > len(self.table):
            self.table = self._made(max(past + count, 2 * len(self.table)))
        return self.table.narrow(0, past, count)

    def _made(self, length):
        angles = torch.arange(length, dtype=torch.float32)[:, None] * self.frequencies
        return torch.complex(angles.cos() * self.scaling, angles.sin() * self.scaling)[:, None]


def _neighbours(heads: int, wide: int) -> torch.Tensor:
    """The rows of `heads` heads, so ordered that i and i + wide / 2 of each stand side by side."""
    return torch.arange(heads * wide).view(heads, 2, wide // 2).transpose(1, 2).reshape(-1)


def _product(product, *linears: torch.nn.Linear, order: torch.Tensor | None = None, after: bool = False):
    """Several layers that read the same as one product; order: in which its first rows stand; after: see `packed.product`."""
    weight, bias = torch.cat([linear.weight for linear in linears]), None
    if linears[0].bias is not None:
        bias = torch.cat([linear.bias for linear in linears])
    if order is not None:
        order = torch.cat((order, torch.arange(len(order), len(weight))))
        weight, bias = weight[order], bias if bias is None else bias[order]
    return product(weight, bias, after)
