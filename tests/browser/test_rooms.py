"""What stands below a picture stands there from the first paint on: the picture's room is kept free while it is on its way."""

import tomllib

import pytest

from specviz.ui.frame import ROOMS
from tests.browser.looks import NARROW, WIDE
from tests.browser.rooms import PAGES

SPARE = 48  # pixels a picture may be given in vain: two lines of text
# From the moment the page has its style: every place at which what comes after a picture has stood below the picture's top.
WATCH = """(() => {
  const places = (window.places = {});
  const after = (node) => {
    for (; node && node.dataset.testid !== "stMainBlockContainer"; node = node.parentElement)
      for (let next = node.nextElementSibling; next; next = next.nextElementSibling)
        if (next.getBoundingClientRect().height && !node.closest('[data-testid="stColumn"]')) return next;
  };
  const look = () => {
    const corner = document.querySelector(".st-key-corner"), styled = corner && getComputedStyle(corner).position === "fixed";
    for (const node of styled ? document.querySelectorAll(KEYS) : []) {
      const column = node.closest('[data-testid="stHorizontalBlock"]'), next = after(column || node);
      if (!next) continue;
      const key = /st-key-(\\S+)/.exec(node.className)[1], [top, at] = [node, next].map((x) => x.getBoundingClientRect().top);
      (places[key] = places[key] || new Set()).add(Math.round(at - top));
    }
    requestAnimationFrame(look);
  };
  look();
})()"""
PLACES = "() => Object.fromEntries(Object.entries(window.places).map(([key, all]) => [key, [...all]]))"
DRAWN = """() => [...document.querySelectorAll(".stBidiComponent")].map((node) => {
  const around = node.closest('[data-testid="stElementContainer"]');
  return [around.clientHeight, node.clientHeight];
})"""
KEYS = ", ".join(f".st-key-{key}" for key in tomllib.loads(ROOMS.read_text("utf-8"))["en"])


@pytest.mark.parametrize(("size", "lang"), [(WIDE, "en"), (NARROW, "zh")])  # one measurement writes all four
@pytest.mark.parametrize("name", PAGES)
def test_nothing_moves_when_a_picture_arrives(server, new_page, name, size, lang):
    page = new_page(*size)
    page.add_init_script(WATCH.replace("KEYS", f"'{KEYS}'"))
    page.goto(f"{server.url}/{name}?lang={lang}")
    page.locator("[data-specviz]").first.wait_for(timeout=60_000)
    page.locator('[data-testid="stSkeleton"]').first.wait_for(state="detached")
    page.wait_for_load_state("networkidle")
    places = page.evaluate(PLACES)
    assert places and all(len(tops) == 1 for tops in places.values()), places
    # And nothing is kept free in vain.
    sizes = page.evaluate(DRAWN)
    assert sizes and all(kept - SPARE <= drawn <= kept for kept, drawn in sizes), sizes
    assert not page.faults
