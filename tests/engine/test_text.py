"""Text to ids and back."""

import random

import pytest

from specviz.engine.text import Speller
from specviz.errors import BadInput
from tests.fakes import tiny_tokenizer


@pytest.fixture(scope="module")
def speller():
    return Speller(tiny_tokenizer())


@pytest.mark.parametrize("text", ["月光", "牀前🙂明", "<s>a</s>", "\n\tX", "e\u0301", "👩‍👩‍👧", "𠮷"])
def test_no_character_vanishes(speller, text):
    ids = speller.encode(text)[1:]
    assert "".join(piece.adds for piece in speller.pieces(ids)) == text
    assert speller.tokenizer.decode(ids) == text


def test_half_a_character_shows_its_bytes_until_it_is_whole(speller):
    pieces = speller.pieces(speller.encode("牀")[1:])
    assert [(p.text, p.half) for p in pieces] == [("<0xE7>", True), ("<0x89>", True), ("牀", False)]


def test_joined_pieces_equal_the_decode_of_any_whole_text(speller):
    rng = random.Random(0)
    for _ in range(200):
        text = "".join(rng.choice("abc 月光é牀🙂\n") for _ in range(rng.randint(1, 12)))
        if text.strip():
            ids = speller.encode(text)[1:]
            assert "".join(p.adds for p in speller.pieces(ids)) == speller.tokenizer.decode(ids)


def test_bytes_that_never_become_a_character_do_not_swallow_what_follows(speller):
    byte, a = 2 + 0xE7, speller.encode("a")[1]
    pieces = speller.pieces([byte, a, byte, byte, byte, byte, a])
    assert sum(p.text.count("a") for p in pieces) == 2


def test_control_tokens_are_no_part_of_the_text(speller):
    piece = speller.piece(speller.tokenizer.eos_token_id)
    assert piece.special and piece.adds == "" and piece.text == "</s>"


@pytest.mark.parametrize("prompt", ["", "   ", "\n"])
def test_an_empty_prompt_is_refused(speller, prompt):
    with pytest.raises(BadInput, match="empty"):
        speller.encode(prompt)


def test_a_byte_level_tokenizer_shows_bytes_too():
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    model = models.BPE({c: i for i, c in enumerate(bytes_to_unicode().values())}, [])
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    speller = Speller(PreTrainedTokenizerFast(tokenizer_object=tokenizer))
    pieces = speller.pieces(speller.encode("é x"))
    assert [p.text for p in pieces] == ["<0xC3>", "é", " ", "x"]
