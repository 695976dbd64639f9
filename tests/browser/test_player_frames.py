"""The player's pictures are a pure function of the trace and of time. Run in a real browser, without a server."""

import pytest

from specviz.ui.components import source
from specviz.ui.components.player import PURE

SCRIPTS = source(*PURE)
WORDS = "低头思故乡家花落知多少夜来风雨声"


def guess(i, p, q, u, verdict):
    text = WORDS[i % len(WORDS)]
    top = [[i, text, p, q], [99, "月", 1 - p, 1 - q]]
    return {"id": i, "text": text, "p": p, "q": q, "u": u, "verdict": verdict, "top": top, "rest": None}


def fix(kind, u=0.5):
    return {"id": 99, "text": "月", "kind": kind, "u": u, "top": [[99, "月", 0.9, None]], "rest": None}


def one_round(draft, end, emitted=None, ms=(2.0, 5.0, 0.5)):
    ids = [g["id"] for g in draft if g["verdict"] == "accepted"] + ([end["id"]] if end else [])
    return {
        "draft": draft,
        "fix": end,
        "emitted": ids if emitted is None else emitted,
        "ms": dict(zip(("draft", "verify", "rest"), ms, strict=True)),
    }


def trace(*rounds, temperature=1.0, gamma=4, first=True):
    return {
        "schema": 1,
        "settings": {"gamma": gamma, "temperature": temperature},
        "prompt": "举头望明月",
        "first": {"id": 7, "text": "，", "u": 0.1, "top": [[7, "，", 0.8, None]]} if first else None,
        "rounds": list(rounds),
    }


A, R, D = "accepted", "rejected", "discarded"
YES, LUCK, NO, LOST = (
    guess(0, 0.9, 0.8, 0.4, A),
    guess(1, 0.3, 0.4, 0.5, A),
    guess(5, 0.04, 0.57, 0.63, R),
    guess(2, 0.2, 0.3, None, D),
)
REJECTED = one_round([YES, LUCK, NO, LOST], fix("residual"))
ACCEPTED = one_round([guess(i, 0.9, 0.8, 0.4, A) for i in range(4)], fix("bonus"))
NO_DRAFT = one_round([], fix("bonus"))
ENDED = one_round([YES, LUCK, LOST], None)
WIDE = one_round([guess(0, 0.02, 0.4, 0.7, R)] + [guess(i, 0.3, 0.4, None, D) for i in range(1, 12)], fix("residual"))
FIRST_CHOICE, OTHER, AFTER = guess(0, 1.0, 1.0, None, A), guess(5, 0.0, 1.0, None, R), guess(2, 1.0, 1.0, None, D)
GREEDY = one_round([FIRST_CHOICE, OTHER, AFTER], fix("residual", None))

TRACES = {
    "usual": trace(REJECTED, ACCEPTED, NO_DRAFT),
    "ended": trace(ACCEPTED, ENDED),
    "wide": trace(WIDE, WIDE, gamma=12),
    "greedy": trace(GREEDY, NO_DRAFT, temperature=0.0),
    "first only": trace(),
    "nothing yet": trace(first=False),
}


def ask(page, script, of):
    return page.evaluate(f"(trace) => {{ const list = events(trace), at = (t) => frame(trace, list, t); {script} }}", of)


@pytest.mark.parametrize("name", TRACES)
def test_a_frame_depends_on_nothing_but_its_time(page, name):
    script = """
      const times = [];
      for (let t = 0; t <= list.length; t += 0.13) times.push(t);
      const forward = times.map((t) => JSON.stringify(at(t)));
      const backward = [...times].reverse().map((t) => JSON.stringify(at(t))).reverse();
      return forward.every((picture, i) => picture === backward[i]);
    """
    assert ask(page, script, TRACES[name])


@pytest.mark.parametrize("name", TRACES)
def test_every_event_is_a_stop_and_shows_itself(page, name):
    script = "return list.map((e, i) => [i + 1, e.kind, at(i + 1)]).map(([i, kind, f]) => [i, kind, f.step, f.kind, f.steps]);"
    stops = ask(page, script, TRACES[name])
    for stop, kind, step, shown, steps in stops:
        assert (step, shown, steps) == (stop, kind, len(stops))
    assert ask(page, "return [at(-3).step, at(1e9).step];", TRACES[name]) == [0, len(stops)]


def test_a_round_is_guess_verify_judge_void_fix_commit(page):
    kinds = ask(page, "return list.map((e) => e.kind);", trace(REJECTED))
    assert kinds == ["guess"] * 4 + ["verify"] + ["judge"] * 3 + ["void", "fix", "commit"]


@pytest.mark.parametrize("name", TRACES)
def test_after_a_commit_the_text_holds_what_was_emitted(page, name):
    of = TRACES[name]
    shown = ask(page, "return roundEnds(list).map((t) => tokens(trace).slice(0, at(t).text).map((x) => x.id));", of)
    expected = [of["first"]["id"]] if of["first"] else []
    assert shown[0] == expected
    for done, ids in zip(of["rounds"], shown[1:], strict=True):
        expected = expected + done["emitted"]
        assert ids == expected


