"""Where the time of a round goes: every part is some of it, and together they are all of it."""

import pytest

from specviz.engine import writing
from specviz.engine.profile import PARTS, profile
from specviz.settings import Settings

PROMPTS = ["moon", "the moon 月光 the moon 月光"]


@pytest.mark.parametrize("drafter", ["model", "lookup"])
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_the_parts_of_a_round_are_the_round(pair, drafter, temperature):
    found = profile(pair, PROMPTS, Settings(gamma=2, temperature=temperature, drafter=drafter, max_new_tokens=40))
    assert tuple(found["ms"]) == tuple(found["share"]) == PARTS
    assert sum(found["share"].values()) == pytest.approx(1)
    assert (found["ms"]["draft passes"] > 0) is (drafter == "model")
    assert all(ms > 0 for part, ms in found["ms"].items() if part != "draft passes")


def test_the_profiled_rounds_are_those_of_the_engine(pair):
    settings = Settings(gamma=3, max_new_tokens=40, seed=3)
    whole = []
    for prompt in PROMPTS:
        *_, trace = writing.write(pair, prompt, settings)
        whole += [len(r.emitted) for r in trace.rounds if len(r.draft) == 3]
    found = profile(pair, PROMPTS, settings)
    assert found["rounds"] == len(whole) and found["tokens_per_round"] == sum(whole) / len(whole)


def test_without_a_whole_round_there_is_nothing_to_tell(pair):
    found = profile(pair, ["moon"], Settings(gamma=9, max_new_tokens=2))
    assert found["rounds"] == 0 and found["share"] == {}
