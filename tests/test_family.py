"""A report of all drafters read row by row, and the advice that follows from it."""

import math

import pytest

from specviz import family, kinds
from tests.reports import CODES, SPEED, report


def measured(**changes):
    """Figures of three drafters, with what a test changes about them."""
    found = {
        "model": {"speed": 1.6, "training": "model", "bytes": 3e6},
        "lookup": {"speed": 1.3, "training": "none", "bytes": 0},
        "ngram": {"speed": 0.9, "training": "table", "bytes": 5e5},
    }
    blank = {"tokens_per_round": 2.0, "alpha": 0.5, "verdict": "same"}
    return {code: {**blank, **row, **changes.get(code, {})} for code, row in found.items()}


def test_rows_are_there_from_the_beginning():
    rows = family.rows(None, CODES)
    assert [row["drafter"] for row in rows] == ["plain", *CODES]
    assert {row["state"] for row in rows} == {"waiting"}
    assert {row["state"] for row in family.rows(None, CODES, over=True)} == {"left"}


def test_a_running_row_says_so_and_a_finished_one_has_its_figures():
    told = {**report(codes=("model",)), "now": "lookup"}
    states = {row["drafter"]: row for row in family.rows(told, CODES)}
    assert states["plain"]["state"] == states["model"]["state"] == "done"
    assert states["lookup"]["state"] == "running" and states["ngram"]["state"] == "waiting"
    assert states["model"]["speed"] == SPEED["model"] and states["plain"]["speed"] == 1


@pytest.mark.parametrize("pair", ["poem", "english"])
def test_a_row_writes_every_token_of_the_output_once(pair):
    told = report(pair)
    for code, row in told["rows"].items():
        trace = row["trace"]
        texts = [text for text, _, _ in family.origins(trace)]
        assert len(texts) == len(trace["output_ids"])
        assert "".join(texts).replace("</s>", "").strip() == trace["text"].strip(), code


def test_origins_tell_guesses_from_fixes_and_what_was_missed():
    guess = {"text": "a", "verdict": "accepted"}
    wrong = {"text": "b", "verdict": "rejected"}
    trace = {
        "first": {"text": "x"},
        "rounds": [
            {"draft": [guess, wrong], "fix": {"text": "c", "kind": "residual"}, "emitted": [1, 2]},
            {"draft": [guess], "fix": {"text": "d", "kind": "bonus"}, "emitted": [1, 3]},
            {"draft": [guess, guess], "fix": None, "emitted": [1]},
        ],
    }
    first, accepted = ["x", "first", None], ["a", "accepted", None]
    assert family.origins(trace) == [first, accepted, ["c", "fix", "b"], accepted, ["d", "bonus", None], accepted]


def test_the_time_of_a_token_is_the_time_of_the_rounds_shared_out():
    told = report()
    for row in family.rows(told, CODES)[1:]:
        rounds = told["rows"][row["drafter"]]["trace"]["rounds"]
        spent = sum(sum(one["ms"].values()) for one in rounds)
        assert sum(row["each"].values()) == pytest.approx(spent / sum(len(one["emitted"]) for one in rounds))
        plain = family.rows(told, CODES)[0]["each"]["verify"]
        assert row["speed"] == pytest.approx(plain / sum(row["each"].values())), "the lane and the bar say the same"


def test_plain_decoding_is_shown_up_to_the_end_of_its_text():
    told = report()
    ids, texts = told["plain"]["output_ids"], told["plain"]["texts"]
    told["plain"] |= {"output_ids": [*ids, 7, 7], "texts": [*texts, "x", "x"]}
    assert told["rows"]["model"]["trace"]["finish_reason"] == "eos"
    assert [text for text, _, _ in family.rows(told, CODES)[0]["tokens"]] == texts
    for row in told["rows"].values():
        row["trace"]["finish_reason"] = "length"
    assert len(family.rows(told, CODES)[0]["tokens"]) == len(ids) + 2


def test_accepted_guesses_and_the_fix_make_the_tokens_of_a_round():
    row = family.rows(report(), ["model"])[1]
    assert 0 < row["accepted"] < row["tokens_per_round"] <= row["accepted"] + 1


