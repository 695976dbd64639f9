"""A character-level tokenizer in which no character is ever lost, and the packing of texts into rows.

One token a character that was seen often enough, 256 byte tokens for all the others, `<s>` and `</s>` around a text.
`AutoTokenizer` loads what `build` saves.
"""

from __future__ import annotations

from collections import Counter

import torch
from tokenizers import Tokenizer, decoders, models, processors
from transformers import PreTrainedTokenizerFast

BOS, EOS = "<s>", "</s>"


def build(texts: list[str], at_least: int, context: int) -> PreTrainedTokenizerFast:
    """A tokenizer over the characters that occur `at_least` times in `texts`, the frequent ones first."""
    counts = Counter(character for text in texts for character in text)
    frequent = [c for c, n in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if n >= at_least]
    pieces = [BOS, EOS, *(f"<0x{byte:02X}>" for byte in range(256)), *frequent]
    # BPE without a single merge is a character tokenizer that can fall back to bytes.
    model = models.BPE({piece: i for i, piece in enumerate(pieces)}, [], byte_fallback=True)
    tokenizer = Tokenizer(model)
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
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


def pack(documents: list[list[int]], width: int, generator: torch.Generator) -> torch.Tensor:
    """Shuffled documents laid end to end in rows of `width` ids, each row beginning with a document; (rows, width).

    What does not fit at the end of a row is cut off: no padding, and position 0 is always a beginning.
    """
    rows, row = [], []
    for i in torch.randperm(len(documents), generator=generator).tolist():
        row += documents[i]
        if len(row) >= width:
            rows.append(row[:width])
            row = []
    return torch.tensor(rows)
