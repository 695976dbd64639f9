"""The loop's round for a GPU: one message there, all passes and choices without a number being read, one message back.

What is chosen is chosen by `vector`, which is tested to choose as the loop does; what ends a text, and in what order, is
decided from the message that comes back, exactly as the loop decides it.
"""

from __future__ import annotations

from functools import partial
from time import perf_counter
from typing import NamedTuple

import torch

from specviz.engine import device, vector
from specviz.engine.columns import Column
from specviz.engine.loop import Run
from specviz.engine.record import Own, Played
from specviz.errors import BadInput
from specviz.sampling import Purpose


class Luck(NamedTuple):
    """All uniforms that a round of γ guesses could need: for the guesses (γ,), for judging them (γ,), and for a fix at any
    of the places (γ+1,). None throughout at temperature 0."""

    guess: list[float | None]
    accept: list[float | None]
    fix: list[float | None]


class Found(NamedTuple):
    """What comes back of a round: guesses (γ,), how many were accepted, the fix and whether it is from the residual, which had
    no mass; what a Column is made of, and the same of unsharpened rows, or nothing."""

    tokens: list[int]
    accepted: int
    fix: int
    residual: bool
    massless: bool
    seen: list
    soft: list


class DeviceRun(Run):
    """A Run of models that `device.serves`: the same rounds, traces, endings and caches."""

    def __init__(self, target, drafter, prompt, settings, recorder, eos):
        super().__init__(target, drafter, prompt, settings, recorder, eos)
        tokens = len(prompt) + settings.max_new_tokens
        self.verifying = device.take(self, target, tokens)
        self.slots = self.verifying.slots
        if self.reach > 0:
            self.guessing = device.take(self, drafter.model, tokens)
            slots = self.guessing.slots
            drafter.fresh = lambda: slots
        self.clock = device.Clock(target.device)
        self.post = device.Post(target.device, 3 * settings.gamma + 3)

    @property
    def refused(self) -> bool:
        """Whether a pass of one of its models could not be recorded: they are all told one operation at a time then."""
        return not all(model.shelf.recorded for model in device.models_of(self.target, self.drafter))

    def _round(self) -> Played:
        began = perf_counter()
        position, pending = len(self.ids), self.pending
        gamma = max(0, min(self.settings.gamma, self.ending.room - 1, self.reach))
        luck = self._luck(position, gamma)
        found = self._found(gamma, luck)
        ms = self._clocked(gamma)

        # Judged there already; here a text may end among the accepted guesses, and what follows is void.
        verdicts, uniforms = ["discarded"] * gamma, []
        for i, x in enumerate(found.tokens):
            uniforms.append(luck.accept[i])
            if i == found.accepted:
                verdicts[i] = "rejected"
                break
            verdicts[i] = "accepted"
            if self._emit(x):
                break
        own = None
        if self.ending.reason is None:
            own = Own(found.fix, "residual" if found.residual else "bonus", luck.fix[found.accepted], found.massless)
            self._emit(own.id)

        self.slots.length = len(self.ids) - 1
        emitted = self.ids[position:]
        if self.reach > 0:
            self.drafter.commit(emitted)
        ms["rest"] = max(0.0, (perf_counter() - began) * 1e3 - ms["draft"] - ms["verify"])
        return Played(partial(self._written, found, uniforms, verdicts, own, pending), emitted, ms)

    def _luck(self, position, gamma) -> Luck:
        needed = (Purpose.DRAFT, gamma), (Purpose.ACCEPT, gamma), (Purpose.FIX, gamma + 1)
        return Luck(*([self._uniform(position + i, purpose) for i in range(count)] for purpose, count in needed))

    @torch.inference_mode()
    def _found(self, gamma, luck: Luck) -> Found:
        """Guess, verify and judge on the device; BadInput where a model's logits are no numbers."""
        certain = self.settings.temperature == 0
        sent = self.post.send([*self.ids[-2:], *(u for us in luck for u in us if not certain)])
        last = sent[:2].long()
        u_guess, u_accept, u_fix = (None,) * 3 if certain else sent[2:].split([gamma, gamma, gamma + 1])
        self.clock.mark()
        tokens, q, q_soft = self._guess(last, gamma, u_guess)
        logits = self._verify(last, tokens)
        self.clock.mark()
        p = vector.probabilities(logits, **self.settings.sampling)  # (γ+1, V)
        judged = vector.judge(p, q, tokens, u_accept, u_fix)
        ids = torch.cat((tokens, judged.fix[None]))
        here = torch.arange(gamma + 1, device=ids.device) == judged.accepted
        wanted = torch.stack((ids, torch.where(here, judged.fix, ids)), -1)
        parts = [vector.sound(p, q), *judged, tokens, *_seen(p, q, wanted)]
        if self.recorder.soft:
            parts += _seen(vector.probabilities(logits), q_soft, wanted)
        sound, accepted, fix, residual, massless, tokens, *columns = device.Post.read(*parts)
        if not sound:
            raise BadInput("no_chances")
        tokens = [int(x) for x in tokens]
        return Found(tokens, int(accepted), int(fix), bool(residual), bool(massless), columns[:4], columns[4:])

    def _guess(self, last, gamma, u):
        """Tokens (γ,), q (γ, V), and q without sharpening where the trace keeps it. The first pass reads the last two tokens,
        be the former read or not: after full acceptance it is not, and one width serves both."""
        position = len(self.ids)
        unread, length = last, position - 2
        tokens, q, soft = [last[:0]], [], []
        for i in range(gamma):
            model = self.drafter.model
            logits = model.told(self.guessing.logits(unread, length, len(unread), rows=1))  # (1, V)
            self.clock.mark()
            row = vector.probabilities(logits, **self.drafter.processing)
            unread, length = vector.draw(row, None if u is None else u[i : i + 1]), position + i
            tokens.append(unread)
            q.append(row)
            soft += [vector.probabilities(logits)] if self.recorder.soft else []
            self.clock.mark()
        if gamma:
            self.drafter.slots.length = position + gamma - 1
        nothing = torch.empty(0, self.target.vocab, device=last.device)
        return torch.cat(tokens), torch.cat(q or [nothing]), torch.cat(soft or [nothing])

    def _verify(self, last, tokens):
        """Logits (γ+1, V) after the last token and every guess. Near the end, where fewer guesses are made than were asked for,
        the pass is as wide as the others; what is too much is void."""
        width = self.settings.gamma + 1 if self.reach > 0 else 1
        logits = self.verifying.logits(torch.cat((last[1:], tokens)), len(self.ids) - 1, width)
        return self.target.told(logits)[: len(tokens) + 1]

    def _clocked(self, gamma) -> dict[str, float]:
        """Milliseconds of guessing and of verifying; the passes among them are told to their models."""
        spans = self.clock.read()
        guessing, verify = spans[: 2 * gamma], spans[2 * gamma]
        self.target.busy_ms += verify
        if gamma:
            self.drafter.model.busy_ms += sum(guessing[::2])
        return {"draft": sum(guessing), "verify": verify}

    def _written(self, found: Found, uniforms, verdicts, own, pending):
        asked = [[x, own.id if v == "rejected" and own else x] for x, v in zip(found.tokens, verdicts, strict=True)]
        asked += [[own.id, own.id]] if own and own.kind == "bonus" else []
        stray = found.accepted if own is None else None  # a row in which a fix was wanted that is not needed
        columns = _columns(found.seen, asked, stray)
        softs = [seen.top for seen in _columns(found.soft, asked, stray)] if found.soft else [None] * len(asked)
        return self.recorder.entries(found.tokens, columns, softs, uniforms, verdicts, own, pending)


