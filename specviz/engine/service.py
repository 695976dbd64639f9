"""One worker, one queue: the only thread that touches torch and the tokenizer.

Importing this imports no torch; the worker does, when it is first needed. Visitors hand in Work, get Jobs and
read snapshots of them; what the others do changes how long they wait and nothing else.
"""

from __future__ import annotations

import gc
import json
import sys
import threading
import time
import traceback
import zlib
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace

from specviz.engine import catalogue, fetching, memory, pairs, references
from specviz.engine.work import Work
from specviz.errors import BadInput, Cancelled
from specviz.trace import Trace

KEPT_JOBS = 128
LONGEST_QUEUE = 64
KEPT_FETCHES = 32
KEPT_STATES = 64
# Importing torch keeps the interpreter busy for seconds, and the first visitor's browser is still asking for its picture.
HEAD_START = 0.3  # seconds


class Job:
    """A request and what has become of it. state: queued, running, measuring, done, cancelled, failed."""

    def __init__(self, request: Work, wanted: Callable[[], bool]):
        self.request, self.key = request, request.key
        self.state = "queued"
        self.error: BadInput | None = None
        self.trace: Trace | None = None
        self.plain: dict | None = None
        self.report: dict | None = None  # of a trial or a measurement, so far
        self.turns: Iterator[None] | None = None  # what is left of a request that lets others go first
        self._wanted = [wanted]
        self._left: list[Callable[[], bool]] = []  # those who cancelled
        self._rounds: list[dict] = []  # JSON of the rounds already seen, so that a snapshot pays for the new ones only
        self._settled: bytes | None = None  # the last snapshot of a job that is over, small
        self._lock = threading.Lock()

    @property
    def live(self) -> bool:
        """Whether more rounds may come."""
        return self.state in ("queued", "running")

    @property
    def finished(self) -> bool:
        return self.state in ("done", "cancelled", "failed")

    @property
    def asked_for(self) -> bool:
        """Whether somebody has asked for it and not cancelled, be they connected or not."""
        return bool(self._wanted)

    def given_up(self) -> bool:
        """Whether everybody who asked for it has left or cancelled."""
        return not any(wanted() for wanted in list(self._wanted))

    def wanted_by(self, wanted: Callable[[], bool]) -> bool:
        """Whether it is not over for this visitor: neither finished nor cancelled by them."""
        return not self.finished and wanted not in self._left

    def join(self, wanted: Callable[[], bool]) -> None:
        """This visitor asks for the job, perhaps again."""
        self._left = [other for other in self._left if other is not wanted]
        if wanted not in self._wanted:
            self._wanted.append(wanted)

    def watch(self, wanted: Callable[[], bool]) -> None:
        """This visitor looks on, which keeps the job going; but not for one who has cancelled it."""
        if wanted not in self._left:
            self.join(wanted)

    def leave(self, wanted: Callable[[], bool]) -> None:
        """One visitor cancels; the job goes on for the others, if there are any."""
        self._wanted = [other for other in self._wanted if other is not wanted]
        self._left.append(wanted)
        if not self._wanted and self.state == "queued":
            self.state = "cancelled"  # at once: the worker may be busy with others for a while

    def cancel(self) -> None:
        """Cancel for everybody."""
        for wanted in list(self._wanted):
            self.leave(wanted)

    def snapshot(self) -> dict | None:
        """The trace so far as JSON, or None before the first token."""
        with self._lock:
            if self._settled is not None:
                return json.loads(zlib.decompress(self._settled))
            trace = self.trace  # the worker puts another in its place and never changes this one
            if trace is None:
                return None
            for finished in trace.rounds[len(self._rounds) :]:
                self._rounds.append(asdict(finished))
            return {**replace(trace, rounds=[]).to_json(), "rounds": list(self._rounds), "summary": trace.summary}

    def settle(self) -> None:
        """It is over: keep its snapshot packed. A long run is a dozen megabytes of objects, and many are kept."""
        last = self.snapshot()
        with self._lock:
            if last is not None and self._settled is None:
                self._settled = zlib.compress(json.dumps(last, ensure_ascii=False).encode(), level=1)
                self.trace, self._rounds = None, []


