"""Text to ids and back, token by token, without losing or inventing a character."""

from __future__ import annotations

import re
from typing import NamedTuple

from specviz.errors import BadInput, check_text

_BYTE = re.compile(r"<0x([0-9A-F]{2})>$")
_UNFINISHED = "\ufffd"


class Piece(NamedTuple):
    """What one token adds to the text. `half`: bytes of a character still unfinished, `text` then shows them;
    `special`: a control token, `text` is its name; `pending`: ids of the unfinished character, this one included."""

    text: str
    half: bool = False
    special: bool = False
    pending: tuple[int, ...] = ()

    @property
    def adds(self) -> str:
        return "" if self.half or self.special else self.text


class Speller:
    """One tokenizer, with every token's text remembered. Used by one thread at a time."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer
        self.special = set(tokenizer.all_special_ids)
        self._single: dict[int, Piece] = {}

    def encode(self, prompt: str) -> list[int]:
        """Ids of a prompt, begun as the model expects; names of control tokens in it are ordinary text."""
        if not prompt.strip():
            raise BadInput("empty_prompt")
        check_text(prompt=prompt)
        return self.tokenizer(prompt, split_special_tokens=True)["input_ids"]

    def piece(self, id: int, pending: tuple[int, ...] = ()) -> Piece:
        """What `id` adds after the ids of an unfinished character."""
        if pending:
            return self._spell(id, pending)
        if id not in self._single:
            self._single[id] = self._spell(id, ())
        return self._single[id]

    def pieces(self, ids: list[int]) -> list[Piece]:
        found, pending = [], ()
        for id in ids:
            found.append(self.piece(id, pending))
            pending = found[-1].pending
        return found

    def _spell(self, id, pending):
        if id in self.special:
            return Piece(self.tokenizer.convert_ids_to_tokens(id), special=True)
        text = self.tokenizer.decode([*pending, id], clean_up_tokenization_spaces=False)
        # Four bytes make the longest character: what is unfinished after them never will be.
        if text.endswith(_UNFINISHED) and len(pending) < 3:
            return Piece(self._bytes(id), half=True, pending=(*pending, id))
        return Piece(text)

    def _bytes(self, id):
        token = self.tokenizer.convert_ids_to_tokens(id)
        if _BYTE.match(token):
            return token
        return "".join(f"<0x{b:02X}>" for b in _byte_level(token)) or token


def _byte_level(token):
    """The bytes behind a token of a byte-level BPE, whose alphabet gives every byte a printable character."""
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    back = {character: byte for byte, character in bytes_to_unicode().items()}
    return [back[c] for c in token] if all(c in back for c in token) else []
