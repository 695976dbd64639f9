"""The run for a GPU, on whatever is here: it writes the plain loop's trace, and nobody waits but once a round.

Where there is a GPU all of this runs on it, and recordings are CUDA's; elsewhere a tape takes down a pass as CUDA would.
"""

import gc
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

import pytest
import torch

from specviz.engine import device, device_run, lean, measure, profile, writing
from specviz.engine.device_run import DeviceRun
from specviz.engine.drafters.lookup import LookupDrafter
from specviz.engine.drafters.model import ModelDrafter
from specviz.engine.model import Model, steps
from specviz.engine.pairs import Pair
from specviz.engine.record import Recorder
from specviz.engine.text import Speller
from specviz.errors import BadInput
from specviz.settings import Settings
from tests import fakes
from tests.engine import tape
from tests.engine.slots import hold_a_fresh_reading

HERE = device.present()
FAMILIES = ("llama", "gpt2", "qwen2", "gpt_neox")
RECORD = device.record if HERE.type == "cuda" else tape.record


@pytest.fixture(autouse=True)
def here(monkeypatch):
    """This device counts as one whose passes are fixed; spans begin small, so that a short text crosses several."""
    monkeypatch.setattr(device, "KINDS", (HERE.type,))
    monkeypatch.setattr(device, "RECORDED", ())
    monkeypatch.setattr(device, "SHORTEST", 16)
    monkeypatch.setattr(device, "record", RECORD)
    monkeypatch.setattr(lean, "fits", lambda module: False)


@pytest.fixture
def recording(monkeypatch):
    monkeypatch.setattr(device, "RECORDED", (HERE.type,))


def new_pair(family="llama", eos=(), contexts=(256, 256), seeds=(1, 7)) -> Pair:
    """Other depths, other paddings, one vocabulary: real modules and a real tokenizer."""
    tokenizer = fakes.tiny_tokenizer()
    size = len(tokenizer)
    shapes = zip((size + 11, size + 5), seeds, (2, 1), contexts, strict=True)
    target, draft = (Model(soft_model(family, *shape).to(HERE), size) for shape in shapes)
    return Pair("tiny", target, draft, Speller(tokenizer), frozenset(eos))


def soft_model(*shape):
    """Random models have nothing in common: with flatter rows some guesses are accepted, and some are not."""
    module = fakes.tiny_model(*shape)
    head = module.get_output_embeddings()
    head.weight = torch.nn.Parameter(0.15 * head.weight.detach())
    return module


@pytest.fixture(scope="module")
def pairs():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lean, "fits", lambda module: False)
        return {family: new_pair(family) for family in FAMILIES}


def both(monkeypatch, pair, prompt="moon", **settings):
    """(what the plain loop wrote, what this run wrote), each a finished Trace."""
    asked = Settings(**{"max_new_tokens": 40, "gamma": 3, **settings})
    assert device.serves(pair.target) and device.serves(pair.draft), "or the plain loop is compared with itself"
    *_, ours = writing.write(pair, prompt, asked)
    with monkeypatch.context() as patch:
        patch.setattr(device, "KINDS", ())
        *_, plain = writing.write(pair, prompt, asked)
    return plain, ours


def same(plain, ours, twins=False):
    """Everything but the time: what was chosen exactly, probabilities up to the rounding of a pass. twins: p is q but for
    that rounding, which alone decides on which side of the rest a token is."""
    assert ours.output_ids == plain.output_ids and ours.text == plain.text
    assert ours.finish_reason == plain.finish_reason and ours.notes == plain.notes
    for one, other in zip_longest([plain.first], [ours.first]):
        assert (one.id, one.u) == (other.id, other.u)
    for one, other in zip_longest(plain.rounds, ours.rounds):
        assert one.emitted == other.emitted and one.ms.keys() == other.ms.keys()
        assert all(ms >= 0 for ms in other.ms.values())
        for a, b in zip_longest(one.draft, other.draft):
            exact = ("id", "text", "u", "verdict", "half", "special")
            assert [getattr(a, name) for name in exact] == [getattr(b, name) for name in exact]
            assert (a.p, a.q) == pytest.approx((b.p, b.q), abs=1e-5)
            alike(a, b, twins)
        assert (one.fix is None) == (other.fix is None)
        if one.fix:
            exact = ("id", "text", "kind", "u", "half", "special", "fallback")
            assert [getattr(one.fix, name) for name in exact] == [getattr(other.fix, name) for name in exact]
            alike(one.fix, other.fix, twins)