@dataclass
class ModelState:
    """Of one pair: cold, loading, ready or failed; `stage` and `share` tell how far.

    memory, once it is ready, is that of `engine.pairs.Pair`; layers: {device: "0–11"} of the target where it is spread over
    several.
    """

    state: str = "cold"
    stage: str = ""
    share: float = 0.0
    error: BadInput | None = None
    memory: dict | None = None
    layers: dict[str, str] | None = None


class Service:
    """Loads pairs and runs jobs, one at a time, in the order they came; one whose perform() yields lets others go first."""

    def __init__(self, load: Callable[..., pairs.Pair] = pairs.load):
        self._load = load
        self._pairs: OrderedDict[str, pairs.Pair] = OrderedDict()  # the one used last at the end
        self.models: dict[str, ModelState] = {name: ModelState() for name in catalogue.entries()}
        self.fetches: dict[str, fetching.Fetch] = {}  # by the name of the pair or of the model; the last of each
        self.room = memory.host()  # of the device that models go to; known better once the worker has torch
        self._queue: deque[Job | str] = deque()  # a bare name asks for a pair to be loaded
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._change = threading.Condition()
        threading.Thread(target=self._work, name="specviz-engine", daemon=True).start()

    def warm(self, pair: str, again: bool = False) -> None:
        """Load a pair in the background unless that has begun; again: also when it has failed before."""
        with self._change:
            state = self._known(pair)
            if state.state == "cold" or (again and state.state == "failed"):
                state.state, state.stage = "loading", "queued"
                self._queue.append(pair)
                self._change.notify()

    def state(self, pair: str) -> ModelState:
        """What is known of a pair, be it of the catalogue or not."""
        return self.models.get(pair) or ModelState()

    def _known(self, pair: str) -> ModelState:
        """Its state, to be changed; what visitors named once and that came to nothing is forgotten after a while."""
        idle = [name for name, state in self.models.items() if state.state in ("cold", "failed")]
        for name in [name for name in idle if name not in catalogue.entries()][:-KEPT_STATES]:
            del self.models[name]
        if pair not in catalogue.entries():
            self.models[pair] = self.models.pop(pair, None) or ModelState()  # the one named last at the end
        return self.models[pair]

    def loaded(self) -> list[str]:
        """Names of the pairs that are in memory, the one used last at the end."""
        return list(self._pairs)

    def fetch(self, name: str, weights: bool = True) -> fetching.Fetch:
        """Begin to bring the files of a pair here, unless that has begun; poll what is returned, or `fetches`.

        BadInput when it is no pair's name. The worker has no part in it: runs go on. weights=False: only what
        `work.Check` reads of a hub's models."""
        wanted = references.parse_pair(name)
        with self._change:
            running = self.fetches.get(name)
            if running is None or running.finished or (weights and not running.weights):
                running = self.fetches[name] = fetching.fetch(wanted, weights)
                while len(self.fetches) > KEPT_FETCHES and (over := self._over()):
                    del self.fetches[over]
            return running

    def _over(self) -> str | None:
        return next((name for name, running in self.fetches.items() if running.finished), None)

    def submit(self, request: Work, wanted: Callable[[], bool] = lambda: True) -> Job:
        """Queue a request; an equal one that is still waiting or running is joined, a finished one run again."""
        with self._change:
            known = self._jobs.get(request.key)
            if known and not known.finished and known.asked_for:
                known.join(wanted)
                return known
            if len(self._waiting()) >= LONGEST_QUEUE:
                raise BadInput("queue_full", most=LONGEST_QUEUE)
            job = Job(request, wanted)
            self._jobs[request.key] = job
            self._jobs.move_to_end(request.key)
            self._forget()
            self._queue.append(job)
            self._change.notify()
            return job

    def find(self, key: str) -> Job | None:
        """The job of this key, if the server still remembers it."""
        return self._jobs.get(key)

    def place(self, job: Job) -> int:
        """How many jobs come first; 0 when it is running or over."""
        with self._change:
            waiting = self._waiting()
            return waiting.index(job) + 1 if job in waiting else 0

    def _waiting(self):
        """Jobs that somebody still waits for; who has left holds no place."""
        return [item for item in self._queue if isinstance(item, Job) and item.state == "queued" and not item.given_up()]

    def _forget(self):
        for key in [k for k, job in self._jobs.items() if job.finished][: max(0, len(self._jobs) - KEPT_JOBS)]:
            del self._jobs[key]

    def _work(self):
        if "torch" not in sys.modules:
            time.sleep(HEAD_START)
        while True:
            with self._change:
                while not self._queue:
                    self._change.wait()
                item = self._queue.popleft()
            if isinstance(item, Job):
                self._run(item)
                if item.finished:
                    item.settle()
            else:
                self._pair_or_error(item)

    def _pair_or_error(self, name) -> pairs.Pair | None:
        """The pair, loaded if need be; None when that fails, and the reason is in `models`."""
        if name in self._pairs:
            self._pairs.move_to_end(name)
            return self._pairs[name]
        state = self._known(name)
        state.state, state.error = "loading", None

        def progress(stage, share):
            state.stage, state.share = stage, share

        try:
            pair = self._pairs[name] = self._loaded(name, progress)
        except BadInput as error:
            state.error, state.state = error, "failed"
            return None
        except Exception as error:  # the worker must outlive whatever a model does
            traceback.print_exc()
            state.error, state.state = BadInput("broken_model", ref=name, why=_brief(error)), "failed"
            return None
        # What is loaded stays; the collector need not walk it again and again.
        gc.collect()
        gc.freeze()
        self.room = memory.room()
        state.memory, state.layers = pair.memory, pair.layers
        state.state, state.share = "ready", 1.0
        return pair

    def _loaded(self, name, progress) -> pairs.Pair:
        """Load a pair; where memory is short, let go of those that were used longest ago, one by one."""
        while True:
            try:
                return self._load(name, progress=progress)
            except BadInput as error:
                if error.code != "no_room" or not self._let_go():
                    raise

    def _let_go(self) -> bool:
        """Forget the pair that was used longest ago and that no run will come back to; False when there is none."""
        with self._change:
            kept = {item.request.pair for item in self._queue if isinstance(item, Job) and item.turns}
        free = [name for name in self._pairs if name not in kept]
        if not free:
            return False
        del self._pairs[free[0]]
        self.models[free[0]] = ModelState()
        gc.unfreeze()
        gc.collect()
        memory.give_back()
        return True

    def _run(self, job):
        if job.given_up():
            job.state, job.turns = "cancelled", None
            return
        job.state = "running"
        try:
            name = job.request.pair
            pair = self._pair_or_error(name) if name else None
            if name and pair is None:
                raise self.models[name].error
            job.turns = job.turns or job.request.perform(pair, job)
            if job.turns and self._gave_way(job):
                return
            job.state = "done"
        except Cancelled:
            job.state = "cancelled"
        except BadInput as error:
            job.error, job.state = error, "failed"
        except Exception as error:
            traceback.print_exc()
            job.error, job.state = BadInput("run_broke", why=_brief(error)), "failed"

    def _gave_way(self, job) -> bool:
        """Go on with a job until it is over, or until others wait at one of its stops: then it queues behind them."""
        for _ in job.turns:
            with self._change:
                if self._waiting():
                    job.state = "queued"
                    self._queue.append(job)
                    return True
        return False


def _brief(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0][:200]
