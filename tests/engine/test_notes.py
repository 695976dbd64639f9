"""What is not perfect goes on, and says so."""

import json

import pytest

from specviz.engine import writing
from specviz.engine.model import Model
from specviz.engine.pairs import Pair, load
from specviz.engine.text import Speller
from specviz.errors import BadInput
from specviz.settings import Settings
from specviz.trace import Trace
from tests import fakes

DRAFT, TARGET = 40, 96  # places


def new_pair(tokenizer=None, eos=(), draft=DRAFT, target=TARGET) -> Pair:
    tokenizer = tokenizer or fakes.tiny_tokenizer()
    models = [
        Model(fakes.tiny_llama(seed, len(tokenizer), layers, context), len(tokenizer))
        for seed, layers, context in ((1, 2, target), (2, 1, draft))
    ]
    return Pair("tiny", *models, Speller(tokenizer), frozenset(eos))


@pytest.fixture(scope="module")
def short():
    """A draft that reads less than half of what the target does."""
    return new_pair()


def traces(pair, prompt, **settings):
    return list(writing.write(pair, prompt, Settings(**settings)))


def codes(trace):
    return [note["code"] for note in trace.notes]


@pytest.mark.parametrize("gamma", [1, 5])
def test_a_draft_of_a_shorter_context_guesses_as_far_as_it_reads_and_the_target_goes_on_alone(short, gamma):
    *_, trace = traces(short, "the moon", temperature=0, gamma=gamma, max_new_tokens=80)
    *_, plain = traces(short, "the moon", temperature=0, gamma=0, max_new_tokens=80)
    assert trace.output_ids == plain.output_ids and len(trace.output_ids) == 80
    length = len(trace.prompt_ids) + 1
    for finished in trace.rounds:
        left = len(trace.prompt_ids) + 80 - length
        assert len(finished.draft) == max(0, min(gamma, left - 1, DRAFT - length + 1))
        length += len(finished.emitted)
    assert any(r.draft for r in trace.rounds) and not trace.rounds[-1].draft


def test_the_note_of_a_shorter_draft_comes_when_it_is_outgrown_and_once(short):
    seen = traces(short, "the moon", gamma=3, max_new_tokens=80, seed=1)
    for trace in seen:
        alone = [r for r in trace.rounds if not r.draft]
        assert codes(trace).count("short_draft") == bool(alone)
    assert seen[-1].notes[-1] == {"code": "short_draft", "context": DRAFT, "target": TARGET}
    assert "short_draft" not in codes(traces(short, "the moon", gamma=3, max_new_tokens=20)[-1])
    assert "short_draft" not in codes(traces(short, "the moon", gamma=0, max_new_tokens=80)[-1])


@pytest.mark.parametrize("length", [DRAFT - 1, DRAFT, DRAFT + 1, DRAFT + 9])
def test_a_prompt_near_or_past_the_drafts_context_is_answered(short, length):
    prompt = "a" * (length - 1)  # and <s>
    *_, trace = traces(short, prompt, temperature=0, gamma=4, max_new_tokens=12)
    *_, plain = traces(short, prompt, temperature=0, gamma=0, max_new_tokens=12)
    assert trace.output_ids == plain.output_ids
    assert bool(trace.summary["proposed"]) == (length < DRAFT) and "short_draft" in codes(trace)


def test_a_prompt_of_one_token_less_than_the_context_is_answered_with_a_note(short):
    *_, trace = traces(short, "a" * (TARGET - 2), max_new_tokens=5)
    assert len(trace.output_ids) == 1 and trace.finish_reason == "context"
    assert trace.notes == [{"code": "no_end"}, {"code": "little_room", "room": 1, "asked": 5, "context": TARGET}]
    with pytest.raises(BadInput, match="shorten"):
        traces(short, "a" * (TARGET - 1), max_new_tokens=5)


def test_what_fits_has_no_note_of_room(short):
    room = TARGET - len(short.speller.encode("moon"))
    assert "little_room" not in codes(traces(short, "moon", max_new_tokens=room, gamma=0)[-1])
    assert "little_room" in codes(traces(short, "moon", max_new_tokens=room + 1, gamma=0)[-1])


def test_a_tokenizer_without_an_end_of_text_runs_to_the_cap_with_a_note(tmp_path):
    tokenizer = fakes.byte_level_tokenizer(eos=None)
    fakes.save_pair(tmp_path, tokenizer)
    for side in ("target", "draft"):  # and the model names none either
        for name in ("config.json", "generation_config.json"):
            path = tmp_path / side / name
            told = {**json.loads(path.read_text()), "eos_token_id": None, "bos_token_id": None, "pad_token_id": None}
            path.write_text(json.dumps(told))
    pair = load(target=str(tmp_path / "target"), draft=str(tmp_path / "draft"), device="cpu")
    assert pair.eos == frozenset() and pair.speller.tokenizer.pad_token_id is None
    *_, trace = traces(pair, "the moon", max_new_tokens=30)
    assert len(trace.output_ids) == 30 and trace.finish_reason == "length" and codes(trace) == ["no_end"]


def test_a_run_of_the_usual_kind_has_no_notes(pair):
    assert traces(pair, "moon", max_new_tokens=9)[-1].notes == []


def test_notes_survive_json_and_an_older_trace_has_none(short):
    trace = traces(short, "moon", max_new_tokens=9)[-1]
    data = json.loads(json.dumps(trace.to_json(), allow_nan=False))
    assert Trace.from_json(data).notes == trace.notes == [{"code": "no_end"}]
    del data["notes"], data["prompt_special"]
    assert Trace.from_json(data).notes == []


def test_the_text_of_a_trace_is_the_tokenizers_own_decode_wherever_it_ends():
    tokenizer = fakes.byte_level_tokenizer(size=0)
    pair = new_pair(tokenizer, eos=[tokenizer.eos_token_id])
    halves = 0
    for seed in range(8):
        *_, trace = traces(pair, "moon", temperature=3, max_new_tokens=12, seed=seed)
        assert trace.text == tokenizer.decode(trace.output_ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        halves += pair.speller.pieces(trace.output_ids)[-1].half
    assert halves, "none of them ended within a character"
