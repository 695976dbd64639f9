"""A component on one visitor's page: what it says in its attributes, and how often the browser writes to the server."""


class Mounted:
    SELECTOR: str  # of the component's root

    def __init__(self, page):
        self.page, self.root, self.sent, self.faults = page, page.locator(self.SELECTOR), 0, []
        page.on("websocket", lambda socket: socket.on("framesent", self._count))
        page.on("pageerror", lambda error: self.faults.append(str(error)))

    def _count(self, _):
        self.sent += 1

    def get(self, name):
        return self.root.get_attribute(f"data-{name}")

    def number(self, name):
        return float(self.get(name))
