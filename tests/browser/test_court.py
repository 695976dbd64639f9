"""The court in a real browser: a trial grows, ends in words, and can be given up."""

import re

import pytest

from specviz.locale import say


@pytest.fixture
def open_court(new_page, server):
    def go(lang="en", query="", **options):
        page = new_page(**options)
        page.goto(f"{server.url}/rule?lang={lang}&pair=poem&view=court{query}")
        return page

    return go


def throws(page):
    return int(re.search(r"([\d,]+) of [\d,]+ throws", page.locator("[data-testid=stApp]").inner_text())[1].replace(",", ""))


def test_a_trial_grows_and_can_be_given_up(open_court):
    page = open_court()
    page.get_by_role("button", name=re.compile("^Throw the engine")).click()
    page.get_by_text(re.compile("of 100,000 throws")).wait_for(timeout=90_000)
    before = throws(page)
    page.get_by_text(say("en", "court.innocent_so_far")).wait_for()
    page.wait_for_function(
        "n => +(document.body.innerText.match(/([\\d,]+) of 100,000 throws/) || [0, '0'])[1].replaceAll(',', '') > n",
        arg=before,
    )
    page.get_by_role("button", name=say("en", "round.cancel")).click()
    page.get_by_role("button", name=say("en", "round.cancel")).wait_for(state="hidden", timeout=30_000)


def test_a_rule_of_the_gallery_is_thrown_and_convicted(open_court):
    page = open_court(query="&gallery=lesson")
    page.get_by_role("button", name=say("en", "court.throw_rule", n="100,000")).click()
    page.get_by_text(say("en", "court.guilty")).wait_for(timeout=90_000)
    page.get_by_text("100,000 of 100,000 throws").wait_for(timeout=90_000)
    page.get_by_text("The rule resample-p for").wait_for()


def test_the_homework_stays_open_when_something_else_is_pressed(open_court):
    page = open_court()
    page.get_by_text(say("en", "court.homework")).click()
    page.get_by_text("mine.py:rule").wait_for()
    page.get_by_role("button", name=say("en", "court.throw_rule", n="100,000")).click()
    page.get_by_text("100,000 of 100,000 throws").wait_for(timeout=90_000)
    assert page.get_by_text("mine.py:rule").is_visible()


def test_the_view_travels_in_the_address_in_every_language(open_court):
    page = open_court("zh")
    page.get_by_text(say("zh", "court.homework")).wait_for()
    page.get_by_role("button", name="English").click()
    page.get_by_text(say("en", "court.homework")).wait_for()
    assert "view=court" in page.url and "lang=en" in page.url


def test_an_empty_place_is_answered_with_a_sentence(open_court):
    page = open_court()
    page.get_by_label(say("en", "court.prompt")).fill(" ")
    page.get_by_role("button", name=re.compile("^Throw the engine")).click()
    page.get_by_text(say("en", "errors.empty_prompt")).wait_for(timeout=90_000)
