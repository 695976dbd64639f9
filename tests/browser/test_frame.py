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


def test_what_runs_and_is_not_seen_takes_no_room(server, new_page):
    page = new_page()
    page.goto(f"{server.url}/bottleneck?lang=en")
    page.locator('[data-specviz="roofline"]').wait_for()
    scripts = page.get_by_test_id("stElementContainer").filter(has=page.locator("script"))
    assert scripts.evaluate_all("all => all.map((node) => getComputedStyle(node).position)") == ["absolute"]


@pytest.mark.parametrize(("name", "key"), [("round", "run"), ("drafters", "family_run"), ("bottleneck", "measure")])
def test_the_keyboard_stays_where_run_gives_way_to_cancel_and_back(server, new_page, name, key):
    page = new_page()
    page.goto(f"{server.url}/{name}?lang=en&pair=poem&length=256")
    page.locator(f".st-key-{key} button").focus()
    for here in (f"{key}_cancel", key):
        page.keyboard.press("Enter")
        page.locator(f".st-key-{here} button").wait_for(timeout=60_000)
        page.wait_for_function("here => document.activeElement.matches(`.st-key-${here} button`)", arg=here, timeout=5_000)
