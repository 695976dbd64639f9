"""Record all drafters on one prompt anew with the bundled pairs: `python -m specviz.training.family [PAIR …]`.

The whole report of the opening text, as the page shows it before anything is run; of every other ready text the figures
that advice rests on. Speeds are of the machine that records: let it be idle.
"""

from __future__ import annotations

import json
import sys

from specviz import family, kinds
from specviz.engine import catalogue, pairs, references
from specviz.engine.drafters import offered
from specviz.engine.service import Job
from specviz.engine.work import Family
from specviz.examples import FOLDER
from specviz.settings import Settings
from specviz.training.examples import shorter

OPENING = "copied"  # the kind of ready text that is shown first: there the drafters differ most
SETTINGS = Settings(gamma=4, temperature=0.0, max_new_tokens=64)
REPEATS = 5  # of plain decoding and of each drafter the run of median speed is kept: a hiccup is not shown to everybody
MANY, FEW = 4, 1  # rivals kept at a place that was judged, and at one that was not


def main() -> None:
    for name in sys.argv[1:] or catalogue.bundled():
        pair = pairs.load(name)
        reports = {kind: median(pair, text) for kind, text in kinds.ready(name).items()}
        found = {kind: family.figures(report) for kind, report in reports.items()}
        document = {**slim(reports[OPENING]), "kind": OPENING, "kinds": found}
        file = FOLDER / "family" / f"{name}.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(
            json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n", encoding="utf-8"
        )
        print(f"{name}: {file.stat().st_size / 1e3:.0f} kB")
        for kind, rows in found.items():
            print(f"  {kind:10}", *(f"{code} {row['speed']:.2f}×" for code, row in rows.items()))


def median(pair, prompt: str) -> dict:
    """A report whose plain lane and rows are each the median of a few runs, by tokens a second, one held against the other."""
    runs = [run(pair, prompt) for _ in range(REPEATS)]
    plain = _middle([report["plain"] for report in runs])
    rows = {code: _middle([report["rows"][code] for report in runs]) for code in runs[0]["rows"]}
    for row in rows.values():
        row["speed"] = row["tokens_per_s"] / plain["tokens_per_s"]
    return {**runs[0], "plain": plain, "rows": rows}


def _middle(told: list[dict]) -> dict:
    return dict(sorted(told, key=lambda one: one["tokens_per_s"])[len(told) // 2])


def run(pair, prompt: str) -> dict:
    able = [code for code, reason in offered(references.parse_pair(pair.name)).items() if reason is None]
    job = Job(Family(pair.name, prompt, SETTINGS, tuple(able)), lambda: True)
    for _ in job.request.perform(pair, job):
        pass
    return job.report


def slim(report: dict) -> dict:
    """What the page and the player show of a report, in a few hundred kilobytes: times to the microsecond; at T = 0, where p
    and q are one-hot, fewer of the rivals that are shown beside them, in three figures."""
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
    return {**told, "soft": [[*rival[:2], *(x and float(f"{x:.3g}") for x in rival[2:])] for rival in few]}


if __name__ == "__main__":
    main()
