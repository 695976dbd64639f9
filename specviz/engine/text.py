"""Text to ids and back, token by token, without losing or inventing a character.

The pieces of a text, joined, are the tokenizer's own decode of its ids with control tokens left out. Where bytes spell no
character, U+FFFD stands for them as it does there; a byte-fallback decoder then gives up the whole run of bytes, and here
only what is broken is lost.
"""

from __future__ import annotations

import codecs
import re
from functools import cache
from typing import NamedTuple

from specviz.errors import BadInput, check_text

_BYTE = re.compile(r"<0x([0-9A-F]{2})>$")
_BROKEN = "\ufffd"
_PLACE = "\ue000"  # of a private message in a chat template, which no template holds


class Piece(NamedTuple):
    """What one token adds to the text.

    `half`: the text so far ends in bytes of an unfinished character; `text` shows this token's bytes, and the token that
    ends the character adds them all. `special`: a control token, `text` is its name. `pending`: the bytes not yet added,
    to be handed to the next token; `left` is how they read if no token follows.
    """

    text: str
    half: bool = False
    special: bool = False
    pending: bytes = b""
    left: str = ""

    @property
    def adds(self) -> str:
        return "" if self.half or self.special else self.text


class Speller:
    """One tokenizer, with every token's text remembered. Used by one thread at a time."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer
        marked = {id for id, token in tokenizer.added_tokens_decoder.items() if token.special}
        self.special = marked | set(tokenizer.all_special_ids)
        # Asked of the decoder itself, for a token that looks like bytes may be ordinary text elsewhere.
        self._byte_level = tokenizer.convert_tokens_to_string(["ĠĠ"]) == "  "
        self._byte_fallback = tokenizer.convert_tokens_to_string(["<0xE7>"]) == _BROKEN
        self._single: dict[int, Piece] = {}
        self._anchor: tuple[int, str] | None = None

    @property
    def chats(self) -> bool:
        """Whether the tokenizer brings a template that makes a chat message of a prompt."""
        return bool(self.tokenizer.chat_template)

    def encode(self, prompt: str, chat: bool = False) -> list[int]:
        """Ids of a prompt, begun as the model expects; names of control tokens in it are ordinary text.

        chat: as a message of the user, with whatever the template puts around it; as it is where there is no template.
        """
        if not prompt.strip():
            raise BadInput("empty_prompt")
        check_text(prompt=prompt)
        ids = self._message(prompt) if chat and self.chats else self._plain(prompt)
        if not ids:  # a tokenizer may drop what it does not know
            raise BadInput("empty_prompt")
        return ids

    def piece(self, id: int, pending: bytes = b"") -> Piece:
        """What `id` adds within a text, after bytes of an unfinished character."""
        if pending:
            return self._spell(id, pending)
        if id not in self._single:
            self._single[id] = self._spell(id, b"")
        return self._single[id]

    def pieces(self, ids: list[int], begins: bool = False) -> list[Piece]:
        """A piece for every id. begins: the text begins here, where many decoders leave out a space."""
        found, pending = [], b""
        for id in ids:
            piece = self.piece(id, pending)
            if begins and not piece.special:
                begins = False
                if piece.text[:1] == " ":
                    piece = piece._replace(text=self._decode([id]))
            found.append(piece)
            pending = piece.pending
        return found

    def _plain(self, text, **options):
        return self.tokenizer(text, split_special_tokens=True, **options)["input_ids"]

    def _message(self, prompt):
        whole = self._rendered(prompt)
        if not any(self.tokenizer.convert_ids_to_tokens(id) in prompt for id in self.special):
            return self._templated(whole)
        # A control token's name in the message must stay text, so the message is encoded apart from what surrounds it.
        before, _, after = self._rendered(_PLACE).partition(_PLACE)
        return [*self._templated(before), *self._plain(prompt, add_special_tokens=False), *self._templated(after)]

    def _rendered(self, content):
        try:
            message = [{"role": "user", "content": content}]
            return self.tokenizer.apply_chat_template(message, tokenize=False, add_generation_prompt=True)
        except Exception as error:  # a template is a program that came with a model
            why = (str(error).strip() or type(error).__name__).splitlines()[0][:200]
            raise BadInput("broken_template", why=why) from error

    def _templated(self, text):
        return self.tokenizer(text, add_special_tokens=False)["input_ids"] if text else []

    def _spell(self, id, pending):
        token = self.tokenizer.convert_ids_to_tokens(id)
        if id in self.special or token is None:  # an id may stand for nothing
            return Piece(token or f"<{id}>", special=True, pending=pending, left=self._left(pending))
        own = self._bytes(token)
        if own is None:  # plain text, which no bytes go on in
            return Piece(self._left(pending) + self._within(id))
        whole, open_ = _cut(pending + own)
        if open_:
            return Piece(_shown(own, pending), True, False, pending + own, self._left(pending + own))
        return Piece(whole)

    def _bytes(self, token) -> bytes | None:
        """The bytes a token stands for, None where it stands for characters."""
        if self._byte_level:
            alphabet = _alphabet()
            return bytes(alphabet[c] for c in token) if all(c in alphabet for c in token) else token.encode()
        found = _BYTE.match(token) if self._byte_fallback else None
        return bytes([int(found[1], 16)]) if found else None

    def _left(self, pending):
        """How bytes read that no character came of: a byte-level decoder marks the character, the other every byte."""
        return pending.decode("utf-8", "replace") if self._byte_level else _BROKEN * len(pending)

    def _within(self, id):
        """A token's text in the middle of a text: after another token, because a decoder may strip the first one."""
        if self._anchor is None:
            self._anchor = self._find_anchor()
        anchor, text = self._anchor
        return self._decode([anchor, id])[len(text) :]

    def _find_anchor(self):
        for id in range(len(self.tokenizer)):
            token = self.tokenizer.convert_ids_to_tokens(id)
            if id not in self.special and token and self._bytes(token) is None and (text := self._decode([id])):
                return id, text
        return 0, self._decode([0])  # nothing but control tokens and bytes

    def _decode(self, ids):
        return self.tokenizer.decode(ids, clean_up_tokenization_spaces=False)


def _cut(data: bytes) -> tuple[str, bytes]:
    """The characters of `data`, U+FFFD for bytes that spell none, and the bytes of one that is unfinished at its end."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return decoder.decode(data), decoder.getstate()[0]


def _shown(own: bytes, pending: bytes) -> str:
    """A token that leaves a character unfinished: its characters before that one, if they are its own, and bytes."""
    whole, open_ = ("", own) if pending else _cut(own)
    return whole + "".join(f"<0x{b:02X}>" for b in open_)


@cache
def _alphabet() -> dict[str, int]:
    """The bytes behind the tokens of a byte-level BPE, whose alphabet gives every byte a printable character."""
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    return {character: byte for byte, character in bytes_to_unicode().items()}
