"""One worker for everybody: each run is the same whatever the others do, and nobody can take it down."""

import json
import threading
import time

import pytest

from specviz.engine import measure, pairs, trials, writing
from specviz.engine.service import LONGEST_QUEUE, Service
from specviz.engine.work import Bottleneck, Check, Request, Trial
from specviz.errors import BadInput
from specviz.settings import Settings
from specviz.trace import Trace


@pytest.fixture
def service(pair):
    return Service(load=lambda name, progress: pair if name == "poem" else pairs.load(name))


def wait(job, seconds=60):
    end = time.monotonic() + seconds
    while not job.finished:
        assert time.monotonic() < end, f"still {job.state}"
        time.sleep(0.005)
    return job


def request(prompt="moon", pair="poem", **settings):
    return Request(pair, prompt, Settings(**{"max_new_tokens": 40, **settings}))


def test_every_run_is_the_same_whatever_the_others_do(service, pair):
    alone = {}
    for seed in range(6):
        *_, trace = writing.write(pair, "moon", request(seed=seed).settings)
        alone[seed] = trace.output_ids
    jobs = {}

    def visitor(seed):
        jobs[seed] = service.submit(request(seed=seed))

    threads = [threading.Thread(target=visitor, args=(seed,)) for seed in alone]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed, job in jobs.items():
        assert wait(job).snapshot()["output_ids"] == alone[seed]


def test_snapshots_only_grow_and_end_with_the_whole_trace(service):
    job = service.submit(request(max_new_tokens=200))
    seen = [0]
    while not job.finished:
        snapshot = job.snapshot()
        rounds = len(snapshot["rounds"]) if snapshot else 0
        assert rounds >= seen[-1]
        seen.append(rounds)
    assert job.snapshot()["finish_reason"] and len(job.plain["ms"]) == len(job.snapshot()["output_ids"]) - 1


def test_what_a_run_has_yielded_never_changes(pair):
    """Other threads read it: a change under their hands broke them now and then."""
    seen = [(trace, json.dumps(trace.to_json())) for trace in writing.write(pair, "moon", request(seed=6).settings)]
    lengths = [len(trace.rounds) for trace, _ in seen]
    assert lengths[:2] == [0, 1] and len(lengths) > 2 and lengths == sorted(set(lengths))
    assert all(json.dumps(trace.to_json()) == then for trace, then in seen)


def test_what_a_trial_has_reported_never_changes():
    seen = [(report, json.dumps(report)) for report in trials.text_trial(2 * trials.BATCH, seed=0)]
    assert len(seen) > 1 and all(json.dumps(report) == then for report, then in seen)


def test_a_cancelled_run_frees_the_worker(service):
    first, second = service.submit(request(max_new_tokens=480)), service.submit(request(seed=1))
    first.cancel()
    assert wait(second).state == "done"
    assert first.state == "cancelled"


def test_a_run_nobody_waits_for_is_given_up(service):
    gone = service.submit(request(max_new_tokens=480), wanted=lambda: False)
    assert wait(gone).state == "cancelled"


def test_a_run_somebody_else_joined_goes_on(service):
    blocker = service.submit(request(seed=8, max_new_tokens=200))
    job = service.submit(request(seed=9), wanted=lambda: False)
    assert service.submit(request(seed=9)) is job
    assert wait(job).state == "done" and wait(blocker).state == "done"


@pytest.mark.parametrize("bad", [{"prompt": " "}, {"prompt": "a" * 600}, {"pair": "prose"}])
def test_bad_input_fails_that_run_only(service, bad):
    job = wait(service.submit(request(**bad)))
    assert job.state == "failed" and isinstance(job.error, BadInput)
    assert wait(service.submit(request())).state == "done"


def test_a_fault_in_the_engine_fails_that_run_only(service, monkeypatch, capsys):
    def broken(*args):
        raise RuntimeError("the model caught fire")

    with monkeypatch.context() as patch:
        patch.setattr(writing, "write", broken)
        job = wait(service.submit(request()))
    assert job.error.code == "run_broke" and "caught fire" in job.error.sentence("zh")
    assert wait(service.submit(request())).state == "done"


