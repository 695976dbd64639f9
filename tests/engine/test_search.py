"""Seeds for a lesson are found by search, and the run they give is the run they promised."""

from dataclasses import replace

from specviz.engine import search, writing
from specviz.settings import Settings


def test_the_seed_found_gives_the_round_that_was_wanted(pair):
    settings = Settings(gamma=5, max_new_tokens=20, temperature=1.5)
    seed = search.seed_for(pair, "moon", settings, 2, lambda trace: search.pattern(trace)[:2] == "✓✗")
    trace = next(t for t in writing.write(pair, "moon", replace(settings, seed=seed)) if t.rounds)
    assert search.pattern(trace) == "✓✗···"


def test_a_round_that_never_comes_is_not_invented(pair):
    assert search.seed_for(pair, "moon", Settings(), 1, lambda trace: False, range(5)) is None