@pytest.mark.parametrize("name", ["usual", "wide", "greedy"])
def test_one_pass_lights_all_places_in_the_same_frame(page, name):
    script = """
      const pass = list.findIndex((e) => e.kind === "verify"), round = trace.rounds[0], seen = [];
      for (let s = 1; s <= 60; s++) {
        const lit = at(pass + s / 60).cards.filter((c) => c.kind !== "absent").map((c) => c.lit);
        seen.push([lit.length, new Set(lit).size, lit[0]]);
      }
      return [round.draft.length, seen];
    """
    drafted, seen = ask(page, script, TRACES[name])
    assert all(count == drafted + 1 and different == 1 for count, different, _ in seen)
    assert seen[0][2] > 0 and seen[-1][2] == 1


def test_before_the_pass_nobody_knows_p(page):
    assert ask(page, "return [...Array(5).keys()].every((t) => at(t).cards.every((c) => !c.fill && !c.lit));", trace(REJECTED))


def test_a_dart_is_thrown_only_where_chance_decides(page):
    script = "return list.map((e, i) => [e.kind, e.place, at(i + 0.5).cards.map((c) => !!c.dart)]);"
    darts = {place: thrown[place] for kind, place, thrown in ask(page, script, trace(REJECTED)) if kind == "judge"}
    assert darts == {0: False, 1: True, 2: True}
    assert not any(any(thrown) for _, _, thrown in ask(page, script, TRACES["greedy"]))


def test_only_a_rejection_opens_its_column(page):
    script = "return list.map((e, i) => [e.kind, e.round, (at(i + 1).open || {}).place ?? null]);"
    opened = [(kind, place) for kind, r, place in ask(page, script, TRACES["usual"]) if place is not None]
    assert opened == [("judge", 2), ("void", 2), ("fix", 2)]


def test_the_verdict_comes_after_the_dart(page):
    script = """
      const i = list.findIndex((e) => e.kind === "judge" && e.place === 2);
      return [i + 0.1, i + 1].map((t) => [at(t).cards[2].verdict, at(t).caption.key]);
    """
    assert ask(page, script, trace(REJECTED)) == [[None, "judge_ask"], ["rejected", "judge_no"]]


@pytest.mark.parametrize("name", TRACES)
def test_no_moment_throws_or_leaves_the_numbers(page, name):
    script = """
      for (let t = 0; t <= list.length + 1; t += 0.07) {
        JSON.stringify(at(t), (key, x) => {
          if (typeof x === "number" && !Number.isFinite(x)) throw new Error(key);
          return x;
        });
        if (at(t).cards.length !== placesOf(trace)) throw new Error("places");
      }
      return true;
    """
    assert ask(page, script, TRACES[name])


def test_the_clock_is_the_measured_time(page):
    times = ask(page, "return list.map((e, i) => at(i + 1).ms);", TRACES["usual"])
    assert times == sorted(times) and times[-1] == pytest.approx(3 * 7.5)
    assert times[:5] == pytest.approx([0.5, 1.0, 1.5, 2.0, 7.0])


def test_a_growing_run_only_adds_events(page):
    script = "return list.map((e, i) => [e, { ...at(i + 1), steps: 0, cards: 0 }]);"
    before, after = (ask(page, script, trace(*rounds)) for rounds in ([REJECTED, ACCEPTED], [REJECTED, ACCEPTED, NO_DRAFT]))
    assert after[: len(before)] == before and len(after) > len(before)


FIGURES = [
    (0.07, "0.07"),
    (1.0, "1.00"),
    (0, "0"),
    (0.00021, "2.1e-4"),
    (0.0049, "0.0049"),
    (0.0137, "0.014"),
    (0.0999, "0.10"),
    (312.4, "312"),
    (None, "–"),
]


@pytest.mark.parametrize(("x", "text"), FIGURES)
def test_figures_keep_what_two_decimals_would_lose(page, x, text):
    assert page.evaluate("(x) => figure(x)", x) == text


def test_spaces_and_line_ends_are_seen(page):
    assert page.evaluate("() => [shown(' the'), shown('\\n'), shown('', 'end')]") == ["⋅the", "↵", "end"]


@pytest.mark.parametrize(("width", "count"), [(1302, 5), (1302, 13), (1206, 13), (343, 5), (343, 13)])
def test_cards_stand_in_order_and_fit_or_scroll(page, width, count):
    for place in [None, 0, count - 1]:
        lay = page.evaluate("([n, w, p]) => rowLayout(n, w, p, 1)", [count, width, place])
        assert all(b - a >= lay["each"] for a, b in zip(lay["x"], lay["x"][1:], strict=False))
        end = lay["x"][-1] + (lay["panel"]["width"] if place == count - 1 else lay["each"])
        assert end <= lay["strip"] + 0.5 and lay["strip"] >= width
    if width > 1000:
        assert page.evaluate("([n, w]) => rowLayout(n, w, null, 0).strip", [count, width]) <= width + 0.5
