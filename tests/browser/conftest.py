import pytest
from playwright.sync_api import sync_playwright

from tests.browser.install import executable
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
def open_page(browser):
    """A function that opens an address as a fresh visitor."""
    contexts = []

    def visit(url, width=1366, height=768, theme="light", locale="en-US", **options):
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme, locale=locale, **options)
        contexts.append(context)
        page = context.new_page()
        page.faults = []
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.goto(url)
        page.locator('[data-specviz="player"]').wait_for(timeout=60_000)
        return page

    yield visit
    for context in contexts:
        context.close()
