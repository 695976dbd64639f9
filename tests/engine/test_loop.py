"""The loop on real (tiny) models: equal to transformers where that can be equal, consistent with itself everywhere."""

import json
from dataclasses import replace
from math import inf

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

from specviz.engine import writing
from specviz.engine.drafters import Draft
from specviz.engine.drafters.model import ModelDrafter
from specviz.engine.loop import Run
from specviz.engine.record import Recorder
from specviz.errors import BadInput
from specviz.settings import Settings
from specviz.trace import Trace
from tests.engine.slots import hold_a_fresh_reading
from tests.fakes import Letters, TableModel

PROMPTS = ["a", "the moon 月光", "牀🙂", "山水，山水，山水。"]


def finish(pair, prompt, **settings) -> Trace:
    *_, trace = writing.write(pair, prompt, Settings(**settings))
    return trace


def new_run(pair, prompt, drafter="draft", eos=frozenset(), **settings):
    settings = Settings(**settings)
    model = {"draft": pair.draft, "target": pair.target, None: None}[drafter]
    drafter = model and ModelDrafter(model, settings.sampling)
    return Run(pair.target, drafter, pair.speller.encode(prompt), settings, Recorder(pair.speller, False), eos)


@pytest.mark.parametrize("prompt", PROMPTS)
@pytest.mark.parametrize("gamma", [0, 1, 4, 12])
def test_greedy_is_token_for_token_what_transformers_generates(pair, pair_folder, prompt, gamma):
    module = AutoModelForCausalLM.from_pretrained(pair_folder / "target", dtype=torch.float32)
    ids = torch.tensor([pair.speller.encode(prompt)])
    theirs = module.generate(ids, do_sample=False, max_new_tokens=60, pad_token_id=1)[0, ids.shape[1] :].tolist()
    assert finish(pair, prompt, temperature=0, gamma=gamma, max_new_tokens=60).output_ids == theirs


def test_a_draft_that_is_the_target_is_always_accepted(pair):
    run = new_run(pair, "a", "target", gamma=4, max_new_tokens=301)
    run.first()
    rounds = list(run.rounds())
    assert len(run.ending.ids) == 301
    assert all(g.verdict == "accepted" for r in rounds for g in r.draft)
    assert all(r.fix.kind == "bonus" for r in rounds)


@pytest.mark.parametrize("gamma", [0, 1, 3, 7])
def test_cache_after_every_round_equals_a_fresh_reading(pair, gamma):
    run = new_run(pair, "the moon", gamma=gamma, max_new_tokens=40)
    run.first()
    for _ in run.rounds():
        pairs = [(pair.target, run.slots)] + ([(pair.draft, run.drafter.slots)] if run.drafter else [])
        for model, slots in pairs:
            assert slots.length <= len(run.ids) - 1
            hold_a_fresh_reading(model, slots, run.ids)


@pytest.mark.parametrize("temperature", [0, 0.7, 1.0])
@pytest.mark.parametrize("gamma", [1, 4, 9])
def test_the_counts_of_a_trace_agree(pair, temperature, gamma):
    trace = finish(pair, "moon", temperature=temperature, gamma=gamma, max_new_tokens=50, seed=3)
    s = trace.summary
    assert trace.output_ids == [trace.first.id] + [id for r in trace.rounds for id in r.emitted]
    assert s["proposed"] == sum(len(r.draft) for r in trace.rounds)
    assert s["reached"] == s["accepted"] + sum(g.verdict == "rejected" for r in trace.rounds for g in r.draft)
    fixes = sum(r.fix is not None for r in trace.rounds)
    assert len(trace.output_ids) == 1 + s["accepted"] + fixes
    assert fixes in (s["rounds"], s["rounds"] - 1)
    for r in trace.rounds:
        verdicts = [g.verdict for g in r.draft]
        assert verdicts == sorted(verdicts, key=["accepted", "rejected", "discarded"].index)
        assert verdicts.count("rejected") <= 1
        kept = [g.id for g in r.draft if g.verdict == "accepted"]
        assert r.emitted == kept + ([r.fix.id] if r.fix else [])
        assert r.fix is None or r.fix.kind == ("residual" if "rejected" in verdicts else "bonus")


