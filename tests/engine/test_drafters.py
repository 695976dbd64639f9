"""Every drafter, one suite: whoever guesses, what comes out is the target's. And the guide to a drafter of one's own."""

import re
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest
import torch
from safetensors.torch import load_file

from specviz import court
from specviz.engine import drafters, loop, pairs, quantise, writing
from specviz.engine.drafters.early_exit import EarlyExitDrafter
from specviz.engine.drafters.lookup import LookupDrafter
from specviz.engine.drafters.model import ModelDrafter
from specviz.engine.drafters.ngram import NgramDrafter, Table
from specviz.engine.loop import Run
from specviz.engine.model import Model
from specviz.engine.record import Recorder
from specviz.engine.toy import Letters
from specviz.errors import BadInput
from specviz.settings import Settings
from specviz.training import ngrams
from tests import fakes
from tests.engine.slots import hold_a_fresh_reading

VOCAB = 3
GUIDE = Path(__file__).parents[2] / "docs" / "drafters.md"
WAYS = {
    "model": {},
    "lookup": {},
    "ngram": {},
    "ngram, single": {"n": 1},
    "early-exit": {"layers": 1},
    "quantised": {},
    "quantised, four bits": {"bits": 4},
    "quantised target": {"of": "target"},
}


def asked(way, **settings) -> Settings:
    code = next(code for code in drafters.CODES if way.startswith(code))
    return Settings(drafter=code, **WAYS[way], **settings)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    file = tmp_path_factory.mktemp("counts") / "ngrams.safetensors"
    texts = [[0, 2, 1, 2, 1, 2, 0, 1, 2, 2, 1], [0, 1, 2, 1, 2]]
    ngrams.save(texts * 3, VOCAB, file)
    return Table(load_file(file))


# On three letters: the target is a Llama of random weights, so that early exit has layers to leave after.
def small_target():
    return Model(fakes.tiny_llama(1, VOCAB, layers=3, heat=2.0))


def small_model(shrunk=0, seed=2):
    module = fakes.tiny_llama(seed, VOCAB, layers=1, heat=2.0)
    if shrunk:
        quantise.shrink(module, shrunk)
    return Model(module)


SMALL = {
    "model": lambda target, table, how: ModelDrafter(small_model(), how),
    "lookup": lambda target, table, how: LookupDrafter(VOCAB, shortest=1),
    "ngram": lambda target, table, how: NgramDrafter(table, 2, VOCAB, how),
    "ngram, single": lambda target, table, how: NgramDrafter(table, 1, VOCAB, how),
    "early-exit": lambda target, table, how: EarlyExitDrafter(target, 1, how),
    "quantised": lambda target, table, how: ModelDrafter(small_model(8), how),
    "quantised, four bits": lambda target, table, how: ModelDrafter(small_model(4), how),
}


def law(monkeypatch, target, drafter, settings) -> dict:
    """Text -> probability, by walking every path the engine's luck can take."""

    def write(path):
        monkeypatch.setattr(loop, "draw", lambda row, u: path.draw(row))
        monkeypatch.setattr(loop.rule, "accepts", lambda u, p_x, q_x: path.happens(p_x / q_x))
        run = Run(target, drafter and drafter(), [0], settings, Recorder(Letters(), soft=False), frozenset())
        run.first()
        list(run.rounds())
        return tuple(run.ending.ids)

    found = {}
    for text, weight in court.every_path(write):
        found[text] = found.get(text, 0) + weight
    return found


def test_every_drafter_is_in_this_suite():
    assert {way.partition(",")[0].split()[0] for way in WAYS} == set(drafters.CODES)
    assert {way.partition(",")[0] for way in SMALL} == set(drafters.CODES)


