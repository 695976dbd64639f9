"""The code on the page is the code that runs, and the lines that light are those that act."""

import inspect
import sys
import textwrap

import pytest

from specviz import listing, rule
from specviz.engine.drafters.model import ModelDrafter
from specviz.engine.loop import Run
from specviz.engine.record import Recorder
from specviz.settings import Settings
from tests.fakes import Letters, TableModel

FUNCTIONS = {"_round": Run._round, "_fix": Run._fix, "accepts": rule.accepts, "residual": rule.residual}


@pytest.mark.parametrize("block", listing.python(), ids=lambda block: block.name)
def test_a_listing_is_the_source_of_what_runs(block):
    lines, first = inspect.getsourcelines(FUNCTIONS[block.name])
    assert "\n".join(line.text for line in block.lines) == textwrap.dedent("".join(lines)).rstrip("\n")
    assert block.lines[0].number == first


def events_of(finished):
    """What the player makes of a round, as events.js does."""
    yield from ("guess" for _ in finished.draft[:1])  # γ stops of the time line, one line of code
    yield "verify"
    yield from (guess.verdict for guess in finished.draft if guess.verdict != "discarded")
    verdicts = [guess.verdict for guess in finished.draft]
    if "rejected" in verdicts and verdicts[-1] == "discarded":
        yield "void"
    if finished.fix:
        yield finished.fix.kind
    yield "commit"


def one_round(run):
    """(Round, [(function, line number)]): the next round, and the way the interpreter really went."""
    steps, codes = [], {function.__code__: name for name, function in FUNCTIONS.items()}

    def line(frame, what, _):
        if what == "line":
            steps.append((codes[frame.f_code], frame.f_lineno))
        return line

    before = sys.gettrace()
    sys.settrace(lambda frame, what, _: line if frame.f_code in codes else None)
    try:
        return run._round().written(), steps
    finally:
        sys.settrace(before)


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_the_lines_that_light_are_the_lines_that_act(temperature):
    numbers = {
        (event, function, part): next(line.number for line in block.lines if part in line.text)
        for event, parts in listing.ACTS.items()
        for function, part in parts
        for block in listing.python()
        if block.name == function
    }
    seen = set()
    for seed in range(12):
        settings = Settings(gamma=3, max_new_tokens=30, seed=seed, temperature=temperature)
        drafter = ModelDrafter(TableModel(4, seed=2, heat=0.8), settings.sampling)
        run = Run(TableModel(4, seed=1, heat=0.8), drafter, [0], settings, Recorder(Letters(), False), frozenset())
        run.first()
        drafter.begin(run.ids)
        while run.ending.reason is None:
            finished, steps = one_round(run)
            lit = [(f, numbers[event, f, part]) for event in events_of(finished) for f, part in listing.ACTS[event]]
            seen |= set(events_of(finished))
            way = iter(steps)
            assert all(line in way for line in lit), f"{lit} did not act in this order: {steps}"
            for verdict in ("accepted", "rejected"):
                line = ("_round", numbers[verdict, "_round", f'verdicts[i] = "{verdict}"'])
                assert steps.count(line) == sum(g.verdict == verdict for g in finished.draft)
    assert seen == set(listing.ACTS)


def test_every_event_is_in_both_listings():
    for blocks in (listing.python(), (listing.paper(),)):
        lit = {event for block in blocks for line in block.lines for event in line.events}
        assert lit == set(listing.ACTS)
