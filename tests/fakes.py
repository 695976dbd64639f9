"""Small stand-ins with known answers: the toy of the package, and a Llama of random weights."""

from __future__ import annotations

import torch
from tokenizers import Tokenizer, decoders, models, processors
from transformers import AutoConfig, AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from transformers.convert_slow_tokenizer import bytes_to_unicode

from specviz.engine.toy import Letters, TableModel

__all__ = ["Letters", "TableModel"]


def tiny_tokenizer(characters="abcdefghijklmnopqrstuvwxyz 月光山水，。") -> PreTrainedTokenizerFast:
    """Characters, and bytes for all others; <s> in front."""
    pieces = ["<s>", "</s>", *(f"<0x{b:02X}>" for b in range(256)), *characters]
    tokenizer = Tokenizer(models.BPE({p: i for i, p in enumerate(pieces)}, [], byte_fallback=True))
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>")


def tiny_llama(seed: int, vocab: int, layers: int = 2, context: int = 512, heat: float = 4.0) -> LlamaForCausalLM:
    """Random weights, sharp enough that its own choices are not ties; grouped heads on purpose."""
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=vocab,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=context,
        tie_word_embeddings=False,
        bos_token_id=0,
        eos_token_id=1,
    )
    model = LlamaForCausalLM(config)
    with torch.no_grad():
        model.lm_head.weight.mul_(heat / 0.02 / 32**0.5)
    return model.eval()


FAMILIES = {
    "llama": {"num_key_value_heads": 2, "tie_word_embeddings": False},
    "llama-tied": {"num_key_value_heads": 1, "tie_word_embeddings": True},
    "gpt2": {},
    "qwen2": {"num_key_value_heads": 2, "tie_word_embeddings": True},
    "gpt_neox": {"num_key_value_heads": 4, "tie_word_embeddings": False},
}


def tiny_model(family: str, vocab: int, seed: int = 1, layers: int = 2, context: int = 256, **more):
    """A random model of any family transformers knows, sharp enough that its choices are not ties."""
    torch.manual_seed(seed)
    shape = {
        "vocab_size": vocab, "hidden_size": 32, "num_hidden_layers": layers, "num_attention_heads": 4,
        "max_position_embeddings": context, "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": None,
    }  # fmt: skip
    if family != "gpt2":
        shape["intermediate_size"] = 64
    kind = family.partition("-")[0]
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **{**shape, **FAMILIES.get(family, {}), **more}))
    with torch.no_grad():
        for weights in model.parameters():
            if weights.dim() > 1:
                weights.normal_(0, 0.3)
    return model.eval()


def save(folder, model, tokenizer):
    """A model in Hugging Face format; returns its folder as text."""
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def save_pair(folder, vocab_tokenizer=None, **shapes):
    """A target and a draft with one tokenizer, in Hugging Face format under `folder`; returns the two paths."""
    tokenizer = vocab_tokenizer or tiny_tokenizer()
    for side, seed, layers in (("target", 1, 2), ("draft", 2, 1)):
        tiny_llama(seed, len(tokenizer), layers, **shapes).save_pretrained(folder / side)
        tokenizer.save_pretrained(folder / side)
    return folder / "target", folder / "draft"


def save_gguf(file, model, family: str = "llama") -> None:
    """A tiny Llama as llama.cpp would keep it, in float32; its byte-level tokenizer has one merge and an end of text."""
    from gguf import GGUFWriter, TokenType

    config, writer = model.config, GGUFWriter(str(file), family)
    tokens = [*bytes_to_unicode().values(), "he", "<|end|>"]
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(tokens)
    writer.add_token_merges(["h e"])
    writer.add_token_types([TokenType.NORMAL] * 257 + [TokenType.CONTROL])
    writer.add_bos_token_id(257)
    writer.add_eos_token_id(257)
    writer.add_chat_template("{{ messages }}")
    for name, weights in model.state_dict().items():
        writer.add_tensor(_gguf_name(name), _gguf_order(name, weights, config).contiguous().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


_PARTS = {
    "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm", "model.layers.": "blk.", "model.embed_tokens": "token_embd",
    "model.norm": "output_norm", "lm_head": "output",
}  # fmt: skip


def _gguf_name(name):
    for ours, theirs in _PARTS.items():
        name = name.replace(ours, theirs)
    return name


def _gguf_order(name, weights, config):
    """llama.cpp turns neighbouring pairs of a head, transformers its halves: rows of q and k are kept in its order."""
    heads = config.num_attention_heads if "q_proj" in name else config.num_key_value_heads if "k_proj" in name else 0
    if not heads:
        return weights
    return weights.view(heads, 2, -1, weights.shape[1]).transpose(1, 2).reshape(weights.shape)