def test_gamma_on_screen_is_what_was_drafted_but_for_the_cap(pair):
    trace = finish(pair, "moon", gamma=4, max_new_tokens=33, seed=5)
    left = 33 - 1
    for r in trace.rounds:
        assert len(r.draft) == min(4, left - 1)
        left -= len(r.emitted)


def test_shown_columns_are_the_probabilities_that_decided(pair):
    trace = finish(pair, "moon", gamma=4, max_new_tokens=40, seed=2)
    for r in trace.rounds:
        for guess in r.draft:
            shown = {id: (p, q) for id, _, p, q in guess.top}
            assert shown[guess.id] == (guess.p, guess.q)
            if guess.verdict == "rejected":
                assert r.fix.id in shown and guess.u * guess.q >= guess.p
            if guess.verdict == "accepted":
                assert guess.u * guess.q < guess.p
            over, under = guess.rest["over"], guess.rest["under"]
            for side, i in (("p", 0), ("q", 1)):
                assert sum(c[i] for c in shown.values()) + over[side] + under[side] == pytest.approx(1, abs=1e-5)


def test_beta_of_the_shown_columns_is_exact(pair):
    """Σ min(p, q) over eight columns and two sums equals the one over the whole vocabulary."""
    trace = finish(pair, "moon", gamma=2, max_new_tokens=20, seed=2)
    run = new_run(pair, "moon", gamma=2, max_new_tokens=20, seed=2)
    run.first()
    seen = []
    original = run.recorder.round
    run.recorder.round = lambda draft, p, *rest: seen.append((draft, p)) or original(draft, p, *rest)
    list(run.rounds())
    for finished, (draft, p) in zip(trace.rounds, seen, strict=True):
        for guess, q, row in zip(finished.draft, draft.q, p, strict=False):
            shown = sum(min(p_, q_) for _, _, p_, q_ in guess.top)
            shown += guess.rest["over"]["p"] + guess.rest["under"]["q"]
            assert shown == pytest.approx(float(np.minimum(q, row).sum()), abs=1e-5)


def test_uniforms_of_a_run_are_distinct_and_none_at_temperature_zero(pair):
    warm = finish(pair, "moon", gamma=4, max_new_tokens=120, seed=9)
    us = [warm.first.u] + [g.u for r in warm.rounds for g in r.draft if g.verdict != "discarded"]
    us += [r.fix.u for r in warm.rounds if r.fix]
    assert len(set(us)) == len(us) and all(0 <= u < 1 for u in us)
    assert all(g.u is None for r in warm.rounds for g in r.draft if g.verdict == "discarded")
    cold = finish(pair, "moon", temperature=0, max_new_tokens=20)
    assert {cold.first.u, *(g.u for r in cold.rounds for g in r.draft), *(r.fix.u for r in cold.rounds if r.fix)} == {None}


def test_temperature_zero_is_one_hot_and_keeps_the_rivals(pair):
    trace = finish(pair, "moon", temperature=0, max_new_tokens=20)
    for r in trace.rounds:
        for guess in r.draft:
            assert {guess.p, guess.q} <= {0.0, 1.0} and guess.q == 1.0
            assert (guess.verdict == "accepted") <= (guess.p == 1.0)
            assert len(guess.soft) >= 8 and all(0 < p < 1 for _, _, p, _ in guess.soft[:1])
            assert all(p + q > 0 for _, _, p, q in guess.top)


def test_same_settings_same_tokens_and_another_seed_others(pair):
    first, again = (finish(pair, "moon", seed=4, max_new_tokens=40).output_ids for _ in range(2))
    other = finish(pair, "moon", seed=5, max_new_tokens=40).output_ids
    assert first == again != other


