"""Drafters side by side on one prompt: what a report of such a run says row by row, and which drafter to try first.

A report is plain data, made by `engine.work.Family`: plain decoding, and under "rows" a drafter each, by its code.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from specviz.court import GUILTY

PLAIN = "plain"
PREPARED = ("none", "table", "model")  # what a drafter needs beforehand, each more work than the one before
FEWEST = 3  # rounds, without which a speed is chance
CLEAR = 1.05  # times as fast: less cannot be told from what a machine does by chance
DOUBT = 1.2  # times: so far may clocks be apart that should agree
IDLE = 0.75  # of a plain step; a verification that takes less was not timed on the same machine, so to speak
CLOSE = 0.95  # of the best speed: who is so close and needs less is tried first


def rows(report: Mapping | None, wanted: Iterable[str], over: bool = False) -> list[dict]:
    """One dict a row, plain decoding first, then `wanted` in order: what is known of each, with a state from the start.

    state: waiting, running, done, refused, or left where the run is `over` without it. Times are in milliseconds:
    guess_ms and verify_ms medians a round, each a dict of what one token takes. None where there is nothing to say.
    """
    report = report or {"plain": None, "rows": {}, "now": None}
    found = [_plain(report)] + [_row(code, report["rows"].get(code)) for code in wanted]
    for row in found:
        if row["state"] == "waiting":
            row["state"] = "left" if over else "running" if report.get("now") == row["drafter"] else "waiting"
    return found


def origins(trace: Mapping) -> list[list]:
    """[text, kind, missed] of every token of the output: first, accepted, fix or bonus; missed: the guess that the fix
    stands for, else None."""
    first = trace.get("first")
    found = [[first["text"], "first", None]] if first else []
    for round in trace["rounds"]:
        told = [[guess["text"], "accepted", None] for guess in round["draft"] if guess["verdict"] == "accepted"]
        missed = next((guess["text"] for guess in round["draft"] if guess["verdict"] == "rejected"), None)
        if round["fix"]:
            told.append([round["fix"]["text"], "bonus" if round["fix"]["kind"] == "bonus" else "fix", missed])
        found += told[: len(round["emitted"])]
    return found


def verdict(row: Mapping) -> str | None:
    """Whether the output of a drafter's row is the target's: same, other (T = 0), innocent, guilty (T > 0), silent where it
    never guessed; None before it was asked."""
    if row.get("same_as_plain") is not None:
        return "same" if row["same_as_plain"] else "other"
    trial = row.get("trial")
    if trial is None and row.get("proposed") == 0:
        return "silent"
    return trial and ("guilty" if trial["p_value"] < GUILTY else "innocent")


def prepared(row: Mapping) -> str:
    """What a drafter's row needed beforehand, one of PREPARED. The draft's rounded weights need the draft."""
    about = row["trace"].get("drafter") or {}
    return "model" if about.get("of") == "draft" else row["training"]


def figures(report: Mapping) -> dict[str, dict]:
    """Code -> what advice rests on, of the drafters that ran for more than a few rounds: speed, tokens_per_round, alpha,
    bytes it adds, training, verdict."""
    tokens = len(report.get("prompt_texts") or ()) + report["settings"]["max_new_tokens"]
    return {
        code: {
            "speed": row["speed"],
            "tokens_per_round": row["tokens_per_round"],
            "alpha": row["alpha"],
            "bytes": (row["weight_bytes"] or 0) + (row["kv_bytes_per_token"] or 0) * tokens,
            "training": prepared(row),
            "verdict": verdict(row),
        }
        for code, row in report["rows"].items()
        if row["state"] == "done" and row["speed"] is not None and row["rounds"] >= FEWEST
    }


def busy(report: Mapping) -> bool:
    """Whether the machine did something else meanwhile, so that its speeds say nothing: a pass over several tokens cannot be
    much quicker than one over one, a drafter not more times as fast than it writes tokens a round, and one that never
    guessed is plain decoding."""
    if not report["plain"]:
        return False
    plain = _middle(report["plain"]["ms"])
    for row in report["rows"].values():
        told = [one["ms"]["verify"] for one in row["trace"]["rounds"] if one["draft"]] if row["state"] == "done" else []
        if len(told) >= 5 and plain and _middle(told) < IDLE * plain:
            return True
        if row["state"] == "done" and row["speed"] and row["tokens_per_round"]:
            silent = not any(one["draft"] for one in row["trace"]["rounds"])
            if row["speed"] > DOUBT * row["tokens_per_round"] or (silent and row["speed"] < 1 / DOUBT):
                return True
    return False


def advise(measured: Mapping[str, Mapping], room: float, prepared: str) -> dict:
    """Which drafter to try first, from `figures`: {"first", "why", "over", "left_out"}.

    room: bytes that may be added to the target. prepared: the most that can be made beforehand, one of PREPARED.
    first: a code; None where nothing that may be used is clearly faster than plain decoding. why: fastest, cheaper (`over`
    is a little faster and needs more), slow (`over` is the best of what may be used), or none where nothing may be used.
    left_out: [code, reason] of what may not: lossy, training, room.
    """
    left_out = [[code, reason] for code, row in measured.items() if (reason := _barred(row, room, prepared))]
    usable = {code: row for code, row in measured.items() if code not in dict(left_out)}
    if not usable:
        return {"first": None, "why": "none", "over": None, "left_out": left_out}
    best = max(usable, key=lambda code: usable[code]["speed"])
    if usable[best]["speed"] < CLEAR:
        return {"first": None, "why": "slow", "over": best, "left_out": left_out}
    close = [code for code, row in usable.items() if row["speed"] >= max(CLEAR, CLOSE * usable[best]["speed"])]
    first = min(close, key=lambda code: (*_needs(usable[code]), -usable[code]["speed"]))
    if _needs(usable[first]) == _needs(usable[best]):
        first = best
    return {
        "first": first,
        "why": "fastest" if first == best else "cheaper",
        "over": None if first == best else best,
        "left_out": left_out,
    }


def _barred(row: Mapping, room: float, prepared: str) -> str | None:
    if row["verdict"] in ("other", "guilty"):
        return "lossy"
    if PREPARED.index(row["training"]) > PREPARED.index(prepared):
        return "training"
    return "room" if row["bytes"] > room else None


def _needs(row: Mapping) -> tuple:
    return PREPARED.index(row["training"]), row["bytes"]


def _plain(report: Mapping) -> dict:
    found = {**_blank(PLAIN), "training": "none", "weight_bytes": 0, "kv_bytes_per_token": 0}
    plain = report["plain"]
    if not plain:
        return found
    ms, texts = plain["ms"], plain["texts"][: _ends(report, plain["output_ids"])]
    each = 1e3 / plain["tokens_per_s"] if plain["tokens_per_s"] else None
    return {
        **found,
        "state": "done",
        "tokens": [[text, PLAIN, None] for text in texts],
        "tokens_per_round": 1.0,
        "verify_ms": _middle(ms),
        "each": {"guess": 0.0, "verify": each, "rest": 0.0} if each else None,
        "speed": 1.0,
    }


def _ends(report: Mapping, ids: list[int]) -> int | None:
    """How many tokens of plain decoding there are up to the end of its text, over which it was measured on: the token that
    ended a drafter's run ends it too. None where none did."""
    runs = [row["trace"] for row in report["rows"].values() if row["state"] == "done"]
    ending = {trace["output_ids"][-1] for trace in runs if trace["finish_reason"] == "eos"}
    return next((place + 1 for place, id in enumerate(ids) if id in ending), None)


