"""Formula: the two parts of p token by token, and both distributions cooled to T = 0."""

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.picture import P, Q


def test_cooling_ends_in_exact_one_hots_and_leads_back(visit):
    picture = visit()
    picture.mode("formula")
    heat = picture.root.locator('[data-do="temperature"]')
    heat.focus()
    for _ in range(10):
        picture.page.keyboard.press("ArrowLeft")
    expect(picture.root).to_have_attribute("data-temperature", "0.5")
    assert picture.rows()[0] == pytest.approx((np.square(P) / np.square(P).sum()).tolist())
    picture.page.keyboard.press("Home")
    assert picture.rows() == ([1, 0, 0, 0], [0, 0, 0, 1]) and float(picture.get("alpha")) == 0
    picture.root.get_by_text("∞").wait_for()
    picture.press("one")
    picture.rest()
    assert picture.rows() == (P, Q)
    picture.press("zero")
    expect(picture.root).to_have_attribute("data-temperature", "0")
    picture.rest()
    assert picture.rows() == ([1, 0, 0, 0], [0, 0, 0, 1])


def test_the_two_parts_of_the_formula_add_up_to_p(visit):
    picture = visit()
    picture.mode("formula")
    values = picture.root.locator(".term-value")
    for i, (p, q) in enumerate(zip(P, Q, strict=True)):
        picture.root.locator(".token").nth(i).focus()
        first, second, both = (float(text.split("=")[-1]) for text in values.all_inner_texts())
        assert (first, both) == (min(p, q), p) and first + second == pytest.approx(both)
    picture.root.locator('[data-term="green"]').hover()
    expect(picture.root.locator(".light-green")).to_have_count(1)