def test_end_of_text_inside_an_accepted_block_ends_the_text():
    target, speller = TableModel(3, seed=1), Letters(special=(2,))
    found = 0
    for seed in range(60):
        settings = Settings(gamma=6, max_new_tokens=30, seed=seed)
        drafter = ModelDrafter(TableModel(3, seed=1), settings.sampling)  # = target: all would be accepted
        run = Run(target, drafter, [0], settings, Recorder(speller, False), frozenset({2}))
        run.first()
        rounds = list(run.rounds())
        assert run.ending.reason in ("eos", "length")
        assert 2 not in run.ending.ids[:-1]
        if rounds and rounds[-1].fix is None:
            verdicts = [g.verdict for g in rounds[-1].draft]
            at = [g.id for g in rounds[-1].draft].index(2)
            assert verdicts == ["accepted"] * (at + 1) + ["discarded"] * (len(verdicts) - at - 1)
            found += "discarded" in verdicts
    assert found > 5


def test_a_residual_without_mass_falls_back_to_p_and_says_so():
    """Rounding can leave q a little above p everywhere; here a drafter overstates q by half."""
    target = TableModel(4, seed=1)

    class Overstating(ModelDrafter):
        def propose(self, gamma, draw):
            draft = super().propose(gamma, draw)
            return Draft(draft.tokens, [1.5 * q for q in draft.q], draft.logits)

    fixes = []
    for seed in range(20):
        settings = Settings(gamma=2, max_new_tokens=20, seed=seed)
        run = Run(target, Overstating(target, settings.sampling), [0], settings, Recorder(Letters(), False), frozenset())
        run.first()
        fixes += [r.fix for r in run.rounds()]
    residuals = [fix for fix in fixes if fix.kind == "residual"]
    assert len(residuals) > 10 and all(fix.fallback for fix in residuals)
    assert not any(fix.fallback for fix in fixes if fix.kind == "bonus")


@pytest.mark.parametrize("stop", ["ab", "abc", "ca"])
def test_a_stop_text_may_span_tokens_and_rounds(stop):
    for seed in range(30):
        settings = Settings(gamma=3, max_new_tokens=60, seed=seed, stop=(stop,))
        run = Run(
            TableModel(3, seed=4), ModelDrafter(TableModel(3, seed=5), settings.sampling), [0], settings,
            Recorder(Letters(), False), frozenset(),
        )  # fmt: skip
        run.first()
        list(run.rounds())
        whole = "".join(chr(97 + i) for i in run.ending.ids)
        assert stop not in run.ending.text
        assert run.ending.text == whole.split(stop)[0]
        assert (run.ending.reason == "stop") == (stop in whole)
        assert stop not in whole[:-1]


@pytest.mark.parametrize("length", [1, 2, 3, 17])
def test_the_cap_is_met_exactly(pair, length):
    run = new_run(pair, "moon", gamma=5, max_new_tokens=length)
    run.first()
    list(run.rounds())
    assert len(run.ending.ids) == length and run.ending.reason == "length"


def test_the_context_is_filled_and_not_overrun(pair):
    prompt = "a" * (pair.target.context - 11)
    run = new_run(pair, prompt, gamma=4, max_new_tokens=500)
    run.first()
    list(run.rounds())
    assert run.ending.reason == "context" and len(run.ids) == pair.target.context


def test_a_prompt_of_one_token_less_than_the_context_still_gets_an_answer(pair):
    trace = finish(pair, "a" * (pair.target.context - 2), max_new_tokens=5)
    assert len(trace.output_ids) == 1 and trace.finish_reason == "context"
    with pytest.raises(BadInput, match="shorten"):
        finish(pair, "a" * (pair.target.context - 1), max_new_tokens=5)


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("drafter", ["draft", None])
def test_rounds_written_down_together_are_those_written_down_one_by_one(pair, drafter, temperature):
    together, apart = (new_run(pair, "moon 月", drafter, max_new_tokens=40, temperature=temperature, seed=4) for _ in range(2))
    together.recorder.soft = apart.recorder.soft = temperature == 0
    assert together.first() == apart.first()
    first, *others = together.bunches(patience=inf)
    assert len(first) == 1 and len(others) == 1  # the first is not kept waiting
    untimed = [[replace(one, ms={}) for one in rounds] for rounds in ([*first, *others[0]], apart.rounds())]
    assert untimed[0] == untimed[1] and len(untimed[0]) > 5


