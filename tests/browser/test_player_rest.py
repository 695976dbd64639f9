"""The player at rest: whole pictures, with nothing cut and nothing over anything else."""

import pytest

from specviz import examples
from specviz.ui.components import source
from specviz.ui.components.player import PURE
from tests.browser.alone import mount, mount_again

SCRIPTS = source(*PURE)
ENGLISH = examples.opening("english")
TRACE, PLAIN = ENGLISH["trace"], ENGLISH["plain"]
STEPS = "(trace) => events(trace).map((event, i) => [i + 1, eventName(trace, event)])"


def stand(page, root, step):
    """Brings the picture to a whole step, and the row of cards to its place."""
    while int(root.get_attribute("data-step")) < step:
        root.press("ArrowRight")
    page.wait_for_timeout(80)


def test_a_page_left_in_the_middle_of_an_event_comes_back_to_a_whole_step(new_page):
    page = new_page()
    root = mount(page, TRACE, plain=PLAIN)
    root.locator('[data-do="speed"]').select_option("0.25")
    root.locator('[data-do="play"]').click()
    half = "(root) => [...root.querySelectorAll('.word')].some((word) => word.style.opacity > 0.2 && word.style.opacity < 0.8)"
    page.wait_for_function(f"(root) => ({half})(root)", arg=root.element_handle(), polling="raf")
    left = root.get_attribute("data-step")
    root = mount_again(page, TRACE, plain=PLAIN)
    assert root.get_attribute("data-step") == left and root.get_attribute("data-state") == "paused"
    root.focus()
    back = root.locator(".strip").screenshot()
    root.press("ArrowRight")
    assert root.locator(".strip").screenshot() != back
    root.press("ArrowLeft")
    assert root.locator(".strip").screenshot() == back


LABELS = """(root) => {
  const panel = root.querySelector(".panel").getBoundingClientRect(), view = root.getBoundingClientRect(), found = [];
  const cut = (name, box, room, edge) => {
    const across = box.left - edge >= room.left && box.right + edge <= room.right;
    const inside = across && box.top - edge >= room.top && box.bottom + edge <= room.bottom;
    if (!inside) found.push(name);
  };
  cut("panel", panel, view, 0);
  for (const node of root.querySelectorAll(".panel .chip, .panel .label")) {
    const framed = node.matches(".chip");
    cut(framed ? "frame" : node.textContent, node.getBoundingClientRect(), panel, framed ? 2 : 0);
  }
  for (const node of root.querySelectorAll(".panel .facts span")) cut(node.textContent, node.getBoundingClientRect(), panel, 0);
  for (const card of root.querySelectorAll(".card")) {
    const look = getComputedStyle(card);
    if (look.opacity === "0" || look.visibility === "hidden") continue;
    const box = card.getBoundingClientRect();
    if (box.left < view.left - 1 || box.right > view.right + 1) found.push(card.ariaLabel);
  }
  return found;
}"""
SIZES = """(root) => [...root.querySelectorAll(".panel .chart .chip")].map((chip) => {
  const label = chip.nextElementSibling;
  const title = label.closest("g g").parentNode.querySelector("title");
  return [parseFloat(getComputedStyle(label).fontSize), label.textContent, title.textContent];
})"""


@pytest.mark.parametrize("width", [1366, 900, 750, 700, 375, 320])
def test_an_opened_column_cuts_nothing_and_writes_its_labels_in_one_size(new_page, page, width):
    stops = [step for step, name in page.evaluate(STEPS, TRACE) if name in ("rejected", "residual")][:10]
    mine = new_page(width=width, reduced_motion="reduce")
    root = mount(mine, TRACE, plain=PLAIN)
    root.focus()
    assert stops
    for step in stops:
        stand(mine, root, step)
        assert root.evaluate(LABELS) == [], step
        labels = root.evaluate(SIZES)
        assert len({size for size, *_ in labels}) == 1 and labels[0][0] >= 11, labels
        for _, seen, whole in labels:
            start, dots, end = seen.partition("…")
            assert whole.startswith(f"{seen}:") or (dots and whole.startswith(start) and f"{end}: " in whole)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [1366, 750, 375])
def test_a_lane_s_label_has_its_room_at_every_count(new_page, width, language):
    page = new_page(width=width, reduced_motion="reduce")
    root = mount(page, TRACE, language=language, plain=PLAIN)
    page.add_style_tag(content="html { --st-font: monospace; }")  # whatever the letters' width
    page.wait_for_timeout(80)
    root.focus()
    field = root.evaluate("(root) => root.querySelector('.field').getBoundingClientRect().left")
    overlaps = """(root) => {
      const blocks = [...root.querySelectorAll(".field rect")].map((node) => node.getBoundingClientRect());
      return [...root.querySelectorAll(".tag span")].filter((node) => {
        const box = node.getBoundingClientRect(), before = node.previousElementSibling;
        const level = (other) => box.top < other.bottom && other.top < box.bottom;
        const over = (other) => level(other) && box.left < other.right + 4 && other.left < box.right + 4;
        return blocks.some(over) || (before && over(before.getBoundingClientRect()));
      }).map((node) => node.textContent);
    }"""
    for key in ("Home", "ArrowRight", "End"):
        root.press(key)
        assert root.evaluate(overlaps) == [], key
        assert root.evaluate("(root) => root.querySelector('.field').getBoundingClientRect().left") == field, "the lanes moved"
    assert len(root.locator(".upper .count").inner_text()) >= len("1 + 10")


def test_the_playhead_strikes_through_no_label(new_page):
    page = new_page(width=375, height=812)
    root = mount(page, TRACE, plain=PLAIN)
    for lane in ("upper", "lower"):
        box = root.locator(f".{lane} .name").bounding_box()
        clip = {
            "x": box["x"],
            "y": box["y"] + 1,
            "width": box["width"],
            "height": box["height"] - 2,
        }  # rows cut in half at its edge
        with_it = page.screenshot(clip=clip)
        root.locator(".playhead").evaluate("(node) => { node.style.opacity = 0; }")
        assert page.screenshot(clip=clip) == with_it, lane
        root.locator(".playhead").evaluate("(node) => { node.style.opacity = 1; }")