def test_a_refused_row_keeps_its_reason():
    row = family.rows(report(refused=("model",)), CODES)[1]
    assert row["state"] == "refused" and row["refusal"]["code"] == "no_draft" and row["speed"] is None


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        ({"same_as_plain": True, "trial": None}, "same"),
        ({"same_as_plain": False, "trial": None}, "other"),
        ({"same_as_plain": None, "trial": {"p_value": 0.2}}, "innocent"),
        ({"same_as_plain": None, "trial": {"p_value": 1e-9}}, "guilty"),
        ({"same_as_plain": None, "trial": None}, None),
    ],
)
def test_the_verdict_is_the_text_at_zero_and_the_trial_above(row, verdict):
    assert family.verdict(row) == verdict


def test_advice_counts_weights_and_the_keys_and_values_of_the_whole_text():
    told = report()
    row, tokens = told["rows"]["model"], len(told["prompt_texts"]) + told["settings"]["max_new_tokens"]
    assert family.figures(told)["model"]["bytes"] == row["weight_bytes"] + row["kv_bytes_per_token"] * tokens
    assert set(family.figures(report(refused=("model",)))) == set(CODES) - {"model"}


def test_a_pass_that_seems_quicker_than_a_plain_step_tells_of_a_busy_machine():
    told = report(codes=("early-exit",))
    assert not family.busy(told) and not family.busy({**told, "plain": None})
    told["plain"]["ms"] = [2 * told["rows"]["early-exit"]["verify_ms"]] * 9
    assert family.busy(told)


def test_what_cannot_be_tells_of_a_busy_machine_too():
    """More times as fast than it writes tokens a round; or slower than plain decoding without ever having guessed."""
    told = report(codes=("model",))
    told["rows"]["model"] |= {"speed": 4.25, "tokens_per_round": 3.0}
    assert family.busy(told)
    told = report(codes=("lookup",))
    row = told["rows"]["lookup"]
    row["trace"]["rounds"] = [{**one, "draft": []} for one in row["trace"]["rounds"]]
    row |= {"tokens_per_round": 1.0, "speed": 0.95}
    assert not family.busy(told)
    row["speed"] = 0.66
    assert family.busy(told)


def test_one_or_two_rounds_tell_no_speed_and_are_no_ground_for_advice():
    told = report(codes=("model", "lookup"))
    told["rows"]["model"]["rounds"] = 2
    rows = {row["drafter"]: row for row in family.rows(told, ("model", "lookup"))}
    assert rows["model"]["speed"] is None and rows["lookup"]["speed"] == SPEED["lookup"]
    assert set(family.figures(told)) == {"lookup"}


def test_who_never_guessed_has_not_changed_the_text():
    assert family.verdict({"same_as_plain": None, "trial": None, "proposed": 0}) == "silent"


def test_the_fastest_is_advised():
    assert family.advise(measured(), math.inf, "model") == {
        "first": "model", "why": "fastest", "over": None, "left_out": [],
    }  # fmt: skip


def test_what_is_hardly_slower_and_needs_less_is_tried_first():
    said = family.advise(measured(lookup={"speed": 1.55}), math.inf, "model")
    assert (said["first"], said["why"], said["over"]) == ("lookup", "cheaper", "model")
    assert family.advise(measured(lookup={"speed": 1.5}), math.inf, "model")["first"] == "model"


def test_without_training_or_room_the_draft_is_left_out():
    said = family.advise(measured(), math.inf, "none")
    assert said["first"] == "lookup" and said["left_out"] == [["model", "training"], ["ngram", "training"]]
    assert family.advise(measured(), 1e6, "model")["left_out"] == [["model", "room"]]


def test_it_says_so_when_nothing_pays():
    slow = measured(model={"speed": 1.02}, lookup={"speed": 0.98})
    assert family.advise(slow, math.inf, "model") | {"left_out": []} == {
        "first": None, "why": "slow", "over": "model", "left_out": [],
    }  # fmt: skip
    only = {"model": measured()["model"]}
    assert family.advise(only, 0, "none") == {
        "first": None, "why": "none", "over": None, "left_out": [["model", "training"]],
    }  # fmt: skip


def test_what_changed_the_text_is_never_advised():
    said = family.advise(measured(model={"verdict": "guilty"}), math.inf, "model")
    assert said["first"] == "lookup" and said["left_out"] == [["model", "lossy"]]


@pytest.mark.parametrize("pair", ["poem", "english", "smollm2-135m"])
def test_every_pair_has_ready_texts_that_show_different_natures(pair):
    ready = kinds.ready(pair)
    assert {"copied", "known", "repeating"} <= ready.keys() and len(set(ready.values())) == len(ready)
    assert {"code", "chat"} <= ready.keys() or pair == "poem"
    assert list(ready) == [kind for kind in kinds.READY if kind in ready]