def alike(one, other, twins):
    for a, b in ((one.top, other.top), (one.soft, other.soft)):
        assert (a is None) == (b is None)
        a, b = ({id: (text, p, q) for id, text, p, q in side or ()} for side in (a, b))
        assert a.keys() == b.keys()
        for id, (text, p, q) in a.items():
            assert b[id][0] == text and b[id][1] == pytest.approx(p, abs=1e-5)
            assert b[id][2] == (q if q is None else pytest.approx(q, abs=1e-5))
    (over, under), (over_, under_) = ((rest["over"], rest["under"]) for rest in (one.rest, other.rest))
    for name in "pq":
        assert over_[name] + under_[name] == pytest.approx(over[name] + under[name], abs=1e-5)
    assert over_["p"] + under_["q"] == pytest.approx(over["p"] + under["q"], abs=1e-5), "Σ min(p, q)"
    assert twins or over_ == pytest.approx(over, abs=1e-5)


WAYS = [
    {"temperature": 0},
    {"temperature": 0.7, "top_k": 7},
    {"temperature": 1.0},
    {"temperature": 1.0, "top_p": 0.8, "gamma": 5},
]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_the_trace_is_the_plain_loops(monkeypatch, pairs, family, way):
    plain, ours = both(monkeypatch, pairs[family], seed=3, **way)
    same(plain, ours)
    kinds = {r.fix.kind for r in ours.rounds if r.fix}
    assert len(ours.rounds) > 5 and "residual" in kinds


@pytest.mark.parametrize("gamma", [0, 1, 2, 4, 6])
def test_any_number_of_guesses_and_none(monkeypatch, pairs, gamma):
    plain, ours = both(monkeypatch, pairs["llama"], gamma=gamma, seed=5, temperature=2)
    same(plain, ours)
    assert [len(r.draft) for r in ours.rounds][:1] == [gamma]


