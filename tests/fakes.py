"""Small stand-ins with known answers: the toy of the package, and a Llama of random weights."""

from __future__ import annotations

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from specviz.engine.toy import Letters, TableModel

__all__ = ["Letters", "TableModel"]


def tiny_tokenizer(characters="abcdefghijklmnopqrstuvwxyz 月光山水，。") -> PreTrainedTokenizerFast:
    """Characters, and bytes for all others; <s> in front."""
    pieces = ["<s>", "</s>", *(f"<0x{b:02X}>" for b in range(256)), *characters]
    tokenizer = Tokenizer(models.BPE({p: i for i, p in enumerate(pieces)}, [], byte_fallback=True))
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>")


LINES = [
    "def area(r):\n    return 3.14 * r * r\n",
    "the moon over the mountain 🙂🙂 👩‍👩‍👧",
    "לילה טוב، مرحبا بالعالم",
    "月光山水",
]
CHAT = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def byte_level_tokenizer(size=400, chat=None, eos="<|im_end|>") -> PreTrainedTokenizerFast:
    """Byte-level BPE of `size` tokens: words with the space before them, pieces of characters and of emoji."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<|im_start|>", "<|im_end|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(LINES * 8, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=eos, chat_template=chat)


def sentencepiece_tokenizer(decoder="strip") -> PreTrainedTokenizerFast:
    """▁ for spaces, one of them put before the text and taken away by the decoder, and bytes for what is unknown.

    decoder: "strip" as Llama's, "metaspace" as one that knows nothing of bytes.
    """
    words = ["▁the", "▁moon", "the", "▁▁", *"▁abcdefghijklmnopqrstuvwxyz月光\ufffd"]
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{b:02X}>" for b in range(256)), *words]
    merges = [("▁", "t"), ("t", "h"), ("th", "e"), ("▁", "the"), ("▁", "▁")]
    pieces += [a + b for a, b in merges if a + b not in pieces]
    model = models.BPE({p: i for i, p in enumerate(pieces)}, merges, byte_fallback=True, unk_token="<unk>")
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    tokenizer.decoder = decoders.Metaspace() if decoder == "metaspace" else decoders.Sequence(steps)
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>")


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


def save_pair(folder, vocab_tokenizer=None, **shapes):
    """A target and a draft with one tokenizer, in Hugging Face format under `folder`; returns the two paths."""
    tokenizer = vocab_tokenizer or tiny_tokenizer()
    for side, seed, layers in (("target", 1, 2), ("draft", 2, 1)):
        tiny_llama(seed, len(tokenizer), layers, **shapes).save_pretrained(folder / side)
        tokenizer.save_pretrained(folder / side)
    return folder / "target", folder / "draft"