@pytest.mark.parametrize("how", [{}, {"temperature": 0.6, "top_k": 2}])
@pytest.mark.parametrize("way", SMALL)
def test_the_law_of_the_output_is_the_target_s_whoever_guesses(monkeypatch, table, way, how):
    target = small_target()
    settings = Settings(gamma=2, max_new_tokens=3, **how)
    guessed = []

    def drafter():
        made = SMALL[way](target, table, settings.sampling)
        propose = made.propose
        made.propose = lambda *given: guessed.append(propose(*given)) or guessed[-1]
        return made

    ours = law(monkeypatch, target, drafter, settings)
    plain = law(monkeypatch, target, None, replace(settings, gamma=0))
    assert sum(abs(ours.get(text, 0) - plain.get(text, 0)) for text in set(ours) | set(plain)) / 2 < 1e-5
    assert any(draft.tokens for draft in guessed), "or nothing was ever guessed"


@pytest.mark.parametrize("way", WAYS)
def test_at_temperature_zero_the_text_is_the_target_s_own(everyone, way):
    plain = finish(everyone, asked(way, gamma=0, temperature=0, max_new_tokens=80))
    ours = finish(everyone, asked(way, gamma=4, temperature=0, max_new_tokens=80))
    assert ours.output_ids == plain.output_ids
    assert ours.drafter["code"] == asked(way).drafter and plain.drafter is None


@pytest.mark.parametrize("way", WAYS)
def test_a_seed_gives_the_same_text_again(everyone, way):
    first, again, other = (finish(everyone, asked(way, gamma=3, seed=seed, max_new_tokens=40)).output_ids for seed in (4, 4, 5))
    assert first == again != other


@pytest.mark.parametrize("way", WAYS)
def test_a_stop_ends_the_text_where_plain_decoding_would_end_it(everyone, way):
    plain = finish(everyone, asked(way, gamma=0, temperature=0, max_new_tokens=60))
    stop = plain.text[20:22]
    settings = asked(way, gamma=4, temperature=0, max_new_tokens=60, stop=(stop,))
    ours, theirs = finish(everyone, settings), finish(everyone, replace(settings, gamma=0))
    assert (ours.text, ours.finish_reason) == (theirs.text, "stop")


@pytest.mark.parametrize("way", WAYS)
def test_a_text_goes_on_to_the_end_of_the_context(everyone, way):
    prompt = "moon over the " * 35
    ours = finish(everyone, asked(way, gamma=4, temperature=0, max_new_tokens=400), prompt)
    plain = finish(everyone, asked(way, gamma=0, temperature=0, max_new_tokens=400), prompt)
    assert ours.output_ids == plain.output_ids
    assert len(ours.prompt_ids) + len(ours.output_ids) == everyone.target.context or ours.finish_reason == "eos"


@pytest.mark.parametrize("way", WAYS)
def test_after_every_round_the_slots_hold_what_a_fresh_reading_would(everyone, way):
    settings = asked(way, gamma=3, max_new_tokens=40, seed=8)
    ids = everyone.speller.encode("the moon over the")
    drafter = drafters.new(everyone, settings)
    run = Run(everyone.target, drafter, ids, settings, Recorder(everyone.speller, soft=False), everyone.eos)
    run.first()
    for _ in run.rounds():
        sides = [(everyone.target, run.slots)]
        if isinstance(drafter, ModelDrafter) and drafter.told["code"] == "model":
            sides.append((drafter.model, drafter.slots))
        for model, slots in sides:
            hold_a_fresh_reading(model, slots, run.ids)


@pytest.mark.parametrize("family", fakes.FAMILIES)
def test_a_family_is_left_early_and_gone_on_with_as_if_it_had_not_been(family):
    """Both halves together are the whole, token for token; where a family cannot be entered in the middle it reads all."""
    target = Model(fakes.tiny_model(family, 40, layers=3))
    settings = Settings(gamma=3, temperature=0, max_new_tokens=30)
    texts = []
    for drafter in (None, EarlyExitDrafter(target, 2, settings.sampling)):
        run = Run(target, drafter, [3, 4, 5], settings, Recorder(Letters(), soft=False), frozenset())
        run.first()
        list(run.rounds())
        texts.append(run.ids)
    assert texts[0] == texts[1]
    assert target.cut(2).resumes == (family != "gpt2")


