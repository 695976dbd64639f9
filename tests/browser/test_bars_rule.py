"""The JavaScript twin of the rule, and the generator of the rain, against Python. Run in a real browser, without a server."""

import numpy as np
import pytest

from specviz import rule, sampling
from specviz.ui.components import source
from specviz.ui.components.bars import CROWDS, MOST_COLUMNS, PURE, philox

SCRIPTS = source(*PURE)
KNOWN = [  # Random123's kat_vectors, philox4x32 with 10 rounds
    ([0, 0, 0, 0], [0, 0], "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        "d16cfe09 94fdcceb 5001e420 24126ea1",
    ),
]
EDGES = {
    "equal": ([0.3, 0.5, 0.2], [0.3, 0.5, 0.2]),
    "disjoint": ([0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.25, 0.75]),
    "one-hot p": ([1.0, 0.0, 0.0], [0.2, 0.3, 0.5]),
    "one-hot q": ([0.2, 0.3, 0.5], [0.0, 1.0, 0.0]),
    "both one-hot": ([0.0, 1.0], [1.0, 0.0]),
    "same one-hot": ([0.0, 1.0], [0.0, 1.0]),
    "zeros": ([0.0, 0.4, 0.6, 0.0], [0.0, 0.6, 0.4, 0.0]),
    "tiny": ([1e-12, 1 - 1e-12], [1e-300, 1.0]),
    "tiny deficit": ([0.5 + 1e-12, 0.5 - 1e-12], [0.5, 0.5]),
    "residual one-hot": ([0.5, 0.3, 0.2], [0.1, 0.6, 0.3]),
    "known": ([0.6, 0.4], [0.8, 0.2]),
}


def random_pairs(count=3000):
    random = np.random.default_rng(3)
    for _ in range(count):
        size = int(random.integers(2, MOST_COLUMNS + 1))
        p, q = (random.dirichlet(np.full(size, random.choice([0.05, 0.3, 1.0, 10.0]))) for _ in range(2))
        if random.random() < 0.2:
            p[random.integers(size)] = q[random.integers(size)] = 0.0
        if random.random() < 0.1:
            q = p.copy()
        if p.sum() > 0 and q.sum() > 0:
            yield (p / p.sum()).tolist(), (q / q.sum()).tolist()


PAIRS = [*EDGES.values(), *random_pairs()]


ROWS = {"overlap": "overlap", "deficit": "deficit", "residual": "residual", "output_law": "outputLaw"}
NUMBERS = {"beta": "beta", "total_variation": "totalVariation"}


@pytest.mark.parametrize("name", [*ROWS, *NUMBERS])
def test_every_function_of_the_rule_has_its_twin(page, name):
    theirs = page.evaluate(f"(pairs) => pairs.map(([p, q]) => {({**ROWS, **NUMBERS})[name]}(p, q))", PAIRS)
    for (p, q), got in zip(PAIRS, theirs, strict=True):
        np.testing.assert_allclose(got, getattr(rule, name)(np.array(p), np.array(q)), rtol=0, atol=1e-15)


def test_a_guess_is_judged_alike(page):
    random = np.random.default_rng(4)
    cases = [[u, p, q] for u in (0.0, 0.5, 0.999999, 1 - 2**-53) for p in (0.0, 1e-12, 0.3, 1.0) for q in (1e-12, 0.3, 1.0)]
    cases += random.random((5000, 3)).tolist()
    cases += [[u, p * u, p] for u, p in random.random((2000, 2)).tolist()]  # on the edge
    theirs = page.evaluate("(cases) => cases.map(([u, p, q]) => accepts(u, p, q))", cases)
    assert theirs == [rule.accepts(*case) for case in cases]


def test_a_token_is_drawn_alike(page):
    random = np.random.default_rng(5)
    cases = [(p, float(u)) for p, _ in PAIRS for u in (0.0, 1 - 2**-53, random.random(), random.random())]
    cases += [(p, None) for p, _ in PAIRS]
    theirs = page.evaluate("(cases) => cases.map(([p, u]) => draw(p, u))", cases)
    assert theirs == [sampling.draw(np.array(p), u) for p, u in cases]


@pytest.mark.parametrize("name", EDGES)
def test_what_comes_out_is_p(page, name):
    p, q = EDGES[name]
    assert page.evaluate("([p, q]) => outputLaw(p, q)", [p, q]) == pytest.approx(p, abs=1e-12)


def test_known_answers(page):
    assert page.evaluate("([p, q]) => residual(p, q)", EDGES["residual one-hot"]) == pytest.approx([1, 0, 0], abs=1e-15)
    assert page.evaluate("([p, q]) => beta(p, q)", EDGES["known"]) == pytest.approx(0.8)
    p, q = EDGES["equal"]
    assert page.evaluate("([p, q]) => [accepts(0.999999, p[0], q[0]), residual(p, q)]", [p, q]) == [True, p]


