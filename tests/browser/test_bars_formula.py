"""Formula: the two parts of p token by token, and both distributions cooled to T = 0."""

import numpy as np
import pytest
from playwright.sync_api import expect

from specviz.locale import say
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


TERMS_FIT = """(root) => [...root.querySelectorAll(".term")].every((term) => {
  const [name, value] = [...term.children].map((node) => node.getBoundingClientRect());
  return name.right < value.left && value.right <= term.getBoundingClientRect().right;
})"""


def test_the_two_parts_of_the_formula_add_up_to_p(visit):
    picture = visit()
    picture.mode("formula")
    values = picture.root.locator(".term-value")
    for i, (p, q) in enumerate(zip(P, Q, strict=True)):
        picture.root.locator(".token").nth(i).focus()
        first, second, both = (float(text.split("=")[-1]) for text in values.all_inner_texts())
        assert (first, both) == (min(p, q), p) and first + second == pytest.approx(both)
        product = values.nth(1).inner_text()
        b, c = (float(x) for x in product.split(" ")[0:3:2])
        assert "=" not in product or f"{b * c:.3f}" == f"{second:.3f}", "the product that is printed holds"
        assert picture.root.evaluate(TERMS_FIT)
    picture.root.locator('[data-term="green"]').hover()
    expect(picture.root.locator(".light-green")).to_have_count(1)


CROWDED = 'p=0.4,0.1,0.05,0.15,0.3&q=0.05,0.2,0.05,0.6,0.1&tokens=["x","y","z","…q>p","…p≥q"]'


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_crowd_of_tokens_is_never_cooled_as_one(visit, lang):
    picture = visit(query=CROWDED, lang=lang)
    picture.mode("formula")
    assert not picture.root.locator('[data-do="temperature"]').is_visible()
    which = say(lang, "bars.and").join(["…q>p", "…p≥q"])
    assert picture.root.locator(".crowds").inner_text() == say(lang, "bars.crowds", which=which)
    picture.press("zero")
    expect(picture.root).to_have_attribute("data-temperature", "0")
    assert picture.rows() == ([1, 0, 0, 0, 0], [0, 1, 0, 0, 0])
    assert picture.root.locator(".caption").inner_text() == say(lang, "bars.formula_zero_other", x="y", y="x")
    picture.press("one")
    expect(picture.root).to_have_attribute("data-temperature", "1")
    p, q = picture.rows()
    assert p == pytest.approx([0.4, 0.1, 0.05, 0.15, 0.3]) and q == pytest.approx([0.05, 0.2, 0.05, 0.6, 0.1])
    assert not picture.faults


def test_where_a_crowd_may_hide_the_largest_token_there_is_no_coldest_one(visit):
    picture = visit(query='p=0.05,0.05,0.9&q=0.4,0.4,0.2&tokens=["x","y","…p≥q"]')
    picture.mode("formula")
    assert picture.root.locator(".crowds").inner_text() == say("en", "bars.crowds_hide", which="…p≥q")
    assert picture.root.locator('[data-do="zero"]').is_disabled()