def test_leaving_early_changes_nothing_on_the_model_even_when_it_breaks():
    target = Model(fakes.tiny_model("gpt_neox", 40, layers=3))
    body = target.module.gpt_neox
    before = {**vars(target.module.config)}, list(body.layers), body.final_layer_norm
    drafter = EarlyExitDrafter(target, 1, {})
    drafter.begin([3, 4], target.slots())

    def broken(q, position):
        raise RuntimeError("in the middle of a guess")

    with pytest.raises(RuntimeError, match="middle"):
        drafter.propose(3, broken)
    after = {**vars(target.module.config)}, list(body.layers), body.final_layer_norm
    assert before[0] == after[0] and all(a is b for a, b in zip(before[1], after[1], strict=True)) and before[2] is after[2]
    assert target.forward([3, 4], target.slots()).shape == (2, 40)


@pytest.mark.parametrize("family", ["llama", "gpt_neox"])
def test_the_verification_reads_only_what_guessing_has_left_to_read(family):
    """Early layers see every token once: γ guesses are begun by the drafter, the last is begun by the verification."""
    target, seen = Model(fakes.tiny_model(family, 40, layers=3)), []
    if target.lean:
        first = target.lean._layers[0]
        target.lean._layers[0] = lambda x, *given: seen.append(len(x)) or first(x, *given)
    else:
        target.module.gpt_neox.layers[0].register_forward_hook(lambda layer, given, got: seen.append(given[0].shape[1]))
    settings = Settings(gamma=3, temperature=0, max_new_tokens=20)
    run = Run(target, EarlyExitDrafter(target, 1, {"temperature": 0}), [3], settings, Recorder(Letters(), False), frozenset())
    run.first()
    rounds = iter(run.rounds())
    next(rounds)
    seen.clear()
    next(rounds)
    assert seen == [1, 1, 1, 1]


@pytest.mark.parametrize("n", [1, 2])
def test_the_q_of_counts_is_a_distribution_over_all_that_was_seen(table, n):
    for last in (None,) if n == 1 else range(VOCAB):
        row = table.row(last)
        assert float(row.sum()) == pytest.approx(1, abs=1e-12) and (row >= 0).all() and row.shape == (VOCAB,)


def test_counts_tell_what_followed_what(table):
    """As often as they are counted here by hand; what was too rare to be kept goes to where tokens stand anywhere."""
    texts = [[0, 2, 1, 2, 1, 2, 0, 1, 2, 2, 1], [0, 1, 2, 1, 2]] * 3
    following = [b for ids in texts for a, b in pairwise(ids) if a == 2]
    single = [x for ids in texts for x in ids[1:]]
    n, kinds = len(following), len(set(following))
    for b in range(VOCAB):
        kept = following.count(b) if following.count(b) >= ngrams.SEEN_AT_LEAST else 0
        lost = n - sum(following.count(x) for x in set(following) if following.count(x) >= ngrams.SEEN_AT_LEAST)
        expected = (kept + (lost + kinds) * single.count(b) / len(single)) / (n + kinds)
        assert float(table.row(2)[b]) == pytest.approx(expected)


@pytest.mark.parametrize("wide", [70, 72, 8, 33, 64])
@pytest.mark.parametrize(("bits", "least", "most"), [(8, 1e-4, 0.01), (4, 0.01, 0.12)])
def test_fewer_bits_err_by_about_their_step_however_wide_a_row_is(bits, least, most, wide):
    """torch's own INT8 product ends the process, or answers nonsense, where a row is not as wide as it reads at once."""
    torch.manual_seed(3)
    weight, bias = torch.randn(48, wide), torch.randn(48)
    layer = {8: quantise.Int8Linear, 4: quantise.Int4Linear}[bits](weight, bias)
    error = float((layer.dense() - weight).norm() / weight.norm())
    assert least < error < most
    x = torch.randn(2, 5, wide)
    wanted = torch.nn.functional.linear(x, layer.dense(), bias)
    assert (layer(x) - wanted).abs().max() < 0.02 * wanted.abs().max()  # INT8 multiplies bfloat16 activations
    if wide == 64:
        held = sum(part.numel() * part.element_size() for part in layer.buffers()) - bias.numel() * 4
        assert held < weight.numel() * (bits + 1) / 8 * 1.05