def _row(code: str, told: Mapping | None) -> dict:
    if told is None:
        return _blank(code)
    if told["state"] == "refused":
        return {**_blank(code), "state": "refused", "refusal": told["refusal"]}
    trace = told["trace"]
    kept = ("tokens_per_round", "alpha", "guess_ms", "verify_ms", "speed", "weight_bytes", "kv_bytes_per_token")
    return {
        **_blank(code),
        "state": "done",
        "tokens": origins(trace),
        **{name: told[name] for name in kept},
        "speed": told["speed"] if told["rounds"] >= FEWEST else None,
        "accepted": _accepted(trace),
        "each": _each(trace),
        "training": prepared(told),
        "verdict": verdict(told),
        "trial": told["trial"],
        "silent_rounds": told["silent_rounds"],
        "rounds": told["rounds"],
        "about": trace.get("drafter") or {"code": code},
    }


def _blank(code: str) -> dict:
    names = ("tokens_per_round", "accepted", "alpha", "guess_ms", "verify_ms", "each", "speed", "training", "weight_bytes")
    more = ("kv_bytes_per_token", "verdict", "trial", "refusal", "silent_rounds", "rounds", "about")
    return {"drafter": code, "state": "waiting", "tokens": [], **dict.fromkeys((*names, *more))}


def _accepted(trace: Mapping) -> float | None:
    """Guesses that entered the text, a round."""
    rounds = trace["rounds"]
    kept = sum(token[1] == "accepted" for token in origins(trace))
    return kept / len(rounds) if rounds else None


def _each(trace: Mapping) -> dict | None:
    """Milliseconds of one token by where they went; what entered the text is counted, the first token is not."""
    made = sum(len(round["emitted"]) for round in trace["rounds"])
    if not made:
        return None
    spent = {name: math.fsum(round["ms"].get(name) or 0.0 for round in trace["rounds"]) for name in ("draft", "verify", "rest")}
    return {"guess": spent["draft"] / made, "verify": spent["verify"] / made, "rest": spent["rest"] / made}


def _middle(values: list[float]) -> float | None:
    ordered, half = sorted(values), len(values) // 2
    if not values:
        return None
    return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2
