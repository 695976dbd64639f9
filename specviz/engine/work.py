"""What can be asked of the one worker, a class a kind: plain data with a key that is the same on every server.

Importing this imports no torch; `perform` does, on the worker's thread.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from specviz.errors import Cancelled
from specviz.settings import Settings

if TYPE_CHECKING:
    from specviz.engine import pairs
    from specviz.engine.service import Job


class Work(Protocol):
    """One request. `perform` writes what it finds into the job and raises Cancelled when the job is given up; one that
    yields lets whoever waits go first."""

    pair: str | None

    @property
    def key(self) -> str: ...

    def perform(self, pair: pairs.Pair | None, job: Job) -> Iterator[None] | None: ...


@dataclass(frozen=True)
class Request:
    """Write a text after a prompt, then measure plain decoding of as many tokens."""

    pair: str
    prompt: str
    settings: Settings

    @property
    def key(self) -> str:
        """The same for the same request, on every server."""
        return _key("write", self.pair, self.prompt, self.settings.to_json())

    def perform(self, pair: pairs.Pair, job: Job) -> None:
        from specviz.engine import writing

        for trace in writing.write(pair, self.prompt, self.settings):
            job.trace = trace
            if job.given_up():
                raise Cancelled
        job.state = "measuring"
        job.plain = writing.plain_lane(pair, job.trace, job.given_up)
        if job.plain is None:
            raise Cancelled


@dataclass(frozen=True)
class Trial:
    """Put the engine itself on trial: its rule after a prompt, or, without a pair, whole texts on a toy vocabulary."""

    pair: str | None
    prompt: str
    settings: Settings
    throws: int

    @property
    def key(self) -> str:
        return _key("trial", self.pair, self.prompt, self.settings.to_json(), self.throws)

    def perform(self, pair: pairs.Pair | None, job: Job) -> None:
        from specviz.engine import trials

        if pair:
            reports = trials.position_trial(pair, self.prompt, self.settings, self.throws)
        else:
            reports = trials.text_trial(self.throws, self.settings.seed)
        for report in reports:
            job.report = report
            if job.given_up():
                raise Cancelled


@dataclass(frozen=True)
class Hearing:
    """Put a rule of the gallery on trial for given p and q, one number a token."""

    rule: str
    tokens: tuple[str, ...]
    p: tuple[float, ...]
    q: tuple[float, ...]
    seed: int
    throws: int
    pair: str | None = None

    @property
    def key(self) -> str:
        return _key("hear", self.rule, self.tokens, self.p, self.q, self.seed, self.throws)

    def perform(self, pair: pairs.Pair | None, job: Job) -> None:
        from specviz import court, gallery

        for report in court.hearing(gallery.RULES[self.rule].function, self.p, self.q, self.throws, self.seed):
            job.report = {"tokens": list(self.tokens), **report}
            if job.given_up():
                raise Cancelled


@dataclass(frozen=True)
class Comparison:
    """One pass over several tokens beside a pass for each of them."""

    pair: str
    prompt: str
    settings: Settings

    @property
    def key(self) -> str:
        return _key("compare", self.pair, self.prompt, self.settings.to_json())

    def perform(self, pair: pairs.Pair, job: Job) -> None:
        from specviz.engine import parallel

        job.report = parallel.compare(pair, self.prompt, self.settings)


@dataclass(frozen=True)
class Bottleneck:
    """Measure this machine, and what passes of the pair's target over more and more tokens take on it."""

    pair: str

    @property
    def key(self) -> str:
        return _key("bottleneck", self.pair)

    def perform(self, pair: pairs.Pair, job: Job) -> None:
        from specviz.engine import measure

        for report in measure.bottleneck(pair.target):
            job.report = report
            if job.given_up():
                raise Cancelled


@dataclass(frozen=True)
class Gain:
    """Measure what guessing gains on several kinds of text, plain and speculative decoding taking turns."""

    pair: str
    settings: Settings

    @property
    def key(self) -> str:
        return _key("gain", self.pair, self.settings.to_json())

    def perform(self, pair: pairs.Pair, job: Job) -> Iterator[None]:
        """Yields between two texts: whoever waits goes first."""
        from specviz.engine import gain

        for report in gain.gain(pair, self.settings):
            job.report = report
            if job.given_up():
                raise Cancelled
            yield


@dataclass(frozen=True)
class Family:
    """Run every drafter on one prompt, each after the other: settings but for who guesses, its knobs for those who listen.

    `report`: {"pair", "prompt", "prompt_texts", "prompt_special", "settings", "wanted": codes, "now": the one that runs or
    None, "share": of all that is done, "plain": plain decoding or None, "rows": {code: row}}; of a row see `family.measured`.
    """

    pair: str
    prompt: str
    settings: Settings
    drafters: tuple[str, ...]

    @property
    def key(self) -> str:
        return _key("family", self.pair, self.prompt, self.settings.to_json(), self.drafters)

    def perform(self, pair: pairs.Pair, job: Job) -> Iterator[None]:
        """Yields between two drafters: whoever waits goes first."""
        from specviz.engine import family

        for report, ended in family.family(pair, self.prompt, self.settings, self.drafters):
            job.report = report
            if job.given_up():
                raise Cancelled
            if ended:
                yield


@dataclass(frozen=True)
class Check:
    """Compare a target and a draft, named by their references, without loading either: `report` is that of
    `compatibility.Report.to_json()`. BadInput not_here when their descriptions are still to be fetched."""

    target: str
    draft: str
    pair: str | None = None

    @property
    def key(self) -> str:
        return _key("check", self.target, self.draft)

    def perform(self, pair: pairs.Pair | None, job: Job) -> None:
        from specviz.engine import compatibility, references

        models = (references.parse(text) for text in (self.target, self.draft))
        job.report = compatibility.report(*models).to_json()


def _key(*what) -> str:
    return hashlib.sha256(json.dumps(what, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:16]