def test_a_finished_run_is_found_again_by_its_key(service):
    job = wait(service.submit(request()))
    assert service.find(request().key) is job
    assert service.find(request(seed=77).key) is None


def test_places_in_the_queue_count_down(service):
    jobs = [service.submit(request(seed=s, max_new_tokens=100)) for s in range(3)]
    places = [service.place(job) for job in jobs]
    assert places in ([1, 2, 3], [0, 1, 2])
    assert [service.place(wait(job)) for job in jobs] == [0, 0, 0]


def test_models_that_cannot_be_loaded_say_why():
    def load(name, progress):
        progress("weights", 0.5)
        raise BadInput("no_config", ref="x")

    service = Service(load=load)
    service.warm("poem")
    job = wait(service.submit(request()))
    assert service.models["poem"].state == "failed"
    assert job.error.code == "no_config"


def test_importing_the_service_imports_no_torch():
    import subprocess
    import sys

    slow = ("torch", "transformers", "numba")
    code = f"import sys, specviz.engine.service, specviz.commands; print(*(name in sys.modules for name in {slow}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"] * len(slow)


def test_the_first_run_imports_nothing_that_takes_time():
    """It would be waited for after Run was pressed, when the page has long said that the pair is ready."""
    import subprocess
    import sys

    code = """if True:
        import sys
        from specviz.engine import pairs
        pair = pairs.load("poem")
        before = set(sys.modules)
        from specviz.engine import writing
        from specviz.settings import Settings
        *_, _ = writing.write(pair, "moon", Settings(max_new_tokens=4))
        print(*{name.partition(".")[0] for name in set(sys.modules) - before} - {"specviz"})"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_trial_is_a_job_like_any_other(service):
    trial = Trial("poem", "moon", Settings(temperature=2.0), 4_000)
    job = wait(service.submit(trial))
    assert job.state == "done" and job.report["throws"] == 4_000
    cancelled = service.submit(Trial(None, "", Settings(), 1_000_000))
    after = service.submit(request(seed=5))
    cancelled.cancel()
    assert wait(after).state == "done" and cancelled.state == "cancelled"


def test_measuring_waits_its_turn_and_can_be_given_up(service, monkeypatch):
    monkeypatch.setattr(measure, "COPIED", 2**22)
    job = wait(service.submit(Bottleneck("poem")))
    assert job.state == "done" and job.report["stage"] == "over"
    given_up, after = service.submit(Bottleneck("poem")), service.submit(request(seed=6))
    assert service.place(after) >= service.place(given_up)
    given_up.cancel()
    assert wait(after).state == "done" and given_up.state == "cancelled"


def test_one_visitors_cancel_does_not_stop_anothers_run(service):
    blocker = service.submit(request(seed=40, max_new_tokens=200))
    me, other = (lambda: True), (lambda: True)
    job = service.submit(request(seed=41), me)
    assert service.submit(request(seed=41), other) is job
    job.leave(me)
    assert wait(job).state == "done" and wait(blocker).state == "done"


def test_who_has_cancelled_and_looks_on_does_not_keep_the_run_going(service):
    """A page draws once more after Cancel, and a shared run goes on for the others."""
    me, other = (lambda: True), (lambda: True)
    job = service.submit(request(max_new_tokens=480), me)
    job.leave(me)
    job.watch(me)
    assert wait(job).state == "cancelled"
    shared = service.submit(request(seed=1, max_new_tokens=200), me)
    service.submit(request(seed=1, max_new_tokens=200), other)
    shared.leave(me)
    assert shared.wanted_by(other) and not shared.wanted_by(me)
    assert service.submit(request(seed=1, max_new_tokens=200), me) is shared and shared.wanted_by(me)
    assert wait(shared).state == "done"


def test_who_has_gone_holds_no_place_in_the_queue(service):
    blocker = service.submit(request(max_new_tokens=480))
    for seed in range(1, LONGEST_QUEUE + 1):
        service.submit(request(seed=seed), wanted=lambda: False)
    job = service.submit(request(seed=1000))
    assert service.place(job) <= 2  # behind the first run, if that has not begun yet, and behind nobody else
    blocker.cancel()
    assert wait(job).state == "done"


def test_a_run_that_is_over_is_kept_small_and_whole(service, pair):
    *_, trace = writing.write(pair, "moon", request(seed=4).settings)
    job = wait(service.submit(request(seed=4)))
    end = time.monotonic() + 10
    while job.trace is not None and time.monotonic() < end:
        time.sleep(0.005)
    snapshot = job.snapshot()
    assert job.trace is None
    assert Trace.from_json(snapshot).text == trace.text
    assert [r["emitted"] for r in snapshot["rounds"]] == [r.emitted for r in trace.rounds]


def test_a_queued_run_is_cancelled_at_once_and_not_joined_again(service):
    service.submit(request(seed=50, max_new_tokens=400))
    job = service.submit(request(seed=51))
    job.cancel()
    again = service.submit(request(seed=51))
    assert job.state == "cancelled" and again is not job
    assert wait(again).state == "done"


def test_the_pair_used_longest_ago_is_let_go_when_memory_is_short(pair):
    """Two pairs fit at a time; the third makes the engine forget the one nobody asked for lately."""
    held = []

    def load(name, progress):
        if len(held) == 2:
            held.clear()  # what letting go frees
            raise BadInput("no_room", needed="3 GB", free="1 GB", device="CPU", dtype="fp32")
        held.append(name)
        return pair

    service = Service(load=load)
    for name in ("a/a", "b/b", "a/a"):
        assert wait(service.submit(request(pair=name, seed=len(name) + len(held)))).state == "done"
    assert wait(service.submit(request(pair="c/c"))).state == "done"
    assert service.loaded() == ["a/a", "c/c"] and service.state("b/b").state == "cold"
    assert service.state("c/c").state == "ready" and service.state("c/c").memory == pair.memory


def test_what_fits_nowhere_is_refused_with_the_figures_and_the_others_stay_usable(pair):
    def load(name, progress):
        if name == "big/big":
            raise BadInput("no_room", needed="300 GB", free="1 GB", device="CPU", dtype="fp32")
        return pair

    service = Service(load=load)
    assert wait(service.submit(request())).state == "done"
    job = wait(service.submit(request(pair="big/big")))
    assert job.error.code == "no_room" and "300 GB" in job.error.sentence("en")
    assert wait(service.submit(request(seed=3))).state == "done"


def test_a_pair_whose_run_stood_back_is_never_let_go(pair, monkeypatch):
    """A measurement that lets others go first comes back to its models."""
    from specviz.engine import gain
    from specviz.engine.work import Gain

    monkeypatch.setattr(gain, "kinds", lambda name: {"known": ["moon"] * 3})
    refused = []

    def load(name, progress):
        if name == "other/one":
            refused.append(True)
            raise BadInput("no_room", needed="3 GB", free="1 GB", device="CPU", dtype="fp32")
        return pair

    service = Service(load=load)
    measuring = service.submit(Gain("poem", Settings(gamma=2)))
    job = wait(service.submit(request(pair="other/one")))
    assert wait(measuring).state == "done" and job.error.code == "no_room" and refused == [True]


def test_another_pair_does_not_disturb_a_run(service, pair_folder):
    """Two visitors, two pairs: both get what they would have got alone."""
    other = str(pair_folder / "target")
    ours, theirs = service.submit(request(seed=1, max_new_tokens=100)), service.submit(request(pair=other, gamma=0, seed=1))
    assert wait(ours).state == wait(theirs).state == "done"
    assert wait(service.submit(request(seed=1, max_new_tokens=100))).snapshot()["output_ids"] == ours.snapshot()["output_ids"]


def test_a_report_on_two_models_is_a_job(service, pair_folder):
    job = wait(service.submit(Check(str(pair_folder / "target"), "poem/draft")))
    assert job.state == "done" and job.report["verdict"] == "refuse" and job.report["first_difference"]["id"] >= 0
    lost = wait(service.submit(Check("nobody/nothing", "poem/draft")))
    assert lost.error.code == "not_here"


def test_fetching_goes_on_beside_the_worker(service):
    running = service.fetch("poem")
    assert service.fetches["poem"] is running
    with pytest.raises(BadInput, match="prose"):
        service.fetch("prose")
    end = time.monotonic() + 10
    while not running.finished and time.monotonic() < end:
        time.sleep(0.005)
    assert running.state == "done"