def _seen(p, q, wanted):
    return vector.seen(torch.stack((p, torch.cat((q, torch.zeros_like(p[:1]))))), wanted)


def _columns(seen, asked, stray):
    """A Column of every row that is asked for."""
    ids, shown, over, whole = seen
    columns = []
    for i, wanted in enumerate(asked):
        row = [int(id) for id in ids[i]]
        p_q, larger, all_ = ([side[i] for side in sides] for sides in (shown, over, whole))
        if i == stray:
            *row, id = row
            (*p, p_id), (*q, q_id) = p_q
            p_q = p, q
            if id not in row:  # one of the others after all
                all_ = [all_[0] + p_id, all_[1] + q_id]
                larger = [larger[0] + p_id, larger[1] + q_id] if q_id > p_id else larger
        columns.append(_column(row, wanted, *p_q, larger, all_))
    return columns


def _column(ids, asked, p_shown, q_shown, over, whole) -> Column:
    """over, whole: sums of p and of q over the others where q is larger, and over all of them.

    After top-k, or at T = 0, there may be fewer than SHOWN tokens with any probability at all."""
    rows = zip(ids, p_shown, q_shown, strict=True)
    by_id = {id: (id, p, q) for id, p, q in rows if p or q or id in asked}
    under = {name: max(0.0, all_ - part) for name, all_, part in zip("pq", whole, over, strict=True)}
    rest = {"over": dict(zip("pq", over, strict=True)), "under": under}
    return Column(list(by_id.values()), rest, by_id[asked[0]][1:])
