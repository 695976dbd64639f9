"""Speculative decoding, the code that runs and the code the lesson shows (Leviathan et al. 2023, Algorithm 1).

A round: the drafter guesses γ tokens; the target reads them all in one pass; from left to right each guess is
accepted or rejected; the first rejected place is filled by the target, and if none is rejected a bonus token is free.
Plain decoding is the same loop without a drafter.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import inf
from time import perf_counter

from specviz import rule
from specviz.engine.drafters import Draft, Drafter
from specviz.engine.ending import Ending
from specviz.engine.model import Model
from specviz.engine.record import Own, Played, Recorder
from specviz.errors import BadInput
from specviz.sampling import Purpose, draw, probabilities, uniform
from specviz.settings import Settings
from specviz.trace import Fix, Round

NO_GUESS = Draft()
PATIENCE = 0.025  # s: nobody sees a round sooner than that


class Run:
    """One text being written. `first()` once, then `rounds()`; `ending` holds the output so far.

    target and drafter must share one vocabulary. A drafter of a shorter context guesses as far as that reaches, then the
    target goes on alone. Nothing here is shared with other runs except the models' weights.
    """

    def __init__(
        self,
        target: Model,
        drafter: Drafter | None,
        prompt: list[int],
        settings: Settings,
        recorder: Recorder,
        eos: frozenset[int],
    ):
        if len(prompt) >= target.context:
            raise BadInput("prompt_too_long", tokens=len(prompt), context=target.context)
        self.target, self.drafter, self.settings, self.recorder = target, drafter, settings, recorder
        self.ids = list(prompt)
        self.slots = target.slots()
        self.ending = Ending(eos, settings.stop, settings.max_new_tokens, target.context, len(prompt))
        self.pending = recorder.speller.pieces(prompt)[-1].pending  # bytes of an unfinished character
        self.prefill_ms: dict[str, float] = {}

    def first(self) -> Fix:
        """The first token comes from the target alone: reading the prompt has paid for it."""
        started = perf_counter()
        logits = self.target.forward(self.ids, self.slots, rows=1)
        p = probabilities(logits, **self.settings.sampling)  # (1, V)
        u = self._uniform(len(self.ids), Purpose.FIX)
        own = Own(draw(p[0], u), "first", u)
        _, first = self.recorder.round(NO_GUESS, p, logits, [], [], own, self.pending)
        self.prefill_ms["target"] = (perf_counter() - started) * 1e3
        self._emit(own.id)
        return first

    def rounds(self) -> Iterator[Round]:
        """Rounds until the text ends, each as soon as it is over."""
        for bunch in self.bunches(patience=0):
            yield from bunch

    def bunches(self, patience: float = PATIENCE) -> Iterator[list[Round]]:
        """The same rounds, those together that came within `patience` seconds; the first alone. All of a bunch is written down
        at once: between two passes, which empty the caches, the same takes several times as long."""
        if self.reach > 0 and self.ending.reason is None:
            started = perf_counter()
            self.drafter.begin(self.ids, self.slots)
            self.prefill_ms["draft"] = (perf_counter() - started) * 1e3
        waiting, since = [], -inf
        while self.ending.reason is None:
            try:
                waiting.append(self._round())
            except Exception:
                if waiting:  # what went before is not lost
                    yield [played.written() for played in waiting]
                raise
            if self.ending.reason is not None or perf_counter() - since >= patience:
                yield [played.written() for played in waiting]
                waiting, since = [], perf_counter()

    @property
    def reach(self) -> int:
        """How many guesses the drafter's context still allows; it need not read the last of them."""
        return self.drafter.context - len(self.ids) + 1 if self.drafter else 0

    def _round(self) -> Played:
        began = perf_counter()
        position, pending = len(self.ids), self.pending

        # Guess. One place is kept for the fix, so that a round never overshoots the end.
        gamma = min(self.settings.gamma, self.ending.room - 1, self.reach)
        draft = self.drafter.propose(gamma, self._draw_guess) if gamma > 0 else NO_GUESS
        guessed = perf_counter()

        # Verify: one pass of the target over the last token and all guesses; row i is p after i guesses.
        logits = self.target.forward([self.ids[-1], *draft.tokens], self.slots, begun=draft.begun)  # (γ+1, V)
        verified = perf_counter()
        p = probabilities(logits, **self.settings.sampling)  # (γ+1, V)

        # Judge from left to right; what follows the first rejection continued a wrong token.
        verdicts, uniforms = ["discarded"] * len(draft.tokens), []
        for i, x in enumerate(draft.tokens):
            u = self._uniform(position + i, Purpose.ACCEPT)
            uniforms.append(u)
            if not rule.accepts(u or 0.0, float(p[i, x]), float(draft.q[i][x])):
                verdicts[i] = "rejected"
                break  # the rest is void
            verdicts[i] = "accepted"
            if self._emit(x):
                break

        # Fix: the rejected place from the residual; a bonus after full acceptance; nothing once the text has ended.
        own = None
        if self.ending.reason is None:
            own = self._fix(p, draft, rejected="rejected" in verdicts)

        # Commit: forgetting what was void is setting a length.
        self.slots.length = len(self.ids) - 1
        emitted = self.ids[position:]
        if self.reach > 0:
            self.drafter.commit(emitted)
        write = partial(self.recorder.round, draft, p, logits, uniforms, verdicts, own, pending)
        ms = {"draft": (guessed - began) * 1e3, "verify": (verified - guessed) * 1e3}
        ms["rest"] = (perf_counter() - verified) * 1e3
        return Played(write, emitted, ms, draft.match)

    def _fix(self, p, draft, rejected: bool) -> Own:
        place = len(self.ids)
        i = place - self.slots.length + len(draft.tokens)  # row of the first place without an accepted guess
        wanted = p[i]
        row = rule.residual(wanted, draft.q[i]) if rejected else wanted
        u = self._uniform(place, Purpose.FIX)
        # Where the residual has no mass, the rule gives p itself back.
        own = Own(draw(row, u), "residual" if rejected else "bonus", u, fallback=rejected and row is wanted)
        self._emit(own.id)
        return own

    def _emit(self, id: int) -> bool:
        """Append a token to the text; True when the text ends with it."""
        piece = self.recorder.speller.piece(id, self.pending)
        self.ids.append(id)
        self.pending = piece.pending
        return self.ending.add(id, piece)

    def _draw_guess(self, q, position: int) -> int:
        return draw(q, self._uniform(position, Purpose.DRAFT))

    def _uniform(self, position: int, purpose: Purpose) -> float | None:
        """None at temperature 0, where nothing is left to chance."""
        return uniform(self.settings.seed, position, purpose) if self.settings.temperature > 0 else None
