"""What the bundled pairs are taught from: tokenizers that lose nothing, rows that replay, splits that do not leak."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from specviz.training import english, tokens
from specviz.training.rows import Rows, Windows, line_starts

TEXTS = ["def f(x):\n    return x + 1\n", "To be, or not to be,--that is the question:--\n", "床前明月光，疑是地上霜。\n"] * 5
TOKENIZERS = {"bytes": tokens.of_bytes(TEXTS, 300, 64), "characters": tokens.of_characters(TEXTS, 2, 64)}


@pytest.mark.parametrize("kind", TOKENIZERS)
@given(text=st.text(st.characters(exclude_categories=["Cs"])))
@settings(deadline=None, max_examples=60)
def test_a_tokenizer_of_a_bundled_pair_loses_no_character(kind, text):
    tokenizer = TOKENIZERS[kind]
    ids = tokenizer(text, split_special_tokens=True)["input_ids"]
    assert ids[0] == tokenizer.bos_token_id
    assert tokenizer.decode(ids[1:]) == text


def test_of_bytes_has_as_many_tokens_as_were_asked_for():
    assert len(TOKENIZERS["bytes"]) == 300


def windows(**options):
    ids = list(range(10, 60))
    return Windows({"verse": (ids, [0, 7, 30], 1.0), "code": (ids[::-1], [0, 11], 3.0)}, 0, 32, width=8, long=16, **options)


def test_a_window_begins_with_the_beginning_of_a_line():
    firsts = {(int(row[0]), int(row[1])) for step in range(50) for row in windows().at(step)}
    assert firsts == {(0, 10), (0, 17), (0, 40), (0, 59), (0, 48)}


def test_a_window_is_read_on_without_a_gap():
    for row in windows().at(0):
        steps = row[1:].diff()
        assert set(steps.tolist()) in ({1}, {-1})


def test_kinds_come_in_their_shares():
    rising = [bool(row[2] > row[1]) for step in range(500) for row in windows().at(step)]
    assert abs(sum(rising) / len(rising) - 0.25) < 0.03  # 2,000 windows: three standard deviations


@pytest.mark.parametrize("make", [windows, lambda **o: Rows([[0, *range(5, 20), 1]] * 40, 64, width=16, long=32, **o)])
def test_rows_depend_on_seed_and_step_alone(make):
    walked = make(seed=3)
    for step in range(6):
        walked.at(step)
    assert torch.equal(walked.at(6), make(seed=3).at(6))
    assert not torch.equal(windows(seed=3).at(6), windows(seed=4).at(6))


def test_long_steps_are_wider_and_hold_as_many_tokens():
    short, long = windows(long_steps=(2, 3)).at(1), windows(long_steps=(2, 3)).at(2)
    assert (short.shape, long.shape) == ((4, 8), (2, 16))


def test_lines_start_after_a_break():
    assert line_starts([5, 9, 5, 5, 9], {9}) == [0, 2]


def test_a_passage_that_is_not_in_the_play_is_an_error():
    play = english.clean("Enter.\r\n  If music be the food of love, play on,  \nGive me excess of it;\n\n\n\n\n\nThat strain")
    assert english.passage(play, "If music", 2) == "If music be the food of love, play on,\nGive me excess of it;\n"
    assert play.endswith("it;\n\n\nThat strain\n")
    with pytest.raises(ValueError, match="no line begins"):
        english.passage(play, "Shall I compare", 2)


def test_no_play_and_no_module_is_both_learnt_and_held_out(tmp_path):
    plays = {play for play, _, _ in english.KNOWN} | set(english.HELD_OUT_PLAYS)
    passages = {play: [f"{start}\n" + "line\n" * 30 for name, start, _ in english.KNOWN if name == play] for play in plays}
    for play in plays:
        (tmp_path / f"{play}_gut.txt").write_text(f"{play}\n" + "".join(passages[play]))
    found = english.load(tmp_path)
    assert len(found["verse"].held_out) == len(english.HELD_OUT_PLAYS)
    for kind in ("verse", "code"):
        assert found[kind].train and found[kind].held_out
        assert not set(found[kind].train) & set(found[kind].held_out)
