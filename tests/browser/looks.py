"""How a page is looked at: every two of theme, language and screen meet once, in half as many looks as all of them."""

from axe_playwright_python.sync_playwright import Axe

WIDE, NARROW = (1366, 768), (375, 740)  # a projector, a telephone
LOOKS = [("light", "zh", WIDE), ("dark", "en", WIDE), ("dark", "zh", NARROW), ("light", "en", NARROW)]


def faults_of(page, key: str) -> list[tuple[str, str, str]]:
    """What axe finds wrong inside the picture of this key: rule, element, why."""
    found = Axe().run(page, context={"include": [f".st-key-{key}"]}).response["violations"]
    inside = [(rule["id"], node) for rule in found for node in rule["nodes"] if isinstance(node["target"][0], list)]  # a path
    return [(name, node["html"], node["failureSummary"]) for name, node in inside]
