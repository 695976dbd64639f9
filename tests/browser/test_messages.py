"""What a picture has to tell the server does not overtake the answer to a press, which Streamlit would then forget."""

import time

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

QUIET = 0.5  # seconds after a press in which nothing may follow it; the picture itself would wait 0.15 to 0.3
# Both at once, before the picture has told what it has to tell.
PRESSED = """root => {
  root.dispatchEvent(new KeyboardEvent("keydown", { key: "PageDown", bubbles: true, composed: true }));
  const other = document.querySelector(".st-key-language button");
  other.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, composed: true }));
  other.click();
}"""
PICTURES = {"roofline": "bottleneck", "player": "round", "bars": "rule", "speedup": "speedup"}


def told(frame) -> list[str] | None:
    """What a message tells: triggers by their keys, and pictures by theirs; None for one that is no rerun of the page."""
    message = BackMsg()
    message.ParseFromString(frame)
    asked = message.rerun_script
    if message.WhichOneof("type") != "rerun_script" or asked.fragment_id:
        return None
    return [key_of(widget) for widget in asked.widget_states.widgets if widget.trigger_value or widget.json_value]


def messages(sent) -> list[tuple[float, list[str]]]:
    return [(when, keys) for when, keys in sent if keys is not None]


def key_of(widget) -> str:
    return widget.id.rpartition("-")[2]


@pytest.mark.parametrize("name", PICTURES)
def test_what_a_picture_has_to_tell_waits_until_a_press_is_answered(name, new_page, server):
    page, sent = new_page(), []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append((time.monotonic(), told(frame)))))
    page.goto(f"{server.url}/{PICTURES[name]}?lang=en&pair=poem")
    picture = page.locator(f'[data-specviz="{name}"]').first
    picture.wait_for(timeout=60_000)
    page.get_by_test_id("stButton").get_by_text("中文").wait_for()
    page.wait_for_timeout(1500)  # until the picture has shown what it begins with
    del sent[:]
    picture.evaluate(PRESSED)
    page.locator('[data-testid="stButton"]', has_text="English").wait_for()
    for _ in range(100):  # until what the reader did to the picture is told
        page.wait_for_timeout(100)
        if len(messages(sent)) > 1:
            break
    (pressed, first), (later, second) = messages(sent)
    assert "language" in first and "language" not in second and later - pressed > QUIET and not page.faults
