"""The record of a run: what was guessed, how it was judged, what it cost. Plain data, JSON in and out (schema 1).

Imports neither torch nor streamlit; every picture and every test reads this and nothing else.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

SCHEMA = 1


@dataclass
class Guess:
    """One drafted token. p and q are its probabilities after all processing; u is null at T = 0 and when discarded.

    `top` holds [id, text, p, q] of the tokens with the largest max(p, q); `rest` what they leave, in two sums.
    `half`: so far only bytes of a character; `special`: a control token, not part of the text.
    """

    id: int
    text: str
    p: float
    q: float
    u: float | None
    verdict: str  # accepted | rejected | discarded
    top: list[list]
    rest: dict
    soft: list[list] | None = None
    half: bool = False
    special: bool = False


@dataclass
class Fix:
    """One token from the target: kind is first, residual (after a rejection) or bonus (after none).

    `fallback`: the residual had no mass, by rounding, and p itself was used.
    """

    id: int
    text: str
    kind: str
    u: float | None
    top: list[list]
    rest: dict
    soft: list[list] | None = None
    half: bool = False
    special: bool = False
    fallback: bool = False


@dataclass
class Round:
    """Guesses, one verification, one fix; `emitted` are the ids that entered the text, `ms` where the time went.

    `match`: where in prompt and output the guesses come from, {"start", "n", "copied"}: the n tokens from start on are the
    last n before the round, and copied guesses follow them; None where no text was searched, or nothing found.
    """

    draft: list[Guess]
    fix: Fix | None
    emitted: list[int]
    ms: dict[str, float]
    match: dict | None = None

    @property
    def accepted(self) -> int:
        return sum(guess.verdict == "accepted" for guess in self.draft)

    @property
    def reached(self) -> int:
        return sum(guess.verdict != "discarded" for guess in self.draft)


@dataclass
class Trace:
    """A whole run, finished or not (`finish_reason` is then None).

    `prompt` is what the reader typed; in a chat `prompt_ids` and `prompt_texts` hold what the template put around it, and
    `prompt_special` the places of control tokens among them. `notes`: what was not perfect and went on, {"code", facts}.
    `drafter`: who guessed, {"code", facts of its own}; None in plain decoding.
    """

    pair: dict
    settings: dict
    prompt: str
    prompt_ids: list[int]
    prompt_texts: list[str]
    first: Fix | None = None
    rounds: list[Round] = field(default_factory=list)
    output_ids: list[int] = field(default_factory=list)
    text: str = ""
    finish_reason: str | None = None  # eos | stop | length | context
    prefill_ms: dict[str, float] = field(default_factory=dict)
    prompt_special: list[int] = field(default_factory=list)
    notes: list[dict] = field(default_factory=list)
    drafter: dict | None = None

    @property
    def summary(self) -> dict:
        proposed = sum(len(r.draft) for r in self.rounds)
        reached = sum(r.reached for r in self.rounds)
        accepted = sum(r.accepted for r in self.rounds)
        emitted = sum(len(r.emitted) for r in self.rounds)
        return {
            "rounds": len(self.rounds),
            "proposed": proposed,
            "reached": reached,
            "accepted": accepted,
            "alpha": accepted / reached if reached else None,
            "accepted_over_proposed": accepted / proposed if proposed else None,
            "tokens_per_round": emitted / len(self.rounds) if self.rounds else None,
        }

    def to_json(self) -> dict:
        """Plain numbers, strings and null; safe for `json.dumps(..., allow_nan=False)`."""
        return {"schema": SCHEMA, **asdict(self), "summary": self.summary}

    @classmethod
    def from_json(cls, data: dict | str) -> Trace:
        data = json.loads(data) if isinstance(data, str) else dict(data)
        if data.pop("schema", None) != SCHEMA:
            raise ValueError(f"a trace of schema {SCHEMA} is needed")
        data.pop("summary", None)
        data["first"] = data["first"] and Fix(**data["first"])
        data["rounds"] = [
            Round(
                draft=[Guess(**guess) for guess in r["draft"]],
                fix=r["fix"] and Fix(**r["fix"]),
                emitted=r["emitted"],
                ms=r["ms"],
                match=r.get("match"),
            )
            for r in data["rounds"]
        ]
        return cls(**data)
