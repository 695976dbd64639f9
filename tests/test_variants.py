"""The family as published: every figure with its conditions, every method with its words in both languages."""

import pytest

from specviz import variants
from specviz.locale import LANGUAGES, labels

ROWS = {row.name: row for row in variants.variants()}


def test_every_method_has_a_figure_a_source_and_its_words():
    for row in ROWS.values():
        assert row.paper and (row.high or row.same), row.name
        for code in LANGUAGES:
            assert f"name_{row.name}" in labels(code)["variants"]
            assert not row.note or f"note_{row.note}" in labels(code)["variants"]


def test_on_one_device_no_method_keeps_its_headline():
    """Spec-Bench against the methods' own papers: what the chart is there to show."""
    both = [row for row in ROWS.values() if row.high and row.same]
    assert len(both) >= 7 and all(row.same < row.high for row in both)
    assert sum(row.same < row.low for row in both if row.low) >= 5


def test_the_order_on_one_device_is_by_what_is_learnt():
    assert ROWS["lookahead"].same < ROWS["medusa"].same < ROWS["eagle"].same < ROWS["eagle-2"].same < ROWS["eagle-3"].same


@pytest.mark.parametrize("name", ["headline", "same"])
def test_the_conditions_are_said(name):
    assert len(variants.conditions()[name]) > 30
