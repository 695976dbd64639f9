"""What a visitor waits for, measured in real Chromium: `python -m tests.browser.figures` prints JSON.

Start-up to the first moving picture and to ready, Run to the first round on screen, frames a second of the player, a
slider's move to its new picture, memory of the server with the pair loaded.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from playwright.sync_api import sync_playwright

from specviz.locale import say
from tests.browser.conftest import QUIET
from tests.browser.install import executable
from tests.browser.server import Server

PLAYER = '[data-specviz="player"]'
REPEATS = 3


def main() -> None:
    starts = [cold_start() for _ in range(REPEATS)]
    result = {key: median(start[key] for start in starts) for key in starts[0]}
    json.dump({key: round(value, 2) for key, value in result.items()}, sys.stdout, indent=2)
    print()


def cold_start() -> dict:
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        chromium = playwright.chromium.launch(executable_path=executable(), args=QUIET)
        page = chromium.new_page(viewport={"width": 1366, "height": 768}, locale="en-US")
        server = Server(Path(folder) / "log.txt")
        try:
            page.goto(f"{server.url}/?lang=en")
            player = page.locator(PLAYER)
            player.wait_for()
            wait(lambda: int(player.get_attribute("data-step")) >= 1)
            moving = time.monotonic() - server.started
            page.get_by_text(f"— {say('en', 'models.ready')}").wait_for(timeout=120_000)
            ready = time.monotonic() - server.started
            frames = frame_rate(page)
            first_round = run_to_first_round(page, server.url)
            bottleneck = bottleneck_latency(page, server.url)
            return {
                "first_moving_picture_s": moving,
                "ready_s": ready,
                "run_to_first_round_s": first_round,
                "frames_per_second": frames,
                "bottleneck_slider_ms": bottleneck,
                "server_memory_mb": memory_mb(server.process.pid),
            }
        finally:
            server.stop()
            chromium.close()


def run_to_first_round(page, url) -> float:
    page.goto(f"{url}/round?lang=en&seed=97")
    page.locator(PLAYER).wait_for()
    page.get_by_text(say("en", "player.recorded")).wait_for()
    pressed = time.monotonic()
    page.get_by_role("button", name=say("en", "round.run"), exact=True).click()
    page.get_by_text(say("en", "player.recorded")).wait_for(state="hidden")
    wait(lambda: int(page.locator(PLAYER).get_attribute("data-version")) > 0)
    return time.monotonic() - pressed


def frame_rate(page) -> float:
    """Frames a second over three seconds of playing."""
    assert page.locator(PLAYER).get_attribute("data-state") == "playing"
    return page.evaluate(
        """() => new Promise((done) => {
          let count = 0, began = performance.now();
          const tick = (now) => {
            count += 1;
            if (now - began < 3000) requestAnimationFrame(tick); else done(1000 * count / (now - began));
          };
          requestAnimationFrame(tick);
        })"""
    )


LATENCY = """(root) => new Promise((done) => {
  const slider = root.querySelector('[data-of="tokens"] input[type="range"]'), late = [];
  const move = (n) => {
    if (n === 0) return done(late);
    const began = performance.now();
    slider.value = String((Number(slider.value) + 1) % Number(slider.max));
    slider.dispatchEvent(new Event("input"));
    requestAnimationFrame(() => setTimeout(() => { late.push(performance.now() - began); move(n - 1); }));
  };
  move(60);
})"""


def bottleneck_latency(page, url) -> float:
    """Milliseconds from a move of the tokens slider to the end of the frame in which everything is redrawn; the median."""
    page.goto(f"{url}/bottleneck?lang=en")
    picture = page.locator('[data-specviz="roofline"]')
    picture.wait_for()
    return median(picture.evaluate(LATENCY))


def memory_mb(pid: int) -> float:
    """Resident memory of the server process."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def wait(test, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not test():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.01)


if __name__ == "__main__":
    main()
