"""Record the examples anew with the bundled pairs: `python -m specviz.training.examples [PAIR …]`.

Seeds are searched for, not invented; every file is a real run and the plain decoding measured after it.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace

from specviz.engine import pairs, writing
from specviz.engine.search import pattern, seed_for
from specviz.examples import FOLDER
from specviz.settings import Settings

BED, MOON, SPRING = "床前明月光，", "床前明月光，疑是地上霜。举头望明月", "春眠不觉晓，"
REPEATS = 5  # of each run the one of median duration is kept, so that a hiccup is not shown to everybody


def turn(trace):
    """The guess the lesson is about: the second."""
    return trace.rounds[0].draft[1]


def rejected_second(first: str, guess: str):
    """After the target's own `first`, `guess` is accepted; then a guess the draft likes far more than the target does,
    but not absurdly, is rejected: one that it makes often enough for another seed to show it accepted."""

    def shows(trace) -> bool:
        return (
            trace.first.text == first
            and trace.rounds[0].draft[0].text == guess
            and pattern(trace)[:2] == "✓✗"
            and 0.03 < turn(trace).p / turn(trace).q < 0.3
            and turn(trace).q > 0.003
        )

    return shows


MARRIAGE = "Let me not to the marriage of true minds\nAdmit impediments."
SUMMER = """Shall I compare thee to a summer's day?
Thou art more lovely and more temperate:
Rough winds do shake the darling buds of May,
And summer's lease hath all too short a date:
Shall I compare thee"""
NEWS = "Good morrow, my good lord. What news abroad?\n"
STACK = "class Stack:\n    def __init__(self):\n"
PARCEL = "Your parcel will arrive on Tuesday between nine and"


def main() -> None:
    makers = {"poem": poem_jobs, "english": english_jobs}
    for name in sys.argv[1:] or makers:
        pair = pairs.load(name)
        for example, (prompt, settings) in makers[name](pair).items():
            record(pair, example, prompt, settings)


def poem_jobs(pair) -> dict:
    """Name -> (prompt, settings) of every example of this pair."""
    spoken = Settings(gamma=4, max_new_tokens=48)
    home_seed = told(pair, MOON, spoken, rejected_second("，", "低"), ends("思故乡。"))
    ground_seed = told(pair, BED, spoken, rejected_second("疑", "是"), ends("举头望明月，低头思故乡。"))
    unlucky = first(pair, MOON, replace(spoken, seed=home_seed))

    def lucky(trace) -> bool:
        return pattern(trace)[:2] == "✓✓" and trace.first.id == unlucky.first.id and turn(trace).id == turn(unlucky).id

    wide = replace(spoken, gamma=12)
    return {
        "moon": (BED, replace(spoken, temperature=0.0)),
        "ground": (BED, replace(spoken, seed=ground_seed)),
        "home": (MOON, replace(spoken, seed=home_seed)),
        "lucky": (MOON, replace(spoken, seed=found(seed_for(pair, MOON, spoken, 2, lucky, range(200_000))))),
        "spring": (SPRING, replace(wide, seed=found(seed_for(pair, SPRING, wide, 1, lambda trace: pattern(trace)[0] == "✗")))),
        "phone": ("手机响不停，", spoken),
        "cool": ("空山新雨后，", replace(spoken, temperature=0.6)),
        "hot": ("空山新雨后，", replace(spoken, temperature=2.0)),
    }


def english_jobs(pair) -> dict:
    """Likewise."""
    spoken = Settings(gamma=4, max_new_tokens=64)
    wide = replace(spoken, gamma=12)

    def put_right(trace) -> bool:
        return pattern(trace)[:2] == "✓✗" and 0.03 < turn(trace).p / turn(trace).q < 0.3 and turn(trace).q > 0.003

    def goes_well(trace) -> bool:
        return trace.summary["tokens_per_round"] > 2.4 and len(trace.output_ids) == news.max_new_tokens

    news = replace(spoken, max_new_tokens=40)
    news_seed = told(pair, NEWS, news, put_right, goes_well)
    void_seed = found(seed_for(pair, MARRIAGE, wide, 1, lambda trace: pattern(trace)[0] == "✗"))
    return {
        "news": (NEWS, replace(news, seed=news_seed)),
        "minds": (MARRIAGE, replace(spoken, temperature=0.0)),
        "stack": (STACK, replace(spoken, temperature=0.6)),
        "copy": (SUMMER, replace(spoken, temperature=0.0, drafter="lookup")),
        "mark": (MARRIAGE, replace(wide, seed=void_seed)),
        "parcel": (PARCEL, spoken),
        "wild": (MARRIAGE, replace(spoken, temperature=2.0)),
    }


def told(pair, prompt, settings, wanted, tells) -> int:
    """A seed whose first round is as wanted and whose whole run `tells` what it is to show."""
    seed = -1
    while True:
        seed = found(seed_for(pair, prompt, settings, 2, wanted, range(seed + 1, 20_000)))
        *_, trace = writing.write(pair, prompt, replace(settings, seed=seed))
        if tells(trace):
            return seed


def ends(text: str):
    return lambda trace: trace.text.endswith(text)


def found(seed: int | None) -> int:
    if seed is None:
        raise SystemExit(
            "no seed gives the round the lesson wants with this pair: look at p and q there and say what it shows instead"
        )
    return seed


def first(pair, prompt, settings):
    return next(trace for trace in writing.write(pair, prompt, settings) if trace.rounds)


def record(pair, name, prompt, settings) -> None:
    runs = []
    for _ in range(REPEATS):
        *_, trace = writing.write(pair, prompt, settings)
        plain = writing.plain_lane(pair, trace)
        runs.append((sum(sum(r.ms.values()) for r in trace.rounds), trace, plain))
    _, trace, _ = sorted(runs, key=lambda run: run[0])[REPEATS // 2]
    plain = sorted((run[2] for run in runs), key=lambda lane: sum(lane["ms"]))[REPEATS // 2]
    example = {
        "pair": pair.name,
        "prompt": prompt,
        "settings": settings.to_json(),
        "trace": shorter(trace.to_json()),
        "plain": shorter(plain),
    }
    (FOLDER / f"{name}.json").write_text(json.dumps(example, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
    print(f"{name:8} seed {settings.seed:5} {pattern(trace):14} {trace.text}")


def shorter(value):
    """Milliseconds to the microsecond; probabilities stay as they are."""
    if isinstance(value, dict):
        return {k: _milliseconds(v) if k in ("ms", "prefill_ms", "first_ms") else shorter(v) for k, v in value.items()}
    return [shorter(v) for v in value] if isinstance(value, list) else value


def _milliseconds(value):
    if isinstance(value, dict):
        return {k: _milliseconds(v) for k, v in value.items()}
    return [_milliseconds(v) for v in value] if isinstance(value, list) else round(value, 3)


if __name__ == "__main__":
    main()
