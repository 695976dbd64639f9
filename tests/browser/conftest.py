import pytest
from playwright.sync_api import sync_playwright

from tests.browser.install import executable
from tests.browser.picture import HERE, Picture
from tests.browser.server import Server

QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


@pytest.fixture(scope="session")
def browser():
    """One real Chromium: the system's where there is one, else Playwright's own."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable(), args=QUIET)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The app, served once for all browser tests."""
    running = Server(tmp_path_factory.mktemp("server") / "log.txt")
    yield running
    running.stop()


@pytest.fixture
def new_page(browser):
    """A function that gives a fresh visitor's page; what breaks on it is in its `faults`."""
    contexts = []

    def fresh(width=1366, height=768, theme="light", locale="en-US", **options):
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme, locale=locale, **options)
        contexts.append(context)
        page = context.new_page()
        page.faults = []
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        return page

    yield fresh
    for context in contexts:
        context.close()


@pytest.fixture
def open_page(new_page):
    """A function that opens an address with a player on it as a fresh visitor."""

    def visit(url, **options):
        page = new_page(**options)
        page.goto(url)
        page.locator('[data-specviz="player"]').wait_for(timeout=60_000)
        return page

    return visit


@pytest.fixture
def visit(new_page, server):
    """A function that opens the rule as a fresh visitor and waits until its picture rests."""

    def open_picture(query=HERE, lang="en", **options):
        picture = Picture(new_page(**options))
        picture.page.goto(f"{server.url}/rule?lang={lang}&{query}")
        picture.root.wait_for(timeout=60_000)
        picture.rest()
        return picture

    return open_picture


@pytest.fixture(scope="module")
def alone(browser, request):
    """A blank page with the test file's SCRIPTS on it: no picture, no server."""
    page = browser.new_page()
    page.add_script_tag(content=request.module.SCRIPTS)
    yield page
    page.close()


@pytest.fixture(scope="module")
def page(alone):
    """The same, where a test file opens no other page."""
    return alone
