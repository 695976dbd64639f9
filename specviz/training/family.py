"""Record all drafters on one prompt anew with the bundled pairs: `python -m specviz.training.family [PAIR …]`.

The whole report of the opening text, as the page shows it before anything is run; of every other ready text the figures
that advice rests on. Speeds are of the machine that records: let it be idle.
"""

from __future__ import annotations

import json
import sys

from specviz import family, kinds
from specviz.engine import pairs, references
from specviz.engine.drafters import offered
from specviz.engine.service import Job
from specviz.engine.work import Family
from specviz.examples import FOLDER
from specviz.settings import Settings
from specviz.training.examples import shorter

OPENING = {"poem": "known", "english": "copied"}  # the kind of ready text that is shown first
SETTINGS = Settings(gamma=4, temperature=0.0, max_new_tokens=64)
REPEATS = 3  # the run of median speed is kept, so that a hiccup is not shown to everybody
MANY, FEW = 5, 2  # rivals kept at a place that was judged, and at one that was not


def main() -> None:
    for name in sys.argv[1:] or OPENING:
        pair, texts = pairs.load(name), kinds.ready(name)
        opening = OPENING[name]
        told = median(pair, texts[opening])
        reports = {kind: told if kind == opening else median(pair, text) for kind, text in texts.items()}
        found = {kind: family.figures(report) for kind, report in reports.items()}
        document = {**slim(told), "kind": opening, "kinds": found}
        file = FOLDER / "family" / f"{name}.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n", encoding="utf-8")
        print(f"{name}: {file.stat().st_size / 1e3:.0f} kB")
        for kind, rows in found.items():
            print(f"  {kind:10}", *(f"{code} {row['speed']:.2f}×" for code, row in rows.items()))


def median(pair, prompt: str) -> dict:
    """The report whose speeds, all drafters together, are the median of a few."""
    runs = sorted((run(pair, prompt) for _ in range(REPEATS)), key=lambda report: sum(speeds(report)))
    return runs[REPEATS // 2]


def run(pair, prompt: str) -> dict:
    able = [code for code, reason in offered(references.parse_pair(pair.name)).items() if reason is None]
    job = Job(Family(pair.name, prompt, SETTINGS, tuple(able)), lambda: True)
    for _ in job.request.perform(pair, job) or ():
        pass
    return job.report


def speeds(report: dict) -> list[float]:
    return [row["speed"] or 0.0 for row in report["rows"].values() if row["state"] == "done"]


def slim(report: dict) -> dict:
    """What the page and the player show of a report, in a few hundred kilobytes: times to the microsecond; at T = 0, where p
    and q are one-hot, fewer of the rivals that are shown beside them, in four figures."""
    rows = {code: {**row, "trace": _slim(row["trace"])} for code, row in report["rows"].items()}
    return shorter({**report, "rows": rows})


def _slim(trace: dict) -> dict:
    rounds = []
    for round in trace["rounds"]:
        kept = {told["id"] for told in (*round["draft"], round["fix"]) if told}
        draft = [_fewer(guess, kept, FEW if guess["verdict"] == "discarded" else MANY) for guess in round["draft"]]
        rounds.append({**round, "draft": draft, "fix": round["fix"] and _fewer(round["fix"], kept, MANY)})
    return {**trace, "rounds": rounds}


def _fewer(told: dict, kept: set[int], most: int) -> dict:
    """A guess or a fix with so many rivals and whoever is in `kept`."""
    soft = told.get("soft")
    if not soft:
        return told
    order = sorted(soft, key=lambda rival: -max(x or 0.0 for x in rival[2:]))
    few = [rival for place, rival in enumerate(order) if place < most or rival[0] in kept]
    return {**told, "soft": [[*rival[:2], *(x and float(f"{x:.4g}") for x in rival[2:])] for rival in few]}


if __name__ == "__main__":
    main()
