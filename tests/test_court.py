"""The court: exact laws from the lesson's table, honest verdicts, convictions with the power they claim."""

import json

import numpy as np
import pytest

from specviz import court, gallery, rule
from specviz.__main__ import main
from specviz.errors import BadInput

P, Q = np.array([0.6, 0.3, 0.1]), np.array([0.2, 0.3, 0.5])

# lesson.md, The gallery: exact law to three places, TV from p
TABLE = {
    "speculative": ((0.6, 0.3, 0.1), 0),
    "match": ((0.6, 0.3, 0.1), 0),
    "match-redraw": ((0.564, 0.312, 0.124), 0.036),
    "either": ((0.44, 0.42, 0.14), 0.16),
    "resample-p": ((0.44, 0.42, 0.14), 0.16),
    "half": ((0.7, 0.3, 0), 0.10),
    "argmax": ((1, 0, 0), 0.40),
    "lenience": ((0.431, 0.369, 0.2), 0.169),
    "typical": ((0.2, 0.3, 0.5), 0.40),
    "greedy-q": ((0.8, 0, 0.2), 0.30),
    "softmax-residual": ((0.371, 0.415, 0.215), 0.229),
    "no-fix": ((0.333, 0.5, 0.167), 0.267),
}


def random_laws(seed, size=6):
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.ones(size), 2)
    return p, q


def test_the_table_lists_the_whole_gallery():
    assert TABLE.keys() == gallery.RULES.keys()


@pytest.mark.parametrize("name", TABLE)
def test_every_row_of_the_gallery(name):
    law, tv = TABLE[name]
    exact = court.exact_law(gallery.RULES[name].function, P, Q)
    assert exact == pytest.approx(law, abs=5e-4)
    assert rule.total_variation(exact, P) == pytest.approx(tv, abs=5e-4)
    assert gallery.RULES[name].lossless == (tv == 0)


@pytest.mark.parametrize("name", [n for n, e in gallery.RULES.items() if e.lossless])
def test_a_lossless_rule_is_lossless_for_every_p_and_q(name):
    for seed in range(50):
        p, q = random_laws(seed)
        assert np.abs(court.exact_law(gallery.RULES[name].function, p, q) - p).max() < 1e-12


@pytest.mark.parametrize("name", gallery.RULES)
def test_throws_follow_the_exact_law(name):
    p, q = random_laws(3)
    function = gallery.RULES[name].function
    assert court.g_test(court.throw(function, p, q, 5_000, seed=1), court.exact_law(function, p, q)) > 1e-3


def test_the_right_rule_is_not_convicted_more_often_than_chance_allows():
    p_values = [court.trial(gallery.speculative, P, Q, 500, seed).p_value for seed in range(200)]
    assert min(p_values) > 1e-4 and 0.02 < np.mean(np.array(p_values) < 0.1) < 0.2


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n, e in gallery.RULES.items() if not e.lossless])
def test_a_wrong_rule_is_convicted_at_the_stated_number_with_the_stated_power(name):
    law = court.exact_law(gallery.RULES[name].function, P, Q)
    throws = court.throws_to_convict(law, P)
    counts = np.random.default_rng(0).multinomial(throws, law, size=1000)
    convicted = np.mean([court.g_test(row, P) < court.GUILTY for row in counts])
    assert convicted > 0.97  # .99 by the noncentral chi-square, which is an approximation at small counts


# A real place of the poem pair (after 春眠不觉晓，处处, T = 0.7): most tokens are rare, so most cells are pooled.
RARE_P = [0.99644, 2.7e-5, 6.1e-6, 4.4e-5, 7.1e-7, 2.924e-3, 5.581e-4]
RARE_Q = [0.00325, 0.17261, 0.14502, 0.1415, 0.05416, 0.48329, 1.7e-4]


@pytest.mark.parametrize("name", [n for n, e in gallery.RULES.items() if not e.lossless])
def test_the_stated_number_convicts_where_most_tokens_are_rare_too(name):
    p, q = (np.array(row) / sum(row) for row in (RARE_P, RARE_Q))
    law = court.exact_law(gallery.RULES[name].function, p, q)
    counts = np.random.default_rng(0).multinomial(court.throws_to_convict(law, p), law, size=400)
    convicted = np.mean([court.g_test(row, p) < court.GUILTY for row in counts])
    assert convicted > 0.9  # the chi-square is an approximation, and here a dozen throws may do


def test_the_law_p_itself_can_never_be_convicted():
    assert court.throws_to_convict(P, P) is None


def test_an_outcome_that_p_forbids_convicts_by_itself():
    assert court.g_test([99_999, 1], [1.0, 0.0]) == 0.0


def test_rare_cells_are_pooled():
    p = np.full(5_000, 1 / 5_000)
    counts = np.random.default_rng(0).multinomial(10_000, p)  # two a cell: meaningless unpooled
    assert court.g_test(counts, p) == 1.0  # one pooled cell says nothing
    p = np.array([0.5, *np.full(4_999, 0.5 / 4_999)])
    assert 1e-3 < court.g_test(np.random.default_rng(0).multinomial(10_000, p), p) <= 1


def test_tv_by_chance_is_what_honest_throws_show():
    mean, band = court.tv_by_chance(P, 10_000)
    draws = np.random.default_rng(9).multinomial(10_000, P, size=300) / 10_000
    seen = np.abs(draws - P).sum(-1) / 2
    assert mean == pytest.approx(seen.mean(), rel=0.15) and np.mean(seen > band) < 0.04


def test_a_path_of_equal_laws_never_divides_by_zero():
    p = np.array([0.5, 0.5, 0.0])
    assert court.exact_law(gallery.speculative, p, p).tolist() == p.tolist()


