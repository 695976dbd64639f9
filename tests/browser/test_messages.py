"""What a picture has to tell the server does not overtake the answer to a press, which Streamlit would then forget."""

import pytest
from playwright.sync_api import expect
from streamlit.proto.BackMsg_pb2 import BackMsg

QUIET = 400  # milliseconds after the answer to a press in which nothing may follow it
PRESSED = 'node => { node.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, composed: true })); node.click(); }'
PICTURES = {"roofline": "bottleneck", "player": "round", "bars": "rule", "speedup": "speedup"}


def told(frame) -> list[str] | None:
    """What a message tells: triggers by their keys, and pictures by theirs; None for one that is no rerun of the page."""
    message = BackMsg()
    message.ParseFromString(frame)
    asked = message.rerun_script
    if message.WhichOneof("type") != "rerun_script" or asked.fragment_id:
        return None
    return [key_of(widget) for widget in asked.widget_states.widgets if widget.trigger_value or widget.json_value]


def messages(sent) -> list[list[str]]:
    return [one for one in sent if one is not None]


def key_of(widget) -> str:
    return widget.id.rpartition("-")[2]


@pytest.mark.parametrize("name", PICTURES)
def test_what_a_picture_has_to_tell_waits_until_a_press_is_answered(name, new_page, server):
    page, sent = new_page(), []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(told(frame))))
    page.goto(f"{server.url}/{PICTURES[name]}?lang=en&pair=poem")
    picture = page.locator(f'[data-specviz="{name}"]').first
    picture.wait_for(timeout=60_000)
    other = page.get_by_test_id("stButton").get_by_text("中文")
    other.wait_for()
    page.wait_for_timeout(1500)  # until the picture has shown what it begins with
    del sent[:]
    picture.press("PageDown")
    other.evaluate(PRESSED)  # at once, before the picture has told what it has to tell
    expect(page.locator('[data-testid="stButton"]', has_text="English")).to_be_visible()
    page.wait_for_timeout(QUIET)
    assert len(messages(sent)) == 1 and "language" in messages(sent)[0]
    page.wait_for_timeout(1500)
    assert len(messages(sent)) == 2 and not page.faults  # and then it is told
