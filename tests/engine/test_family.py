"""All drafters on one prompt: what the rows say is what their traces say, and a drafter that lies is found out."""

import json
from dataclasses import replace
from itertools import pairwise

import pytest

from specviz.engine import drafters, family, writing
from specviz.engine.work import Family
from specviz.errors import BadInput, Cancelled
from specviz.settings import Settings
from specviz.trace import Guess, Trace

PROMPT = "the moon over the moon over "


@pytest.fixture(scope="module", params=[1.0, 0.0])
def report(everyone, request):
    settings = Settings(temperature=request.param, max_new_tokens=24, seed=3)
    *_, (whole, _) = family.family(everyone, PROMPT, settings, drafters.CODES)
    return whole


def test_figures_are_those_of_the_traces(report):
    assert set(report["rows"]) == set(drafters.CODES) and report["now"] is None and report["share"] == 1
    for code, row in report["rows"].items():
        trace = Trace.from_json(row["trace"])
        summary = trace.summary
        assert row["tokens_per_round"] == summary["tokens_per_round"] and row["alpha"] == summary["alpha"]
        spent = sum(sum(r.ms.values()) for r in trace.rounds)
        assert row["tokens_per_s"] == pytest.approx(sum(len(r.emitted) for r in trace.rounds) / spent * 1e3)
        assert row["speed"] == pytest.approx(row["tokens_per_s"] / report["plain"]["tokens_per_s"])
        assert row["silent_rounds"] == sum(not r.draft for r in trace.rounds)
        assert trace.drafter["code"] == code
    assert json.loads(json.dumps(report, allow_nan=False)) == report


def test_the_verdict_is_the_text_where_nothing_is_left_to_chance_and_a_trial_where_it_is(report):
    cold = report["settings"]["temperature"] == 0
    for row in report["rows"].values():
        if cold:
            assert row["same_as_plain"] is True and row["trial"] is row["promise"] is None
        elif row["alpha"] is not None:
            assert row["same_as_plain"] is None
            trial = row["trial"]
            assert trial["p_value"] > 1e-6 and trial["throws"] == family.THROWS * trial["places"]
            kept = row["promise"]
            assert abs(kept["seen"] - kept["promised"]) < 5 * kept["sd"] + 0.5


def test_a_place_where_p_is_all_but_sure_is_no_evidence():
    """A token expected once in twenty trials and seen would look like one in a hundred; over many places, like guilt."""

    def guess(p):
        rest = {"over": {"p": 0.0, "q": 0.0}, "under": {"p": 0.0, "q": 0.0}}
        return Guess(1, "a", p, 0.5, 0.1, "accepted", [[1, "a", p, 0.5], [2, "b", 1 - p, 0.5]], rest)

    assert family.trial([guess(0.9999)] * 12, seed=0) is None
    assert family.trial([guess(0.9999), guess(0.6)], seed=0)["places"] == 1
    by_chance = [family.trial([guess(0.6)] * 6, seed)["p_value"] for seed in range(20)]
    assert min(by_chance) > 1e-3 and max(by_chance) > 0.5


def test_a_drafter_that_draws_from_another_q_than_it_tells_breaks_its_promise(everyone):
    """It takes the likeliest token and says it drew: it keeps more guesses than its q allows."""
    settings = Settings(drafter="model", gamma=4, max_new_tokens=400, seed=1)
    *_, honest = writing.write(everyone, PROMPT, settings)

    def apart(trace):
        reached = [g for r in trace.rounds for g in r.draft if g.verdict != "discarded"]
        kept = family.promise(reached)
        return abs(kept["seen"] - kept["promised"]) / kept["sd"]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("specviz.engine.loop.Run._draw_guess", lambda run, q, at: int(q.argmin()))
        *_, lying = writing.write(everyone, PROMPT, settings)
    assert apart(honest) < 4 < apart(lying)


def test_one_that_cannot_serve_is_a_row_with_its_reason_and_the_others_run(everyone):
    settings = Settings(max_new_tokens=8, layers=7)
    *_, (report, _) = family.family(replace(everyone, table=None), PROMPT, settings, ("ngram", "early-exit", "lookup"))
    codes = {code: row["refusal"] and row["refusal"]["code"] for code, row in report["rows"].items()}
    assert codes == {"ngram": "no_table", "early-exit": "out_of_range", "lookup": None}


def test_one_n_serves_whoever_can_use_it():
    taken = {code: [family.own(Settings(n=n), code).n for n in (0, 1, 2, 8)] for code in ("lookup", "ngram", "model")}
    assert taken == {"lookup": [0, 0, 2, 8], "ngram": [0, 1, 2, 0], "model": [0, 0, 0, 0]}


def test_reports_only_grow_and_never_change_again(everyone):
    seen = []
    for report, _ in family.family(everyone, PROMPT, Settings(max_new_tokens=12), ("lookup", "model")):
        seen.append((json.dumps(report), report))
    assert all(json.dumps(report) == then for then, report in seen)
    shares = [report["share"] for _, report in seen]
    assert shares == sorted(shares) and shares[-1] == 1
    rows = [set(report["rows"]) for _, report in seen]
    assert all(a <= b for a, b in pairwise(rows))


def test_a_prompt_that_nobody_can_read_is_no_drafter_s_fault(everyone):
    with pytest.raises(BadInput, match="tokens long"):
        list(family.family(everyone, "moon " * 300, Settings(), ("lookup",)))


def test_it_is_given_up_in_the_middle_of_a_run(everyone):
    class Job:
        report, looks = None, 0

        def given_up(self):
            self.looks += 1
            return self.looks > 5

    job = Job()
    with pytest.raises(Cancelled):
        list(Family(everyone.name, PROMPT, Settings(max_new_tokens=60), drafters.CODES).perform(everyone, job))
    assert job.looks == 6 and job.report["rows"] == {}
