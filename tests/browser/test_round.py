"""The round page in a real browser, used the way people use it."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from specviz.locale import say
from tests.browser.looks import LOOKS
from tests.browser.server import Server

PLAYER = '[data-specviz="player"]'


def attribute(page, name):
    return page.locator(PLAYER).get_attribute(f"data-{name}")


def wait_for(page, name, test, seconds=90):
    """Until the player's attribute passes the test; the component writes it, so nothing is slept through."""
    for _ in range(seconds * 20):
        page.locator(PLAYER).wait_for(timeout=seconds * 1000)
        if test(attribute(page, name)):
            return attribute(page, name)
        page.wait_for_timeout(50)
    raise AssertionError(f"data-{name} is {attribute(page, name)}")


def run(page, language="en"):
    page.get_by_role("button", name=say(language, "round.run"), exact=True).click()
    page.get_by_text(say(language, "player.recorded")).wait_for(state="hidden", timeout=60_000)


def run_to_the_end(page, language="en"):
    run(page, language)
    page.get_by_role("button", name=say(language, "round.cancel")).wait_for(state="hidden", timeout=90_000)
    wait_for(page, "version", lambda v: int(v) > 0)
    page.locator(PLAYER).focus()
    page.keyboard.press("End")
    wait_for(page, "state", lambda s: s == "finished")


def text_of(page):
    return page.locator(f"{PLAYER} .text").inner_text()


def test_a_deep_link_to_a_cold_server_shows_the_whole_frame(tmp_path, open_page):
    server = Server(tmp_path / "log.txt")
    try:
        page = open_page(f"{server.url}/round?lang=zh")
        page.get_by_role("button", name=say("zh", "round.run"), exact=True).wait_for()
        page.get_by_role("link", name=say("zh", "home.title")).first.wait_for()
        assert not page.faults
    finally:
        server.stop()


def test_a_run_goes_on_to_its_end_while_the_visitor_clicks_about(server, open_page):
    page = open_page(f"{server.url}/round?lang=en&pair=poem&prompt=手机响不停，&seed=0&length=96")
    run(page)
    for _ in range(3):
        page.get_by_role("button", name=re.compile("γ 4")).click()
        page.keyboard.press("Escape")
    page.get_by_role("button", name=say("en", "round.cancel")).wait_for(state="hidden", timeout=90_000)
    version = int(wait_for(page, "version", lambda v: int(v) > 0))
    assert version > 3 and not page.faults


def test_stepping_back_and_forth_shows_the_same_frames(server, open_page):
    page = open_page(f"{server.url}/?lang=en")
    page.locator(PLAYER).focus()
    page.keyboard.press("Home")
    wait_for(page, "step", lambda s: s == "0")
    there = []
    for step in range(1, 9):
        page.keyboard.press("ArrowRight")
        wait_for(page, "step", lambda s, step=step: s == str(step))
        there.append((page.locator(f"{PLAYER} .caption").inner_text(), text_of(page)))
    back = []
    for step in range(7, -1, -1):
        back.append((page.locator(f"{PLAYER} .caption").inner_text(), text_of(page)))
        page.keyboard.press("ArrowLeft")
        wait_for(page, "step", lambda s, step=step: s == str(step))
    assert there == back[::-1] and len(set(there)) == 8


def test_the_first_picture_moves_before_anything_is_clicked(server, open_page):
    page = open_page(f"{server.url}/?lang=zh")
    wait_for(page, "step", lambda s: int(s) >= 2)
    page.get_by_text(say("zh", "player.recorded")).wait_for()


def test_leaving_the_page_and_coming_back_loses_nothing(server, open_page):
    page = open_page(f"{server.url}/round?lang=en&pair=poem&seed=11&length=32")
    run_to_the_end(page)
    before = text_of(page)
    page.get_by_role("link", name=say("en", "home.title")).first.click()
    page.get_by_text(say("en", "player.recorded")).wait_for()
    page.get_by_role("link", name=say("en", "round.title")).first.click()
    page.get_by_text(say("en", "player.recorded")).wait_for(state="hidden")
    wait_for(page, "state", lambda s: s == "finished")
    assert text_of(page) == before
    assert (
        page.get_by_role("spinbutton").count() == 0
        and "seed 11" in page.get_by_role("button", name=re.compile("γ")).inner_text()
    )


def test_the_browsers_own_back_button_loses_nothing(server, open_page):
    page = open_page(f"{server.url}/round?lang=en&pair=poem&seed=12&length=24&gamma=3&prompt=春眠")
    run_to_the_end(page)
    before = text_of(page)
    page.get_by_role("link", name=say("en", "home.title")).first.click()
    page.get_by_text(say("en", "player.recorded")).wait_for()
    page.go_back()
    page.get_by_role("button", name=re.compile("γ 3 · T 1.0 · seed 12")).wait_for()
    page.get_by_text(say("en", "player.recorded")).wait_for(state="hidden")
    wait_for(page, "state", lambda s: s == "finished")
    assert text_of(page) == before


