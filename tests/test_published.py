"""The published tables: whole, each number with its conditions, and the formula against what the papers expected."""

import pytest

from specviz import published, speedup
from specviz.locale import LANGUAGES, labels

EXPECTED = [row for name in ("t5", "ideal") for row in published.table(name).rows]
ROWS = [row for table in published.tables() for row in table.rows]


@pytest.mark.parametrize("row", EXPECTED, ids=lambda row: row.name)
def test_the_formula_gives_what_the_paper_expected(row):
    assert row.calc == pytest.approx(row.expected, abs=0.07)


@pytest.mark.parametrize("row", published.table("ideal").rows, ids=lambda row: row.name)
def test_and_the_arithmetic_it_printed(row):
    tokens = speedup.expected_tokens(row.alpha, row.gamma)
    assert speedup.operations(tokens, row.gamma, 0) == pytest.approx(row.operations, abs=0.006)


def test_the_best_acceptance_is_the_slowest():
    """T5-large guesses best and costs most: calculated and measured it comes last of the three drafts."""
    three = [r for r in published.table("t5").rows if r.task == "EnDe" and r.temperature == 0]
    best = max(three, key=lambda row: row.alpha)
    assert len(three) == 3 and best.draft == "T5-large 800M" and best.alpha == 0.82
    assert best.calc == min(r.calc for r in three) and best.measured == min(r.measured for r in three)


def test_heat_can_leave_alpha_as_it_was():
    pairs = {(r.target, r.draft): [] for r in published.table("alphas").rows}
    for row in published.table("alphas").rows:
        pairs[row.target, row.draft].append(row.alpha)
    assert pairs["LaMDA 137B", "2B"] == [0.71, 0.71]
    assert all(abs(cold - hot) < 0.05 for cold, hot in pairs.values())


def test_a_price_stands_only_where_the_paper_prints_one():
    """Tables 3 and 5 print no cost of a guess: whatever is calculated from their α takes the reader's own."""
    for name in ("alphas", "lenience"):
        assert all(row.cost is None and row.gamma is None and row.calc is None for row in published.table(name).rows)


def test_lenience_buys_acceptance():
    alphas = [row.alpha for row in sorted(published.table("lenience").rows, key=lambda row: -row.lenience)]
    assert alphas == sorted(alphas) and alphas[0] == 0.62 and alphas[-1] == 0.84


def test_a_row_without_alpha_has_no_calculation():
    for row in published.table("chinchilla").rows:
        assert row.calc is None and row.accepted_over_proposed is None and row.cost == pytest.approx(1.8 / 14.1)


def test_every_row_has_a_name_of_its_own_and_every_table_its_words():
    assert len({row.name for row in ROWS}) == len(ROWS)
    for code in LANGUAGES:
        words = labels(code)["published"]
        assert {name for table in published.tables() for name in (table.name, f"{table.name}_on")} == words.keys()
