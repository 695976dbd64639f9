"""Rain: points thrown at the picture of the rule, in a real browser, held to the same throws in Python."""

import json

import numpy as np
from playwright.sync_api import expect

from specviz.ui.components.bars import philox
from tests.browser.picture import P, Q


def outputs(seed, throws, p=P, q=Q):
    rain = philox.rain(p, q, seed, throws)
    return np.add(rain["kept"], rain["filled"]).tolist()


def test_a_thousand_points_fall_without_the_server_and_as_python_says(visit):
    picture = visit()
    picture.mode("rain")
    picture.page.wait_for_url("**mode=rain**")
    picture.quiet()
    before, frames = picture.sent, int(picture.get("frames"))
    picture.throw(1000)
    expect(picture.root).to_have_attribute("data-state", "moving")
    while picture.get("state") == "moving":
        sent = picture.sent
        picture.page.evaluate("() => new Promise(requestAnimationFrame)")
        if picture.get("state") == "moving":
            assert sent == before
    assert int(picture.get("frames")) - frames > 30
    assert picture.get("thrown") == "1000" and json.loads(picture.get("outputs")) == outputs(7, 1000)
    picture.page.wait_for_url("**throws=1000**")
    assert picture.sent > before and picture.get("thrown") == "1000"


def test_a_million_points_are_as_python_says(visit):
    picture = visit()
    picture.mode("rain")
    picture.throw(1_000_000)
    picture.rest()
    assert picture.get("thrown") == "1000000" and json.loads(picture.get("outputs")) == outputs(7, 1_000_000)


def test_one_and_ten_points_go_on_where_the_last_ones_ended(visit):
    picture = visit()
    picture.mode("rain")
    for n in (1, 10, 1, 10):
        picture.throw(n)
    picture.rest()
    assert picture.get("thrown") == "22" and json.loads(picture.get("outputs")) == outputs(7, 22)
    picture.press("reseed")
    picture.throw(10)
    picture.rest()
    assert json.loads(picture.get("outputs")) == outputs(8, 10)


def test_changing_a_bar_during_the_rain_starts_a_new_count(visit):
    picture = visit()
    picture.mode("rain")
    picture.throw(1000)
    expect(picture.root).to_have_attribute("data-state", "moving")
    picture.drag("p1", 20)
    assert picture.get("thrown") == "0" and json.loads(picture.get("outputs")) == [0, 0, 0, 0]
    picture.page.mouse.up()
    picture.rest()
    picture.throw(10)
    picture.rest()
    assert picture.get("thrown") == "10" and json.loads(picture.get("outputs")) == outputs(7, 10, *picture.rows())
