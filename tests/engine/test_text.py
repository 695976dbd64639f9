"""Text to ids and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specviz.engine.text import Speller
from specviz.errors import BadInput
from tests import fakes

TOKENIZERS = {
    "characters": fakes.tiny_tokenizer,
    "byte level": fakes.byte_level_tokenizer,
    "no merges": lambda: fakes.byte_level_tokenizer(size=0),
    "sentencepiece": fakes.sentencepiece_tokenizer,
    "metaspace": lambda: fakes.sentencepiece_tokenizer("metaspace"),
}
WITH_BYTES = [name for name in TOKENIZERS if name != "metaspace"]
KNOWN = {}

# Emoji of four bytes, joined ones, marks, right to left, control characters, what stands for broken text.
LETTERS = "abz 月光牀é🙂𠮷\n\t\r\ufffd\u200d\u0301של\u200e"
PARTS = st.sampled_from([*LETTERS, "  ", "the", " moon", "👩‍👩‍👧", "🇨🇳", "👍🏽", "<s>", "<0xE7>", "Ġ", "▁"])
TEXTS = st.one_of(st.text(max_size=20), st.lists(PARTS, max_size=12).map("".join)).filter(str.strip)


def named(name) -> Speller:
    if name not in KNOWN:
        KNOWN[name] = Speller(TOKENIZERS[name]())
    return KNOWN[name]


def decoded(speller, ids):
    return speller.tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def written(speller, ids):
    """What stands on the page when a text is these ids and nothing more."""
    pieces = speller.pieces(ids, begins=True)
    return "".join(piece.adds for piece in pieces) + (pieces[-1].left if pieces else "")


@pytest.fixture(scope="module")
def speller():
    return named("characters")


@pytest.mark.parametrize("name", WITH_BYTES)
@given(text=TEXTS)
def test_joined_pieces_equal_the_tokenizers_own_decode_and_no_character_vanishes(name, text):
    speller = named(name)
    ids = speller.encode(text)
    assert written(speller, ids) == decoded(speller, ids)
    if "▁" not in text:  # sentencepiece's own sign for a space
        assert written(speller, ids) == text


@given(text=TEXTS, data=st.data())
@pytest.mark.parametrize("name", WITH_BYTES)
def test_a_prompt_and_what_follows_it_join_to_one_text_wherever_they_are_cut(name, text, data):
    speller = named(name)
    ids = speller.encode(text)
    begun = 1 + (ids[0] in speller.special)  # a prompt holds some text
    cut = data.draw(st.integers(begun, len(ids)))
    prompt = speller.pieces(ids[:cut], begins=True)
    rest, pending = [], prompt[-1].pending
    for id in ids[cut:]:
        rest.append(speller.piece(id, pending))
        pending = rest[-1].pending
    assert "".join(p.adds for p in [*prompt, *rest]) == decoded(speller, ids)


@pytest.mark.parametrize("name", ["byte level", "no merges"])
@given(data=st.data())
def test_a_byte_level_text_equals_its_decode_even_where_bytes_spell_nothing(name, data):
    speller = named(name)
    ids = data.draw(st.lists(st.integers(0, len(speller.tokenizer) - 1), max_size=12))
    assert written(speller, ids) == decoded(speller, ids)


@given(st.lists(st.sampled_from([2, *range(259, 292)]), max_size=12))
@pytest.mark.parametrize("name", ["sentencepiece", "metaspace"])
def test_a_decoder_that_strips_the_first_space_strips_no_other(name, ids):
    speller = named(name)
    assert written(speller, ids) == decoded(speller, ids)


def test_half_a_character_shows_its_bytes_until_it_is_whole(speller):
    pieces = speller.pieces(speller.encode("牀")[1:])
    assert [(p.text, p.half) for p in pieces] == [("<0xE7>", True), ("<0x89>", True), ("牀", False)]


def test_half_an_emoji_shows_its_bytes_whatever_else_its_token_holds():
    speller = named("byte level")
    ids = [id for token in ("ĠðŁ", "Ļ", "Ĥ") for id in [speller.tokenizer.convert_tokens_to_ids(token)]]
    if None in ids:
        ids = speller.encode(" 🙂")
    pieces = speller.pieces(ids)
    assert all(p.half and p.adds == "" and "<0x" in p.text for p in pieces[:-1])
    assert (pieces[-1].text, pieces[-1].adds) == (" 🙂", " 🙂")


@pytest.mark.parametrize("name", WITH_BYTES)
@pytest.mark.parametrize("text", ["\ufffd", "a\ufffdb", "\ufffd\ufffd月"])
def test_a_literal_replacement_character_is_a_character(name, text):
    speller = named(name)
    pieces = speller.pieces(speller.encode(text), begins=True)
    assert "".join(p.adds for p in pieces) == text and not pieces[-1].half and pieces[-1].left == ""


def test_bytes_that_never_become_a_character_do_not_swallow_what_follows(speller):
    byte, a = 2 + 0xE7, speller.encode("a")[1]
    pieces = speller.pieces([byte, a, byte, byte, byte, byte, a])
    assert sum(p.text.count("a") for p in pieces) == 2


def test_what_looks_like_a_byte_is_text_where_the_decoder_says_so():
    speller = named("metaspace")
    pieces = speller.pieces([speller.tokenizer.convert_tokens_to_ids("<0xE7>")])
    assert [(p.text, p.half) for p in pieces] == [("<0xE7>", False)]


def test_control_tokens_are_no_part_of_the_text(speller):
    piece = speller.piece(speller.tokenizer.eos_token_id)
    assert piece.special and piece.adds == "" and piece.text == "</s>"


def test_a_control_token_with_no_name_of_its_own_in_the_tokenizer_is_one_too():
    speller = named("byte level")
    id = speller.tokenizer.convert_tokens_to_ids("<|im_start|>")
    assert id not in speller.tokenizer.all_special_ids and speller.piece(id).special


def test_an_id_that_stands_for_nothing_is_no_text(speller):
    piece = speller.piece(len(speller.tokenizer) + 5)
    assert piece.special and piece.adds == ""


@pytest.mark.parametrize("prompt", ["", "   ", "\n"])
def test_an_empty_prompt_is_refused(speller, prompt):
    with pytest.raises(BadInput, match="empty"):
        speller.encode(prompt)


def test_a_byte_level_tokenizer_shows_bytes_too():
    speller = named("no merges")
    assert [p.text for p in speller.pieces(speller.encode("é x"))] == ["<0xC3>", "é", " ", "x"]
