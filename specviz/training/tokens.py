"""The two tokenizers of the bundled pairs; in neither is a character ever lost.

Characters: one token a character that was seen often enough, 256 byte tokens for all the others. Bytes: byte-level BPE,
as GPT-2 has it. Both put `<s>` before a text and `</s>` after it; `AutoTokenizer` loads what they save.
"""

from __future__ import annotations

from collections import Counter

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

BOS, EOS = "<s>", "</s>"


def of_characters(texts: list[str], at_least: int, context: int) -> PreTrainedTokenizerFast:
    """A tokenizer over the characters that occur `at_least` times in `texts`, the frequent ones first."""
    counts = Counter(character for text in texts for character in text)
    frequent = [c for c, n in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if n >= at_least]
    pieces = [BOS, EOS, *(f"<0x{byte:02X}>" for byte in range(256)), *frequent]
    # BPE without a single merge is a character tokenizer that can fall back to bytes.
    model = models.BPE({piece: i for i, piece in enumerate(pieces)}, [], byte_fallback=True)
    tokenizer = Tokenizer(model)
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    return _finished(tokenizer, context)


def of_bytes(texts: list[str], size: int, context: int) -> PreTrainedTokenizerFast:
    """A byte-level BPE of `size` tokens, its merges learnt from `texts`."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=[BOS, EOS], initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    return _finished(tokenizer, context)


def _finished(tokenizer, context) -> PreTrainedTokenizerFast:
    tokenizer.post_processor = processors.TemplateProcessing(single=f"{BOS} $A", special_tokens=[(BOS, 0)])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=BOS,
        eos_token=EOS,
        pad_token=EOS,
        model_max_length=context,
        clean_up_tokenization_spaces=False,
    )


def encode(tokenizer, texts: list[str]) -> list[list[int]]:
    """Ids of every text between `<s>` and `</s>`."""
    ids = tokenizer(texts, split_special_tokens=True)["input_ids"]
    return [[*row, tokenizer.eos_token_id] for row in ids]
