"""The browser's own Back and Forward: a step for a page, each as it was left."""

import pytest
from playwright.sync_api import expect

from specviz.locale import say
from specviz.ui.frame import CHAPTERS

PROMPTS = {"round": "prompt", "drafters": "family_prompt"}
PROMPT = "春风又绿江南岸，"
ROOT = '[data-testid="stApp"]'


def to(page, name):
    """By the navigation at the top, as people do."""
    page.get_by_test_id("stTopNavLink").filter(has_text=say("en", f"{name}.title")).first.click()
    page.wait_for_url(f"**/{name}?*")
    quiet(page)


def quiet(page):
    page.locator("[data-specviz]").first.wait_for(timeout=60_000)
    page.locator(f'{ROOT}[data-test-script-state="notRunning"]').wait_for(timeout=60_000)
    page.wait_for_timeout(300)  # what a picture writes into the address comes a moment after its script


@pytest.mark.parametrize(
    ("name", "others"),
    # One page of code has the controls of the round, under the same names.
    [("round", ("rule", "speedup")), ("round", ("one_page", "rule")), ("drafters", ("rule", "speedup"))],
)
def test_back_and_forward_lead_to_pages_as_they_were_left(server, new_page, name, others):
    page = new_page(width=1500)
    page.goto(f"{server.url}/{name}?lang=en&pair=poem")
    prompt = page.locator(f".st-key-{PROMPTS[name]}").locator("input, textarea")
    prompt.fill(PROMPT)
    prompt.press("ControlOrMeta+Enter" if name == "drafters" else "Enter")
    page.wait_for_function("address => decodeURIComponent(location.search).includes(address)", arg=PROMPT)
    quiet(page)
    left = page.url
    for other in others:
        to(page, other)
    last = page.url
    page.go_back()
    page.wait_for_url(f"**/{others[0]}?*")
    quiet(page)
    page.go_back()
    page.wait_for_url(left)
    quiet(page)
    expect(prompt).to_have_value(PROMPT)
    assert page.url == left
    page.go_forward()
    page.wait_for_url(f"**/{others[0]}?*")
    quiet(page)
    page.go_forward()
    page.wait_for_url(last)
    assert not page.faults


def test_after_a_reload_back_still_leads_to_what_was_dragged(server, new_page):
    """Nothing but the address remembers it then."""
    page = new_page(width=1500)
    page.goto(f"{server.url}/bottleneck?lang=en")
    tokens = page.locator('[data-specviz="roofline"] input[type=range]').first
    tokens.focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    page.wait_for_url("**tokens=7&**")
    quiet(page)
    to(page, "models")
    page.reload()
    quiet(page)
    page.go_back()
    page.wait_for_url("**/bottleneck?*tokens=7&*")
    expect(tokens).to_be_visible()
    quiet(page)
    assert "tokens=7&" in page.url


@pytest.mark.parametrize("name", ["home", *CHAPTERS])
def test_back_leads_out_of_every_page_at_once(server, new_page, name):
    """However much a page writes into its address."""
    page = new_page()
    page.goto("about:blank#before")
    page.goto(f"{server.url}/{'' if name == 'home' else name}?lang=en")
    quiet(page)
    page.go_back()
    page.wait_for_url("about:blank#before", timeout=5_000)


def test_of_a_field_that_an_address_has_twice_the_last_counts_everywhere(server, new_page):
    page = new_page()
    page.goto(f"{server.url}/round?lang=en&pair=poem&gamma=1&gamma=9&seed=3&seed=8")
    quiet(page)
    settings = page.locator(".st-key-settings button").first
    expect(settings).to_contain_text("γ 9")
    expect(settings).to_contain_text("8")
    settings.click()
    expect(page.locator(".st-key-gamma input[type=range]")).to_have_value("9")
    expect(page.locator(".st-key-seed input")).to_have_value("8")
    assert "gamma=9&" in page.url and "gamma=1" not in page.url
