"""What a visitor waits for, measured in real Chromium: `python -m tests.browser.figures` prints JSON.

Start-up to the first moving picture and to ready, Run to the first round on screen, frames a second of the player, from
the move of a handle of the rule, of a slider of the bottleneck and of the sliders of the speed-up to the screen, the
longest frame while a million points are thrown, memory of the server with the pair loaded.
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
from tests.browser.picture import HERE, Picture
from tests.browser.server import Server

PLAYER = '[data-specviz="player"]'
MOVING = """() => [...document.querySelectorAll("*")].some((host) =>
  host.shadowRoot && Number(host.shadowRoot.querySelector('[data-specviz="player"]')?.dataset.step) >= 1)"""
RUNS = """() => [...document.querySelectorAll("*")].some((host) => {
  const player = host.shadowRoot && host.shadowRoot.querySelector('[data-specviz="player"]');
  return player && player.dataset.version > 0 && player.querySelector(".badge").style.display === "none";
})"""
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
        page.faults = []
        server = Server(Path(folder) / "log.txt")
        try:
            listening = time.monotonic() - server.started
            page.goto(f"{server.url}/?lang=zh", wait_until="commit")  # whose readers get the poem pair
            page.wait_for_function(MOVING)  # asks at every frame; waiting for an element looks twice a second
            moving = time.monotonic() - server.started
            page.get_by_text(f"— {say('zh', 'models.ready')}").wait_for(timeout=120_000)
            ready = time.monotonic() - server.started
            frames = frame_rate(page)
            first_round = run_to_first_round(page, server.url)
            picture = rule_picture(page, server.url)
            drag, frozen = drag_to_screen(picture), longest_frame(picture)  # before the page goes elsewhere
            bottleneck = bottleneck_latency(page, server.url)
            sliders = slider_latencies(page, server.url)
            return {
                "first_moving_picture_s": moving,
                "asked_to_first_moving_picture_s": moving - listening,
                "ready_s": ready,
                "run_to_first_round_s": first_round,
                "frames_per_second": frames,
                "drag_to_screen_ms": drag,
                "longest_frame_of_a_million_points_ms": frozen,
                "bottleneck_slider_ms": bottleneck,
                "server_memory_mb": memory_mb(server.process.pid),
                **{f"slider_{name}_ms": late for name, late in sliders.items()},
            }
        finally:
            server.stop()
            chromium.close()


def run_to_first_round(page, url) -> float:
    page.goto(f"{url}/round?lang=en&pair=poem&seed=97")
    page.locator(PLAYER).wait_for()
    page.get_by_text(say("en", "player.recorded")).wait_for()
    pressed = time.monotonic()
    page.get_by_role("button", name=say("en", "round.run"), exact=True).click()
    page.wait_for_function(RUNS)  # asks at every frame
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


LATENCY = """(root) => {
  window.late = [];
  let moved = 0;
  root.addEventListener("pointermove", (event) => { moved = event.timeStamp; }, true);
  new MutationObserver(() => {
    const at = moved;
    requestAnimationFrame(() => requestAnimationFrame(() => window.late.push(performance.now() - at)));
  }).observe(root, { attributes: true, attributeFilter: ["data-q"] });
}"""
FROZEN = """(root) => new Promise((done) => {
  let last = performance.now(), longest = 0;
  const tick = (now) => {
    longest = Math.max(longest, now - last);
    last = now;
    root.dataset.state === "moving" ? requestAnimationFrame(tick) : done(longest);
  };
  root.querySelector('[data-throw="1000000"]').click();
  requestAnimationFrame(tick);
})"""


def rule_picture(page, url) -> Picture:
    picture = Picture(page)
    page.goto(f"{url}/rule?lang=en&{HERE}")
    picture.root.wait_for()
    picture.rest()
    return picture


def drag_to_screen(picture) -> float:
    """Milliseconds from a move of the mouse to the frame after the one in which its numbers were drawn; the median."""
    picture.drag("q3", 10)
    picture.root.evaluate(LATENCY)
    x, y = picture.grip("q3")
    for k in range(40):
        picture.page.mouse.move(x, y + 2 * k)
    picture.page.wait_for_function("() => window.late.length >= 30")
    late = picture.page.evaluate("() => window.late")
    picture.page.mouse.up()
    return median(late)


def longest_frame(picture) -> float:
    """Milliseconds for which the page stands still at most while a million points are thrown."""
    picture.mode("rain")
    return picture.root.evaluate(FROZEN)


SLIDER = """(input) => new Promise((done) => {
  const late = [];
  let value = Number(input.value), began = 0;
  const next = () => {
    value = value === Number(input.max) ? 0 : value + 1;
    input.value = String(value);
    began = performance.now();
    input.dispatchEvent(new Event("input", { bubbles: true }));
    requestAnimationFrame(() => requestAnimationFrame(() => {
      late.push(performance.now() - began);
      if (late.length < 40) next();
      else done(late.sort((a, b) => a - b)[20]);
    }));
  };
  next();
})"""


def bottleneck_latency(page, url) -> float:
    """Milliseconds from a step of the tokens slider to the frame after the one that shows it; the median of forty."""
    page.goto(f"{url}/bottleneck?lang=en&pair=poem")
    page.locator('[data-specviz="roofline"]').wait_for()
    return page.locator('[data-of="tokens"] input[type="range"]').evaluate(SLIDER)


def slider_latencies(page, url) -> dict[str, float]:
    """Milliseconds from a slider's step to the frame after the one that shows it; the median of forty steps."""
    page.goto(f"{url}/speedup?lang=en&pair=poem&mode=speed")
    page.locator('[data-specviz="speedup"][data-state="resting"][data-tokens]').wait_for()
    return {name: page.locator(f'[data-slider="{name}"]').evaluate(SLIDER) for name in ("alpha", "gamma", "c", "s")}


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