def test_cancel_ends_a_run(server, open_page):
    page = open_page(f"{server.url}/round?lang=en&pair=poem&prompt=手机响不停，&seed=0&length=256&gamma=12&temperature=1.3")
    run(page)
    wait_for(page, "version", lambda v: int(v) >= 2)
    page.get_by_role("button", name=say("en", "round.cancel")).click()
    page.get_by_text(say("en", "round.cancelled")).wait_for()
    page.get_by_role("button", name=say("en", "round.run"), exact=True).wait_for()


def test_an_address_shows_the_same_run_to_another_visitor_and_starts_none(server, open_page):
    page = open_page(f"{server.url}/round?lang=zh&seed=21&length=40&gamma=3&temperature=0.8")
    run_to_the_end(page, "zh")
    page.wait_for_url(re.compile("step="))
    guest = open_page(page.url)
    guest.get_by_text(say("zh", "player.recorded")).wait_for(state="hidden")
    wait_for(guest, "steps", lambda s: s == attribute(page, "steps"))
    assert text_of(guest) == text_of(page)
    stranger = open_page(f"{server.url}/round?lang=zh&seed=22&length=40")
    stranger.get_by_text(say("zh", "player.recorded")).wait_for()
    stranger.wait_for_timeout(1500)
    assert stranger.get_by_text(say("zh", "player.recorded")).is_visible()


def test_one_click_changes_the_language_and_no_word_is_left_behind(server, open_page):
    page = open_page(f"{server.url}/round?lang=en&pair=poem")
    assert page.get_by_role("button", name="Run", exact=True).is_visible()
    page.get_by_role("button", name="中文").click()
    page.get_by_role("button", name="运行", exact=True).wait_for()
    assert "lang=zh" in page.url
    # Streamlit's icons are ligatures of English words; nobody sees those.
    page.add_style_tag(content="[data-testid=stIconMaterial] { display: none !important; }")
    words = page.locator("[data-testid=stMainBlockContainer]").inner_text() + page.locator(PLAYER).inner_text()
    left = set(re.findall(r"[A-Za-z]{3,}", words)) - {"English", "min", "PyTorch"}  # a name, while the models load
    assert not left


@pytest.mark.parametrize("prompt", ["", "    "])
def test_an_empty_prompt_is_answered_with_a_sentence(server, open_page, prompt):
    page = open_page(f"{server.url}/round?lang=en&pair=poem")
    page.get_by_label(say("en", "round.prompt")).fill(prompt)
    page.get_by_role("button", name=say("en", "round.run"), exact=True).click()
    page.get_by_text(say("en", "errors.empty_prompt")).wait_for()
    page.get_by_label(say("en", "round.prompt")).fill("春眠不觉晓，")
    run_to_the_end(page)
    assert not page.faults


def test_a_prompt_past_the_context_is_answered_with_a_sentence(server, open_page):
    page = open_page(f"{server.url}/round?lang=en&pair=poem")
    page.get_by_label(say("en", "round.prompt")).fill("月" * 1500)
    page.get_by_role("button", name=say("en", "round.run"), exact=True).click()
    page.get_by_text(re.compile("shorten the prompt")).wait_for(timeout=60_000)


@pytest.mark.parametrize("prompt", ["🙂👩‍👩‍👧", "Ünïcode <s>", "牀"])
def test_unknown_characters_are_written_on_not_lost(server, open_page, prompt):
    page = open_page(f"{server.url}/round?lang=en&pair=poem&length=12")
    page.get_by_label(say("en", "round.prompt")).fill(prompt)
    run_to_the_end(page)
    assert "".join(prompt.split()) in "".join(text_of(page).split()).replace("·", "")


@pytest.mark.parametrize(
    "query", ["gamma=99", "temperature=-3", "gamma=x", "seed=-1", "length=0", "step=abc", "step=999999", "lang=xx"]
)
def test_a_wrong_address_still_gives_a_page_that_works(server, open_page, query):
    # Nobody else's run may be on this address already.
    own = "length=33" if "seed" in query else f"seed={5000 + sum(map(ord, query))}"
    page = open_page(f"{server.url}/round?{query}&{own}")
    run_to_the_end(page)
    assert not page.faults


def test_a_closed_tab_frees_the_worker(server, open_page):
    leaver = open_page(f"{server.url}/round?lang=en&pair=poem&seed=31&length=256")
    run(leaver)
    leaver.context.close()
    page = open_page(f"{server.url}/round?lang=en&pair=poem&seed=32&length=16")
    run_to_the_end(page)


@pytest.mark.parametrize("path", ["", "round", "one_page"])
@pytest.mark.parametrize(("theme", "language", "size"), LOOKS)
def test_nothing_is_cut_off_or_grey_on_grey(server, open_page, theme, language, path, size):
    page = open_page(f"{server.url}/{path}?lang={language}", width=size[0], height=size[1], theme=theme, locale=language)
    wait_for(page, "step", lambda s: int(s) >= 1)
    page.locator(PLAYER).focus()
    page.keyboard.press("Home")
    wait_for(page, "step", lambda s: s == "0")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    box = page.locator(PLAYER).bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= size[0] + 1
    faults = (
        Axe().run(page, options={"runOnly": ["color-contrast", "button-name", "label", "image-alt"]}).response["violations"]
    )
    ours = [f"{f['id']}: {n['html'][:120]}" for f in faults for n in f["nodes"] if "stHeader" not in str(n["target"])]
    assert not ours
