"""What guessing gains on this machine, on several kinds of text: the counts and clocks that `specviz.gap` makes sense of.

Nothing here loads more than the pair; whoever drives it may do other work between two reports.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import asdict, replace
from statistics import median
from time import perf_counter

import numpy as np

from specviz import gap, rule
from specviz.engine import drafters, measure, writing
from specviz.engine.model import steps
from specviz.engine.pairs import Pair
from specviz.engine.record import Recorder
from specviz.errors import BadInput
from specviz.kinds import openings
from specviz.settings import Settings

TEXTS = 12  # of each kind
TOKENS = 28  # of each text, at most: about a quatrain
WIDEST = 9  # tokens in the widest pass that is timed: γ up to 8
REPEATS = 3  # times of every pass, before each text of every kind, so that the passes see the weather of the texts
LEAST = 3  # of each kind, however slow the machine
BUDGET = 45.0  # seconds of work after which no further text of every kind is begun
ROOM = 64  # tokens kept free after TOKENS, so that the end of the room never shortens a round


def kinds(pair: str) -> dict[str, list[str]]:
    """Kind of text -> as many of its openings as are measured."""
    return {kind: prompts[:TEXTS] for kind, prompts in openings(pair).items()}


def gain(pair: Pair, settings: Settings, prompts: dict[str, list[str]] | None = None, budget: float = BUDGET) -> Iterator[dict]:
    """A report after every text, the last one complete. Each is plain data and never changes again.

    Every kind takes its turn, so that all see the same weather. Seeds count up from that of the settings: the n-th text
    of a kind is the same everywhere. How many there are may depend on the machine, since a slow one stops early.
    """
    if pair.draft is None:
        raise BadInput("no_draft")
    if not 1 <= settings.gamma < WIDEST:
        raise BadInput("out_of_range", name="gamma", value=settings.gamma, low=1, high=WIDEST - 1)
    prompts = prompts or kinds(pair.name)
    samples = {kind: [] for kind in prompts}
    passes = {"draft": [], "target": {k: [] for k in range(1, WIDEST + 1)}}
    turns = max(map(len, prompts.values()))
    worked, began = 0.0, perf_counter()
    sample(pair, next(iter(prompts.values()))[0], settings)  # warm-up: the first passes of a process are slow
    for turn in range(turns):
        _clock(pair, passes)
        now = {kind: texts[turn] for kind, texts in prompts.items() if turn < len(texts)}
        for kind, prompt in now.items():
            samples[kind].append(sample(pair, prompt, replace(settings, seed=settings.seed + turn), turn % 2 == 1))
            last_of_turn = kind == list(now)[-1]
            tired = worked + perf_counter() - began > budget and turn + 1 >= LEAST
            last = last_of_turn and (tired or turn + 1 == turns)
            report = _report(pair, settings, samples, _cost(passes), last)
            worked += perf_counter() - began
            planned = sum(map(len, prompts.values()))
            yield {**report, "of": report["done"] if last else planned, "planned": planned, "seconds": worked}
            began = perf_counter()  # what others did meanwhile is not this work
            if last:
                return


def _report(pair: Pair, settings: Settings, samples: dict[str, list], cost: gap.Cost, whole: bool) -> dict:
    told = {kind: gap.told(found, settings.gamma, cost, settings.seed) for kind, found in samples.items() if found}
    return {
        "pair": pair.to_json(),
        "settings": settings.to_json(),
        "machine": {**measure.machine(), "system": platform.system()},
        "done": sum(map(len, samples.values())),
        "cost": {**asdict(cost), "draft_ms": cost.target_ms * cost.c},
        "kinds": told,
        "samples": {kind: [asdict(s) for s in found] for kind, found in samples.items()} if whole else None,
    }


def sample(pair: Pair, prompt: str, settings: Settings, plain_last: bool = False) -> gap.Sample:
    """One prompt written twice, plainly and by speculation, one after the other."""
    ids = pair.speller.encode(prompt)
    order = (settings, replace(settings, gamma=0)) if plain_last else (replace(settings, gamma=0), settings)
    lanes = {asked.gamma: _lane(pair, ids, asked) for asked in order}
    plain, ours = lanes[0], lanes[settings.gamma]
    texts = [run.ending.ids for run in (plain["run"], ours["run"])]
    pieces = [[piece.text for piece in pair.speller.pieces(text)] for text in texts]
    chances = [chances_along(pair, ids, text, settings) for text in texts]
    return gap.Sample(
        prompt,
        ["".join(piece.adds for piece in pair.speller.pieces(text)) for text in texts],
        [r.accepted for r in ours["rounds"]],
        len(plain["rounds"]),
        {
            "plain": plain["ms"],
            "plain_passes": plain["target_ms"],
            "speculative": ours["ms"],
            "draft": ours["draft_ms"],
            "verify": ours["target_ms"],
        },
        [overlaps for overlaps, _ in chances],
        [kept for _, kept in chances],
        [gap.line_places(prompt, row) for row in pieces],
    )


def chances_along(pair: Pair, prompt: list[int], written: list[int], settings: Settings) -> tuple[list[float], list[float]]:
    """β at every place of a text, and min(1, q/p) of the token that stands there: exactly, from p and q."""
    p, q = measure.rows_along(pair, [*prompt, *written], len(written), settings)
    places = range(len(written))
    p_x, q_x = (rows[places, written].astype(np.float64) for rows in (p, q))
    return rule.overlap(p, q).sum(-1).tolist(), (q_x / p_x).clip(0, 1).tolist()


def _lane(pair: Pair, ids: list[int], settings: Settings) -> dict:
    """Whole rounds of one text, and the milliseconds until the last of them had ended, those inside passes apart."""
    asked = replace(settings, max_new_tokens=TOKENS + ROOM, stop=())
    drafter = drafters.new(pair, asked)
    recorder = Recorder(pair.speller, soft=asked.temperature == 0)
    run = writing.new_run(pair.target, drafter, ids, asked, recorder, pair.eos)
    run.first()
    rounds, clock = [], {"ms": 0.0, "target_ms": 0.0, "draft_ms": 0.0}
    target, draft, started = pair.target.busy_ms, pair.draft.busy_ms, perf_counter()
    for finished in steps(run.rounds()):
        if run.ending.reason is not None:
            break
        rounds.append(finished)
        clock = {
            "ms": (perf_counter() - started) * 1e3,
            "target_ms": pair.target.busy_ms - target,
            "draft_ms": pair.draft.busy_ms - draft,
        }
        if len(run.ending.ids) >= TOKENS:
            break
    return {"run": run, "rounds": rounds, **clock}


def _clock(pair: Pair, passes: dict) -> None:
    *_, found = measure.passes(pair.target, passes["target"], REPEATS)
    for k, times in found.items():
        passes["target"][k] += times
    *_, found = measure.passes(pair.draft, [1], REPEATS)
    passes["draft"] += found[1]


def _cost(passes: dict) -> gap.Cost:
    target = [median(times) for times in passes["target"].values()]
    return gap.Cost(target[0], median(passes["draft"]) / target[0], [ms / target[0] for ms in target])