WORDS = """(([c, k]) => {
  const out = new Uint32Array(4);
  philox(out, ...c.map((x) => x | 0), ...k.map((x) => x | 0));
  return [...out];
})"""


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN)
def test_philox_gives_the_published_answers(page, counter, key, answer):
    expected = [int(word, 16) for word in answer.split()]
    assert philox.philox([counter], tuple(key))[0].tolist() == expected
    assert page.evaluate(WORDS, [counter, key]) == expected


def test_philox_is_the_same_in_both_languages(page):
    random = np.random.default_rng(6)
    counters, keys = random.integers(0, 2**32, (500, 4)), random.integers(0, 2**32, (500, 2))
    ours = [philox.philox([c], tuple(k))[0].tolist() for c, k in zip(counters.tolist(), keys.tolist(), strict=True)]
    assert page.evaluate(f"(cases) => cases.map({WORDS})", list(zip(counters.tolist(), keys.tolist(), strict=True))) == ours


@pytest.mark.parametrize("seed", [0, 7, 2**32 + 5, 2**53 - 1])
@pytest.mark.parametrize("start", [0, 2**32 - 2])
def test_a_throw_has_the_same_uniforms_in_both_languages(page, seed, start):
    theirs = page.evaluate("([seed, start]) => [0, 1, 2, 3].map((k) => uniforms(seed, start + k))", [seed, start])
    assert theirs == philox.uniforms(seed, start, 4).tolist()


POURED = """([p, q, seed, throws]) => {
  const rain = pour(pour(emptyRain(p.length), p, q, seed, 777, 1.1), p, q, seed, throws - 777, 1.1);
  return { kept: [...rain.kept], rejected: [...rain.rejected], filled: [...rain.filled] };
}"""


@pytest.mark.parametrize(("seed", "pair"), [*enumerate(EDGES.values()), *enumerate(PAIRS[50:70], 2**32)])
def test_the_rain_is_the_same_in_both_languages(page, seed, pair):
    assert page.evaluate(POURED, [*pair, seed, 20_000]) == philox.rain(*pair, seed, 20_000)


def test_one_throw_is_the_engines_own_rule(page):
    """The rain judges by place in the picture; here each throw is judged by rule.accepts and drawn by sampling.draw."""
    for seed, (p, q) in enumerate(PAIRS[:60]):
        p, q = np.array(p), np.array(q)
        counts = {name: [0] * len(p) for name in ("kept", "rejected", "filled")}
        for first, u, third, _ in philox.uniforms(seed, 0, 50):
            x = sampling.draw(q, first)
            if rule.accepts(u, p[x], q[x]):
                counts["kept"][x] += 1
            else:
                counts["rejected"][x] += 1
                holes = rule.deficit(p, q)
                counts["filled"][sampling.draw(holes if holes.any() else p, third)] += 1
        assert philox.rain(p, q, seed, 50) == counts
    script = """([p, q, seed]) => {
      const counts = { kept: p.map(() => 0), rejected: p.map(() => 0), filled: p.map(() => 0) };
      for (let n = 0; n < 300; n++) {
        const toss = throwOf(p, q, seed, n);
        if (toss.accepted) counts.kept[toss.x]++;
        else { counts.rejected[toss.x]++; counts.filled[toss.y]++; }
      }
      return counts;
    }"""
    for seed, pair in enumerate(PAIRS[:60]):
        assert page.evaluate(script, [*pair, seed]) == philox.rain(*pair, seed, 300)


def test_points_lie_where_they_belong(page):
    script = """([p, q]) => Array.from({ length: 400 }, (_, n) => throwOf(p, q, 9, n)).every((toss) => toss.accepted
      ? toss.height < Math.min(p[toss.x], q[toss.x])
      : toss.height >= p[toss.x] && toss.height < q[toss.x] && toss.at >= q[toss.y] && toss.at <= p[toss.y])"""
    for p, q in [*list(EDGES.values())[1:5], *PAIRS[50:80]]:
        if rule.total_variation(np.array(p), np.array(q)) > 1e-9:
            assert page.evaluate(script, [p, q])


def test_the_rain_follows_p(page):
    p, q, throws = [0.5, 0.3, 0.15, 0.05], [0.1, 0.2, 0.3, 0.4], 400_000
    for rain in (philox.rain(p, q, 1, throws), page.evaluate(POURED, [p, q, 2, throws])):
        seen = np.add(rain["kept"], rain["filled"]) / throws
        assert np.abs(seen - p).max() < 5 * np.sqrt(0.25 / throws)