@pytest.mark.parametrize(
    "p, q, code",
    [
        ([0.6, 0.5], [0.5, 0.5], "law_sum"),
        ([1.2, -0.2], [0.5, 0.5], "law_negative"),
        ([0, 0], [0.5, 0.5], "law_sum"),
        ([0.5, 0.5], [0.2, 0.3, 0.5], "law_lengths"),
        ([float("nan"), 1], [0.5, 0.5], "law_not_numbers"),
        ([1.0], [1.0], "law_too_short"),
        ([0.5, 0.5], [0.5, 0.499], "law_sum"),
    ],
)
def test_what_is_no_pair_of_distributions_is_refused(p, q, code, capsys):
    with pytest.raises(BadInput) as caught:
        court.check(p, q)
    assert caught.value.code == code
    words = ["law", "--p=" + ",".join(map(str, p)), "--q=" + ",".join(map(str, q))]
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == "" and len(err.strip().splitlines()) == 1


def test_rounding_within_the_tolerance_is_accepted():
    p, _ = court.check([0.3333333, 0.3333333, 0.3333333], [0.2, 0.3, 0.5])
    assert p.sum() == pytest.approx(1, abs=1e-15)


def test_the_verb_prints_the_contract(capsys):
    assert main(["law", "--p=0.6,0.4", "--q=0.8,0.2", "--throws", "2000", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["alpha"] == pytest.approx(0.8) and result["law"] == pytest.approx([0.6, 0.4])
    assert {"tv", "throws", "frequencies", "p_value", "rule"} <= result.keys()
    assert main(["law", "--list-rules", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == list(TABLE) and all(row["says"] for row in rows)


def test_a_students_rule_goes_on_trial_the_same_way(tmp_path, capsys):
    (tmp_path / "mine.py").write_text(
        "def mine(p, q, chance):\n"
        "    x = chance.draw(q)\n"
        "    if chance.happens(p[x] / q[x]):\n"
        "        return x\n"
        "    return chance.draw(p)\n"
    )
    words = ["law", "--p=0.6,0.3,0.1", "--q=0.2,0.3,0.5", "--throws", "2000", "--json", "--rule"]
    assert main([*words, f"{tmp_path}/mine.py:mine"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["law"] == pytest.approx([0.44, 0.42, 0.14]) and result["convicted"]


@pytest.mark.parametrize(
    "body",
    [
        "def mine(p, q, chance): return 1/0",
        "def mine(p, q, chance): return 0.5",
        "def mine(p, q, chance): return True",
        "def mine(p, q, chance):\n    while True:\n        if chance.happens(0.5): return 0",
        "def mine(p, q, chance): return 7",
        "syntax error(",
        "x = 1",
    ],
)
def test_a_students_mistake_is_one_sentence(tmp_path, capsys, body):
    (tmp_path / "mine.py").write_text(body)
    assert main(["law", "--p=0.6,0.4", "--q=0.8,0.2", "--rule", f"{tmp_path}/mine.py:mine"]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "words",
    [[], ["--p=0.5,0.5"], ["--p=a,b", "--q=0.5,0.5"], ["--p=0.5,0.5", "--q=0.5,0.5", "--throws", "0"],
     ["--p=0.5,0.5", "--q=0.5,0.5", "--rule", "nonsense"], ["--p=0.5,0.5", "--q=0.5,0.5", "--rule", "nowhere.py:f"]],
)  # fmt: skip
def test_bad_words_exit_with_two(words, capsys):
    assert main(["law", *words]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_a_rule_that_never_says_anything_is_convicted_at_once(capsys):
    p, q = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    law = court.exact_law(gallery.no_fix, p, q)
    assert law.tolist() == [0, 0] and court.throws_to_convict(law, p) == 1
    assert main(["law", "--p=1,0", "--q=0,1", "--rule", "no-fix", "--throws", "100", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["convicted"]


def test_a_law_that_differs_by_rounding_only_is_not_convicted():
    p = np.array([0.3, 0.3, 0.4])
    assert court.throws_to_convict(p + np.array([1e-10, -1e-10, 0]), p) is None


@pytest.mark.parametrize("name", ["speculative", "resample-p"])
def test_a_hearing_ends_with_the_verdict_of_the_trial(name):
    function = gallery.RULES[name].function
    *_, report = court.hearing(function, P, Q, 12_000, seed=3)
    verdict = court.trial(function, P, Q, 12_000, seed=3)
    assert report["frequencies"] == pytest.approx(verdict.frequencies.tolist()) and report["throws"] == 12_000
    assert report["p_value"] == pytest.approx(verdict.p_value)
    assert report["law_error"] == pytest.approx(np.abs(verdict.law - P).max())
    json.dumps(report, allow_nan=False)


def test_a_hearing_of_a_rule_that_stays_silent_ends_too():
    *_, report = court.hearing(lambda p, q, chance: None, P, Q, 10, seed=0)
    assert report["p_value"] == 0 and report["frequencies"] == [0, 0, 0]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", gallery.RULES)
@pytest.mark.parametrize(
    "p, q", [((1, 0), (1, 1e-310)), ((1, 1e-320), (1, 5e-324)), ((0.5, 0.5), (1, 1e-320)), ((1, 1e-299), (1, 2e-300))]
)
def test_the_smallest_numbers_are_computed_with_in_silence(name, p, q):
    p, q = court.check(p, q)
    found = court.trial(gallery.RULES[name].function, p, q, 100)
    needed = court.throws_to_convict(found.law, p)
    assert np.isfinite([*found.law, found.p_value]).all() and (needed is None or needed >= 1)


@pytest.mark.filterwarnings("error")
def test_a_sum_past_every_number_is_refused_in_silence():
    with pytest.raises(BadInput, match="sums to inf"):
        court.check([1e308, 1e308], [1, 0])