def test_what_the_processor_multiplies_as_it_is_equals_what_is_unpacked():
    torch.manual_seed(4)
    for out, wide in ((32, 64), (33, 70), (7, 8)):
        weight = torch.randn(out, wide)
        packed, unpacked = (quantise.Int4Linear(weight, None, direct=how) for how in (True, False))
        assert (packed.dense() - unpacked.dense()).abs().max() < 0.01 * weight.abs().max()
        x = torch.randn(3, wide).bfloat16().float()
        assert (packed(x) - unpacked(x)).abs().max() < 0.01 * unpacked(x).abs().max()


def test_the_sample_of_a_quantised_layer_lies_on_its_steps(everyone):
    for bits in (8, 4):
        told = drafters.new(everyone, Settings(drafter="quantised", bits=bits, of="target")).told
        sample = told["sample"]
        for before, after in zip(sample["before"], sample["after"], strict=True):
            nearest = min(sample["steps"], key=lambda step: abs(step - before))
            assert after == pytest.approx(nearest, abs=5e-3 * max(map(abs, sample["steps"])))
        assert told["bytes"] < told["bytes_before"] and len(told["layers"]) == 3 * 7 + 1
        assert all(0 < layer["error"] < 0.2 for layer in told["layers"])


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"drafter": "oracle"}, "no_drafter"),
        ({"drafter": "early-exit", "layers": 3}, "out_of_range"),
        ({"drafter": "lookup", "n": 1}, "out_of_range"),
        ({"drafter": "ngram", "n": 3}, "out_of_range"),
    ],
)
def test_what_a_drafter_cannot_do_is_refused_with_a_sentence(everyone, settings, code):
    with pytest.raises(BadInput) as caught:
        drafters.new(everyone, Settings(**settings))
    assert caught.value.code == code


@pytest.mark.parametrize("knob", [{"bits": 5}, {"of": "both"}])
def test_knobs_that_mean_nothing_are_refused(knob):
    with pytest.raises(BadInput) as caught:
        Settings(**knob)
    assert caught.value.code == "not_one_of"


@pytest.mark.parametrize(
    ("way", "code"),
    [("model", "no_draft"), ("ngram", "no_table"), ("early-exit", "few_layers"), ("quantised", "no_draft")],
)
def test_who_cannot_serve_a_pair_says_why(way, code):
    alone = Model(fakes.tiny_llama(1, 40, layers=1))
    pair = pairs.Pair("alone", alone, None, None, frozenset())
    with pytest.raises(BadInput) as caught:
        drafters.new(pair, Settings(drafter=way, of="draft" if way == "quantised" else ""))
    assert caught.value.code == code


def test_the_guide_builds_a_drafter(everyone, monkeypatch):
    """Its file and its line, as they are printed, give a drafter that writes the target's text and keeps its promise."""
    file, line = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.S)
    module = ModuleType("specviz.engine.drafters.echo")
    exec(file, module.__dict__)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(drafters, "KINDS", dict(drafters.KINDS))
    exec(line, {"KINDS": drafters.KINDS, "Kind": drafters.Kind})
    settings = Settings(drafter="echo", gamma=3, temperature=0, max_new_tokens=40)
    assert finish(everyone, settings).output_ids == finish(everyone, replace(settings, gamma=0)).output_ids
    warm = finish(everyone, replace(settings, temperature=1.0))
    assert warm.drafter == {"code": "echo"} and warm.summary["proposed"] > 20


def finish(pair, settings, prompt="moon over the "):
    *_, trace = writing.write(pair, prompt, settings)
    return trace
