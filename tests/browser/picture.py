"""The picture of the rule as tests use it: one visitor's page with the picture on it."""

import json

from playwright.sync_api import expect

BARS = '[data-specviz="bars"]'
P, Q = [0.5, 0.3, 0.15, 0.05], [0.1, 0.2, 0.3, 0.4]
HERE = "p=0.5,0.3,0.15,0.05&q=0.1,0.2,0.3,0.4&seed=7"
MODES = ("steps", "bricks", "rain", "formula")


class Picture:
    """One visitor's page with the picture on it; counts what the browser sends to the server."""

    def __init__(self, page):
        self.page, self.root, self.sent, self.faults = page, page.locator(BARS), 0, page.faults
        page.on("websocket", lambda socket: socket.on("framesent", self._count))

    def _count(self, _):
        self.sent += 1

    def get(self, name):
        return self.root.get_attribute(f"data-{name}")

    def rows(self):
        return json.loads(self.get("p")), json.loads(self.get("q"))

    def rest(self):
        expect(self.root).to_have_attribute("data-state", "resting", timeout=60_000)

    def mode(self, name):
        self.root.locator(f'[data-mode-of="{name}"]').click()
        expect(self.root).to_have_attribute("data-mode", name)

    def press(self, name):
        self.root.locator(f'[data-do="{name}"]').click()

    def throw(self, n):
        self.root.locator(f'[data-throw="{n}"]').click()

    def handle(self, name):
        return self.root.locator(f'[data-of="{name}"]')

    def grip(self, name):
        """Where the finger takes hold of a handle."""
        box = self.handle(name).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def drag(self, name, up):
        x, y = self.grip(name)
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x, y - up / 2)
        self.page.mouse.move(x, y - up)

    def told(self):
        """Until the server has heard: the page writes what it hears into its address."""
        rows = [",".join(f"{x:.12g}" for x in row) for row in self.rows()]
        there = "(rows) => ['p', 'q'].every((name, i) => new URL(location.href).searchParams.get(name) === rows[i])"
        self.page.wait_for_function(there, arg=rows)

    def quiet(self):
        """Until nothing more is under way, so that what is counted from here on belongs to what is done from here on."""
        self.rest()
        self.page.wait_for_load_state("networkidle")
        self.page.locator('[data-testid="stStatusWidget"]').wait_for(state="hidden")
