"""Bricks: q is a hundred of them, and moved into the holes they are p."""

import json

from playwright.sync_api import expect


def test_bricks_end_as_the_silhouette_of_p(visit):
    picture = visit()
    picture.mode("bricks")
    assert json.loads(picture.get("bricks")) == [10, 20, 30, 40]
    picture.press("move")
    expect(picture.root).to_have_attribute("data-state", "moving")
    picture.rest()
    assert json.loads(picture.get("bricks")) == [50, 30, 15, 5]
    assert picture.root.locator(".brick.red").count() == 0 and picture.root.locator(".brick.green").count() == 50
    picture.root.get_by_text("what stands now is exactly p").wait_for()
    picture.press("unmove")
    assert json.loads(picture.get("bricks")) == [10, 20, 30, 40]
    picture.drag("q0", 37)
    picture.page.mouse.up()
    picture.press("move")
    picture.rest()
    assert json.loads(picture.get("bricks")) == [50, 30, 15, 5] and not picture.faults
