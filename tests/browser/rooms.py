"""How much room every picture needs at first, by the width it is given: `python -m tests.browser.rooms` measures it in real
Chromium and writes specviz/ui/rooms.toml, which keeps that room free while the picture is on its way.

To be run again when a picture has changed its height; tests/browser/test_rooms.py tells when.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from specviz.locale import LANGUAGES
from specviz.ui.frame import ROOMS
from tests.browser.conftest import QUIET
from tests.browser.install import executable
from tests.browser.server import Server

PAGES = ("", "bottleneck", "round", "rule", "speedup", "drafters", "one_page", "models")
PHONES = (320, 360, 375, 390, 412, 430)
SCREENS = (*PHONES, *range(470, 1400, 20))
SAME = 4  # pixels that are no difference
HEAD = "# Pixels that a picture needs at first, from each width of its own on; written by `python -m tests.browser.rooms`.\n"
SIZES = """() => Object.fromEntries([...document.querySelectorAll(".stBidiComponent")].map((node) => {
  const around = node.closest('[data-testid="stElementContainer"]'), box = node.getBoundingClientRect();
  return [/st-key-(\\S+)/.exec(around.className)[1], [Math.floor(box.width), Math.ceil(box.height)]];
}))"""


def main() -> None:
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        chromium = playwright.chromium.launch(executable_path=executable(), args=QUIET)
        server = Server(Path(folder) / "log.txt")
        try:
            found = {code: measured(chromium, server.url, code) for code in LANGUAGES}
        finally:
            server.stop()
            chromium.close()
    lines = [
        f"{key} = {{ {', '.join(f'{width} = {height}' for width, height in steps(sizes).items())} }}" if key else f"\n[{code}]"
        for code, rooms in found.items()
        for key, sizes in [("", {}), *sorted(rooms.items())]
    ]
    ROOMS.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")


def measured(chromium, url: str, code: str) -> dict[str, dict[int, int]]:
    """Key of a picture -> its width -> its height, over all pages that show it."""
    rooms: dict[str, dict[int, int]] = {}
    for name in PAGES:
        page = chromium.new_page(viewport={"width": 1366, "height": 768}, locale="en-US", reduced_motion="reduce")
        page.goto(f"{url}/{name}?lang={code}")
        page.locator("[data-specviz]").first.wait_for()
        page.wait_for_load_state("networkidle")
        # What is kept free must not be taken for what is needed.
        page.add_style_tag(content=".stElementContainer::before { display: none; }")
        for width in SCREENS:
            page.set_viewport_size({"width": width, "height": 768})
            page.wait_for_timeout(200)
            for key, (across, height) in page.evaluate(SIZES).items():
                sizes = rooms.setdefault(key, {})
                sizes[across] = max(height, sizes.get(across, 0))
        page.close()
    return rooms


def steps(sizes: dict[int, int]) -> dict[int, int]:
    """From each width on, the height; the narrowest stands for what is narrower still."""
    kept: dict[int, int] = {}
    for width, height in sorted(sizes.items()):
        if not kept or abs(height - list(kept.values())[-1]) > SAME:
            kept[width if kept else 0] = height
        else:
            last = list(kept)[-1]
            kept[last] = max(kept[last], height)
    return kept


if __name__ == "__main__":
    main()