def test_an_error_loses_no_round_that_was_over(pair):
    run, calm = (new_run(pair, "moon", gamma=2, max_new_tokens=40, seed=4) for _ in range(2))
    run.first(), calm.first()
    whole, seen, play = list(calm.rounds()), [], run._round

    def breaks():
        if len(run.ending.ids) > sum(len(r.emitted) for r in whole[:4]):  # the first token came before them
            raise BadInput("no_chances")
        return play()

    run._round = breaks
    with pytest.raises(BadInput, match="chances"):
        for bunch in run.bunches(patience=inf):
            seen += bunch
    assert [r.emitted for r in seen] == [r.emitted for r in whole[:4]]


def test_a_model_without_an_end_of_text_runs_to_the_cap(pair):
    run = new_run(pair, "moon", max_new_tokens=30)  # eos is the empty set
    run.first()
    list(run.rounds())
    assert run.ending.reason == "length"


def test_acceptance_measured_is_the_overlap_of_p_and_q(pair):
    """If q were taken for one-hot, acceptance would fall to Σ p·q: measured α must be Σ min(p, q)."""
    reached, accepted, beta, wasteful = 0, 0, 0.0, 0.0
    for seed in range(12):
        trace = finish(pair, "moon", gamma=3, temperature=2, max_new_tokens=100, seed=seed)
        for r in trace.rounds:
            for g in r.draft[: r.reached]:
                reached, accepted = reached + 1, accepted + (g.verdict == "accepted")
                beta += sum(min(p, q) for _, _, p, q in g.top) + g.rest["over"]["p"] + g.rest["under"]["q"]
                wasteful += sum(p * q for _, _, p, q in g.top)
    error = 3 * (0.25 / reached) ** 0.5
    assert abs(accepted / reached - beta / reached) < error < (beta - wasteful) / reached


def test_plain_lane_is_of_equal_length_and_the_same_text_at_temperature_zero(pair):
    cold = finish(pair, "moon", temperature=0, max_new_tokens=40)
    lane = writing.plain_lane(pair, cold)
    assert lane["output_ids"] == cold.output_ids and len(lane["ms"]) == len(cold.output_ids) - 1
    warm = finish(pair, "moon", max_new_tokens=40, seed=1)
    assert len(writing.plain_lane(pair, warm)["output_ids"]) == len(warm.output_ids)


def test_a_trace_survives_json_and_holds_no_nan(pair):
    trace = finish(pair, "牀🙂", max_new_tokens=30, temperature=0)
    text = json.dumps(trace.to_json(), allow_nan=False)
    assert Trace.from_json(text).to_json() == trace.to_json()


def test_a_trace_of_two_thousand_tokens_stays_small():
    target, draft = TableModel(50, 1, context=4000), TableModel(50, 2, context=4000)
    settings = Settings(max_new_tokens=2000)
    recorder = Recorder(Letters(), False)
    run = Run(target, ModelDrafter(draft, settings.sampling), [0], settings, recorder, frozenset())
    first = run.first()
    trace = Trace({}, settings.to_json(), "a", [0], ["a"], first, list(run.rounds()), run.ending.ids)
    assert len(trace.output_ids) == 2000
    assert len(json.dumps(trace.to_json())) < 50e6


def test_a_forward_of_many_equals_many_of_one(pair):
    ids = pair.speller.encode("the moon 月光 abc")
    at_once, one_by_one = pair.target.slots(), pair.target.slots()
    together = pair.target.forward(ids, at_once)
    apart = torch.cat([pair.target.forward([id], one_by_one) for id in ids])
    assert (together - apart).abs().max() < 1e-4 and at_once.length == one_by_one.length == len(ids)


def test_packed_linears_equal_the_plain_module(pair, pair_folder):
    module = AutoModelForCausalLM.from_pretrained(pair_folder / "target", dtype=torch.float32)
    ids = pair.speller.encode("the moon 月光 abc")
    with torch.inference_mode():
        plain = module(torch.tensor([ids])).logits[0]
    assert np.allclose(pair.target.forward(ids, pair.target.slots()), plain[:, : pair.target.vocab], atol=1e-4)