def test_this_is_what_runs_where_the_device_is_such(monkeypatch, pairs):
    made = []
    monkeypatch.setattr(device_run.DeviceRun, "_found", lambda run, *_: made.append(run) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        list(writing.write(pairs["llama"], "moon", Settings()))
    with pytest.raises(ZeroDivisionError):
        list(writing.write(pairs["llama"], "moon", Settings(gamma=0)))
    assert len(made) == 2
    list(writing.write(pairs["llama"], "moon moon moon", Settings(drafter="lookup", max_new_tokens=9)))


def test_some_guesses_are_accepted_and_full_acceptance_leaves_two_tokens_unread(monkeypatch):
    """The target guesses for itself: what the draft never read is read at the next round's first pass."""
    pair = new_pair()
    pair = replace(pair, draft=pair.target.twin())
    plain, ours = both(monkeypatch, pair, gamma=4, temperature=0, max_new_tokens=60)
    same(plain, ours, twins=True)
    assert ours.summary["alpha"] == 1.0


@pytest.mark.parametrize("temperature", [0, 1.0])
def test_stop_strings_and_end_of_text_inside_a_block_end_it_as_in_the_loop(monkeypatch, temperature):
    pair = new_pair()
    pair = replace(pair, draft=pair.target.twin())  # whole blocks are accepted, so that something can end within
    how = {"gamma": 6, "temperature": temperature, "max_new_tokens": 40}
    _, whole = both(monkeypatch, pair, **how)
    ended = set()
    for at in range(2, 9):
        id = whole.output_ids[at]
        stop = pair.speller.piece(id).text
        for one, more in ((pair, {"stop": (stop,)}), (replace(pair, eos=frozenset({id})), {})):
            plain, ours = both(monkeypatch, one, **how, **more)
            same(plain, ours, twins=True)
            last = ours.rounds[-1] if ours.rounds else None
            ended.add((ours.finish_reason, bool(last) and last.draft[-1].verdict == "discarded" and last.fix is None))
    assert {("stop", True), ("eos", True)} <= ended


def test_a_fix_that_is_not_needed_goes_back_among_the_others(monkeypatch, pairs):
    """The text ends before a place that would have been rejected: its fix was looked at there and is no column here."""
    pair, found = pairs["llama"], 0
    for seed in range(40):
        how = {"gamma": 6, "temperature": 3, "seed": seed, "max_new_tokens": 14}
        *_, whole = writing.write(pair, "moon", Settings(**how))
        for r in whole.rounds:
            if r.accepted and r.accepted < len(r.draft):
                one = replace(pair, eos=frozenset({r.draft[r.accepted - 1].id}))
                plain, ours = both(monkeypatch, one, **how)
                same(plain, ours)
                found += bool(ours.rounds) and ours.rounds[-1].fix is None
                break
        if found > 3:
            break
    assert found > 3


@pytest.mark.parametrize("length", [1, 2, 3, 17])
def test_the_cap_is_met_exactly(monkeypatch, pairs, length):
    plain, ours = both(monkeypatch, pairs["llama"], gamma=5, max_new_tokens=length, seed=2)
    same(plain, ours)
    assert len(ours.output_ids) == length


@pytest.mark.parametrize("family", ["gpt2", "llama"])
def test_the_context_is_filled_and_not_overrun(monkeypatch, family):
    """The last passes are wider than what is left: positions that a table does not have are not asked for."""
    pair = new_pair(family, contexts=(40, 40))
    plain, ours = both(monkeypatch, pair, "a" * 11, gamma=6, max_new_tokens=100, temperature=2)
    same(plain, ours)
    assert ours.finish_reason == "context" and len(ours.prompt_ids) + len(ours.output_ids) == 40
    with pytest.raises(BadInput, match="shorten"):
        list(writing.write(pair, "a" * 39, Settings()))


@pytest.mark.parametrize("prompt", [1, 23, 24, 30])
def test_a_draft_of_a_shorter_context_guesses_as_far_as_it_reads(monkeypatch, prompt):
    pair = new_pair("gpt2", contexts=(96, 24))
    plain, ours = both(monkeypatch, pair, "a" * prompt, gamma=4, max_new_tokens=50, temperature=0)
    same(plain, ours)
    assert not ours.rounds[-1].draft and "short_draft" in [note["code"] for note in ours.notes]


@pytest.mark.parametrize("family", FAMILIES)
def test_after_every_round_the_slots_hold_what_a_fresh_reading_would(pairs, family):
    """From a prompt of one token on."""
    pair, settings = pairs[family], Settings(gamma=3, max_new_tokens=30, temperature=2, seed=1)
    run = new_run(DeviceRun, pair, [3], settings)
    run.first()
    for _ in steps(run.rounds()):
        for model, slots in ((pair.target, run.slots), (pair.draft, run.drafter.slots)):
            assert len(run.ids) - 2 <= slots.length <= len(run.ids) - 1 or run.ending.reason
            hold_a_fresh_reading(model, slots, run.ids)


def new_run(kind, pair, prompt, settings):
    drafter = ModelDrafter(pair.draft, settings.sampling) if settings.gamma else None
    recorder = Recorder(pair.speller, soft=settings.temperature == 0)
    return kind(pair.target, drafter, prompt, settings, recorder, pair.eos)


READS = ("tolist", "item", "cpu", "numpy", "nonzero", "__bool__", "__int__", "__float__", "__index__")


@pytest.mark.parametrize("way", [{"temperature": 0}, {"top_k": 9, "top_p": 0.9}, {"gamma": 0}, {}], ids=str)
def test_a_round_reads_the_device_once_and_sends_to_it_once(monkeypatch, pairs, way):
    read, sent, kind = [], [], torch.Tensor
    run = new_run(DeviceRun, pairs["llama"], [3, 4, 5], Settings(**{"max_new_tokens": 30, "seed": 1, **way}))
    run.first()
    rounds = steps(run.rounds())
    next(rounds)
    for name in READS:
        original = getattr(kind, name)
        monkeypatch.setattr(kind, name, lambda *a, n=name, o=original: read.append(n) or o(*a))
    for name in ("tensor", "as_tensor", "from_numpy"):
        original = getattr(torch, name)
        monkeypatch.setattr(torch, name, lambda *a, n=name, o=original, **k: sent.append(n) or o(*a, **k))
    count = 0
    for count, _ in enumerate(rounds, 1):
        assert read == ["tolist"] * count and sent == ["tensor"] * count
    monkeypatch.undo()
    assert count > 5


@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_in_a_fixed_pass_can_be_read(family):
    """On the meta device there are no numbers at all."""
    model = Model(fakes.tiny_model(family, 48).to("meta"), 40)
    passes = device.Passes(model, 64)
    model.forward([3, 4], passes.slots)
    for width, rows in ((5, 0), (2, 1), (1, 1)):
        ids = torch.zeros(width, dtype=torch.long, device="meta")
        assert passes.logits(ids, 9, width, rows).shape == (rows or width, 48)


# What is recorded


def recordings(*models):
    return [passes.recordings for model in models for passes in model.shelf.idle]


@pytest.mark.parametrize("family", FAMILIES)
def test_recorded_passes_write_the_same_trace_and_are_kept_for_the_next_run(monkeypatch, recording, family):
    pair = new_pair(family)
    for seed in (1, 2):
        plain, ours = both(monkeypatch, pair, gamma=3, temperature=2, seed=seed, max_new_tokens=32)
        same(plain, ours)
        gc.collect()
        (target,), (draft,) = recordings(pair.target), recordings(pair.draft)
        assert {which[:2] for which in target} == {(4, 0)} and {which[:2] for which in draft} == {(2, 1), (1, 1)}
        assert {which[2] for which in target} <= {16, 32, 64, 128}, "spans"
        if seed == 1:
            before = {which: id(kept) for which, kept in target.items()}
        assert before.items() <= {which: id(kept) for which, kept in target.items()}.items()
    assert measure.path(pair, Settings()) == "graphs"


@pytest.mark.parametrize("works_for", [0, 1, 3])
def test_where_a_recording_fails_the_run_goes_on_and_says_so(monkeypatch, recording, works_for):
    left = [works_for]

    def failing(action):
        if left[0] == 0:
            action()  # as far as it got
            raise RuntimeError("operation not permitted when stream is capturing")
        left[0] -= 1
        return RECORD(action)

    monkeypatch.setattr(device, "record", failing)
    pair = new_pair()
    plain, ours = both(monkeypatch, pair, gamma=3, temperature=2, seed=1)
    assert ours.notes[-1] == {"code": "not_recorded"}
    same(plain, replace(ours, notes=ours.notes[:-1]))
    assert measure.path(pair, Settings()) == "eager"


@pytest.mark.parametrize("dtype, step", [(torch.float32, 1.0), (torch.bfloat16, 0.1)])
def test_what_hides_a_number_from_the_recording_is_found_out_and_not_recorded(recording, dtype, step):
    """A module that counts on the host where it is: replayed, it would think so everywhere. In half precision the difference
    may be smaller than what passes of other widths round anyway."""
    honest, hiding = (Model(fakes.tiny_model("llama", 40).to(HERE, dtype)) for _ in range(2))
    original = hiding.module.forward

    def forward(cache, **inputs):
        out = original(cache=cache, **inputs)
        places = torch.arange(out.logits.shape[1], device=HERE) + cache.get_seq_length()
        out.logits = out.logits + step * places[:, None]
        return out

    hiding.module.forward = forward
    for model, kept in ((honest, True), (hiding, False)):
        assert device.fixed(model) and model.shelf.recorded is kept


def test_a_module_that_fixed_passes_do_not_suit_stays_with_the_plain_loop(monkeypatch, recording):
    pair = new_pair()
    original = pair.target.module.forward
    pair.target.module.forward = lambda attention_mask, **inputs: original(attention_mask=None, **inputs)
    assert not device.serves(pair.target) and device.serves(pair.draft)
    monkeypatch.setattr(device_run.DeviceRun, "_found", None)
    assert list(writing.write(pair, "moon", Settings(max_new_tokens=5)))[-1].finish_reason == "length"
    assert measure.path(pair, Settings()) == "eager"


# Who shares what


def test_runs_that_take_turns_do_not_touch_each_other(pairs):
    settings = [Settings(gamma=gamma, seed=seed, max_new_tokens=25, temperature=2) for gamma, seed in ((3, 1), (2, 2), (0, 3))]
    alone = []
    for asked in settings:
        run = new_run(DeviceRun, pairs["llama"], [3, 4], asked)
        run.first()
        list(steps(run.rounds()))
        alone.append(run.ids)
    runs = [new_run(DeviceRun, pairs["llama"], [3, 4], asked) for asked in settings]
    for run in runs:
        run.first()
    for _ in zip_longest(*[steps(run.rounds()) for run in runs]):
        pass
    assert [run.ids for run in runs] == alone


def test_memory_is_used_again_by_the_next_run_and_given_up_for_a_longer_text():
    pair = new_pair()
    asked = Settings(gamma=2, max_new_tokens=10, seed=1)
    slots = []
    for tokens in (10, 10, 100, 10):
        run = new_run(DeviceRun, pair, [3, 4], replace(asked, max_new_tokens=tokens))
        run.first()
        list(steps(run.rounds()))
        slots.append(run.slots)
        del run
        assert len(pair.target.shelf.idle) == 1
    assert slots[0] is slots[1] and slots[0] is not slots[2] and slots[2] is slots[3]
    assert (slots[0].places, slots[2].places) == (64, 192)  # 16 and 128 of the text, 33 of a pass, to the next 64


def test_logits_that_are_no_numbers_are_refused_and_leave_nothing_behind(monkeypatch):
    pair = new_pair()
    plain, _ = both(monkeypatch, pair, seed=1)
    for model in (pair.target, pair.draft):
        layer = model.module.model.layers[0].self_attn.v_proj
        weight = layer.forward
        layer.forward = lambda x: x.new_full((*x.shape[:-1], 16), torch.nan)
        for temperature in (0, 1.0):
            with pytest.raises(BadInput, match="not numbers"):
                list(writing.write(pair, "moon", Settings(temperature=temperature)))
        layer.forward = weight
        *_, again = writing.write(pair, "moon", Settings(max_new_tokens=40, gamma=3, seed=1))
        same(plain, again)


# Who is served


def test_only_a_draft_model_on_the_same_device_of_whole_attention_is_served(monkeypatch, pairs):
    pair = pairs["llama"]
    drafter = ModelDrafter(pair.draft, {})
    assert device.serves(pair.target) and device.serves(pair.target, drafter)
    assert not device.serves(pair.target, LookupDrafter(pair.target.context, 8))
    assert not device.serves(pair.target, ModelDrafter(pair.draft, {}, {"code": "quantised"}))
    for name, value in (("window", 16), ("layout", {"cuda:0": "0–1"}), ("lean", object()), ("device", torch.device("meta"))):
        other = pair.draft.twin()
        setattr(other, name, value)
        assert not device.serves(pair.target, ModelDrafter(other, {})) and device.serves(pair.target, drafter), name
    monkeypatch.undo()
    assert device.serves(pair.target) == (HERE.type == "cuda")


def test_cuda_is_known_in_one_file_and_where_memory_is_counted():
    sources = Path(device.__file__).parents[1].rglob("*.py")
    assert {path.name for path in sources if "torch.cuda" in path.read_text("utf-8")} == {"device.py", "memory.py"}


# Clocks


def test_the_clock_of_a_gpu_is_read_at_the_end(monkeypatch):
    """Events as CUDA has them, of which only the order in which they were recorded is known here."""
    now = [0.0]

    class Event:
        def __init__(self, enable_timing):
            assert enable_timing

        def record(self):
            now[0] += 2.5
            self.at = now[0]

        def elapsed_time(self, other):
            return other.at - self.at

    monkeypatch.setattr(torch.cuda, "Event", Event)
    clock = device.Clock(torch.device("cuda"))
    for marks in (3, 4, 1):
        for _ in range(marks):
            clock.mark()
        assert clock.read() == [2.5] * (marks - 1)
    assert len(clock.kept) == 4


def test_time_in_passes_is_told_to_the_models_and_the_parts_of_a_round_are_the_round(pairs):
    pair = pairs["llama"]
    before = pair.target.busy_ms, pair.draft.busy_ms
    *_, trace = writing.write(pair, "moon", Settings(gamma=3, max_new_tokens=30))
    spent = pair.target.busy_ms - before[0], pair.draft.busy_ms - before[1]
    assert spent[0] >= sum(r.ms["verify"] for r in trace.rounds) > 0
    assert spent[1] > 0 and sum(r.ms["draft"] for r in trace.rounds) > 0
    found = profile.profile(pair, ["moon"], Settings(gamma=3, max_new_tokens=30))
    assert sum(found["share"].values()) == pytest.approx(1) and all(ms > 0 for ms in found["ms"].values())


def test_costs_are_those_of_the_passes_that_run(monkeypatch, pairs):
    asked = []
    original = device.Passes.logits
    monkeypatch.setattr(device.Passes, "logits", lambda self, ids, *more: asked.append(len(ids)) or original(self, ids, *more))
    found = measure.costs(pairs["llama"], [2], repeats=2)
    assert set(found["v"]) == {1, 3} and set(asked) == {1, 3} and all(v > 0 for v in found["v"].values())


@pytest.mark.parametrize("needed, wide", [(1, 16), (16, 16), (17, 32), (33, 64), (65, 100), (100, 100)])
def test_spans_double_up_to_all_there_is(needed, wide):
    assert device.span(needed, 100) == wide
