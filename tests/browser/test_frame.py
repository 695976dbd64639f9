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


PLACES = """addEventListener("focusin", ({ target }) => {
  window.places = [...(window.places || []), /st-key-(\\S+)/.exec(target.closest('[class*="st-key-"]')?.className)?.[1]];
})"""


@pytest.mark.parametrize(("name", "key"), [("round", "run"), ("drafters", "family_run"), ("bottleneck", "measure")])
def test_the_keyboard_stays_where_run_gives_way_to_cancel_and_back(server, new_page, name, key):
    page = new_page()
    page.add_init_script(PLACES)
    page.goto(f"{server.url}/{name}?lang=en&pair=poem")
    page.locator(f".st-key-{key} button").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("place => window.places.includes(place)", arg=f"{key}_cancel", timeout=60_000)
    if key != "run":  # whose end comes soon enough by itself
        page.keyboard.press("Enter")
    page.wait_for_function("place => window.places.at(-1) === place", arg=key, timeout=60_000)
    assert page.evaluate("() => window.places") == [key, f"{key}_cancel", key]


@pytest.mark.parametrize("name", ["rule", "speedup"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_formula_is_cut_below(server, new_page, name, lang):
    page = new_page()
    page.goto(f"{server.url}/{name}?lang={lang}")
    formulas = page.locator(".stMarkdown .katex")
    formulas.first.wait_for()
    heights = formulas.evaluate_all("all => all.map((node) => [node.scrollHeight, node.clientHeight])")
    assert heights and all(needs <= has for needs, has in heights)
