"""What stands around every page, in a real browser."""

import pytest


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_keyboards_place_in_the_navigation_is_seen(server, new_page, theme):
    page = new_page(theme=theme)
    page.goto(f"{server.url}/bottleneck?lang=en")
    page.locator('[data-specviz="roofline"]').wait_for()
    links = page.get_by_test_id("stTopNavLink")
    for _ in range(12):
        page.keyboard.press("Tab")
        if links.evaluate_all("links => links.includes(document.activeElement)"):
            break
    ring = page.evaluate(
        "() => { const s = getComputedStyle(document.activeElement); return [s.outlineStyle, s.outlineWidth] }"
    )
    assert ring == ["solid", "3px"]


def test_what_is_not_seen_takes_no_room(server, new_page):
    page = new_page()
    page.goto(f"{server.url}/bottleneck?lang=en")
    picture = page.locator('[data-specviz="roofline"]')
    picture.wait_for()
    page.wait_for_timeout(500)
    container = page.get_by_test_id("stMainBlockContainer")
    padding = float(container.evaluate("node => parseFloat(getComputedStyle(node).paddingTop)"))
    assert picture.bounding_box()["y"] - container.bounding_box()["y"] - padding < 1