def test_the_others_give_way_in_proportion(page):
    row, after = page.evaluate("() => { const row = [0.2, 0.3, 0.5]; return [row, giveWay(row, 2, 0.2)]; }")
    assert after == pytest.approx([0.32, 0.48, 0.2]) and sum(row) == pytest.approx(1)
    assert page.evaluate("() => giveWay([1, 0, 0], 0, 0.4)") == pytest.approx([0.4, 0.3, 0.3])
    assert page.evaluate("() => giveWay([0.1, 0.2, 0.7], 0, 1)") == [1, 0, 0]
    rows = page.evaluate(
        "(pairs) => pairs.flatMap(([p]) => p.map((_, i) => [0, 0.013, 0.5, 1].map((v) => total(giveWay(p, i, v)))).flat())",
        PAIRS[:300],
    )
    assert max(abs(total - 1) for total in rows) < 1e-12


def test_cooling_ends_in_exact_one_hots(page):
    cool = "([row, t]) => sharpen(row, t)"
    assert page.evaluate(cool, [[0.2, 0.5, 0.3], 0]) == [0, 1, 0]
    assert page.evaluate(cool, [[0.4, 0.2, 0.4], 0]) == [1, 0, 0]  # the first of equals, as in the engine
    assert page.evaluate(cool, [[0.2, 0.5, 0.3], 1]) == [0.2, 0.5, 0.3]
    for t in (0.01, 0.3, 2.0):
        logits = np.log(np.array([[0.2, 0.5, 0.3]]))
        assert page.evaluate(cool, [[0.2, 0.5, 0.3], t]) == pytest.approx(sampling.probabilities(logits, t)[0].tolist())


def test_a_crowd_is_known_by_the_same_name_in_both_languages(page):
    assert page.evaluate("CROWDS") == list(CROWDS.values())


def test_the_largest_single_token_is_never_a_crowd_and_is_not_named_where_a_crowd_may_hide_it(page):
    largest = "([row, p, q, tokens]) => largestSingle(row, p, q, tokens)"
    tokens = ["a", "b", "c", *CROWDS.values()]
    p, q = [0.3, 0.1, 0.05, 0.05, 0.5], [0.02, 0.25, 0.08, 0.6, 0.05]
    assert [page.evaluate(largest, [row, p, q, tokens]) for row in (p, q)] == [0, 1]
    # Every column shows 0.2 or more of q; a token of the crowd may have as much of p, and none that is shown has.
    p, q = [0.05, 0.05, 0.0, 0.3, 0.6], [0.2, 0.2, 0.2, 0.4, 0.0]
    assert [page.evaluate(largest, [row, p, q, tokens]) for row in (p, q)] == [None, 0]
    assert page.evaluate(largest, [p, p, q, ["a", "b", "c", "d", "e"]]) == 4


def test_the_red_bricks_fill_the_holes_exactly(page):
    script = """(pairs) => pairs.map(([p, q]) => {
      const a = bricksOf(p), b = bricksOf(q), stands = b.slice();
      for (const { from, to } of movesOf(a, b)) { stands[from.column]--; stands[to.column]++; }
      return [a, b, stands];
    })"""
    for (p, _), (a, b, stands) in zip(PAIRS[:500], page.evaluate(script, PAIRS[:500]), strict=True):
        assert sum(a) == sum(b) == 100 and stands == a
        assert max(abs(count - 100 * x) for count, x in zip(a, p, strict=True)) < 1 + 1e-6


def test_the_other_ending_is_the_other_ending_and_leads_back(page):
    script = """(pairs) => pairs.flatMap(([p, q], seed) => {
      const toss = throwOf(p, q, seed, 0), u = otherEnding(p, q, toss);
      const edge = p[toss.x] / q[toss.x];
      if (u == null || edge < 1e-6 || edge > 1 - 1e-6) return [];
      const accepted = accepts(u, p[toss.x], q[toss.x]);
      return [[toss.accepted, accepted, toss.u, otherEnding(p, q, { ...toss, u, accepted })]];
    })"""
    seen = page.evaluate(script, PAIRS[:800])
    assert len(seen) > 100
    for before, after, u, back in seen:
        assert before != after and back == pytest.approx(u, abs=1e-6)


def test_plain_rejection_sampling_may_never_end(page):
    waste = "([p, q]) => rejectionThrows(p, q)"
    assert page.evaluate(waste, [[0.6, 0.4], [0.8, 0.2]]) == pytest.approx(2.0)
    assert page.evaluate(waste, EDGES["disjoint"]) == float("inf")
    assert page.evaluate(waste, EDGES["zeros"]) == pytest.approx(1.5)
