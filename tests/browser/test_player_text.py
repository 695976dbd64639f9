"""Tokens as people read them: words with their spaces, lines that end, right to left, halves of characters."""

from itertools import pairwise

import pytest

from specviz.ui.components import source
from specviz.ui.components.player import PURE
from tests.browser.alone import mount, snapshot
from tests.browser.looks import LOOKS

SCRIPTS = source(*PURE)
HEBREW = ["אור", " ויהי", " ok", " 12", " אור", "."]
CODE = [":\n", "    ", "return", " x", "\n\n\t", "pass"]
EMOJI = [" <0xF0><0x9F>", "<0x99>", " 🙂", "\ufffd", " ok", "\u200d"]


def token(id, text, **more):
    column = [id, text, 0.9, 0.5]
    marks = {"half": "<0x" in text, "special": text.startswith("<|")}
    return {"id": id, "text": text, "p": 0.9, "q": 0.5, "u": 0.4, "top": [column], "rest": None, **marks, **more}


def written(prompt, texts, **more):
    """A trace of one first token, and rounds of guesses that are all accepted but the last, which is a bonus."""
    first, *others = (token(i, text) for i, text in enumerate(texts))
    rounds = []
    for at in range(0, len(others), 3):
        *guesses, bonus = others[at : at + 3]
        draft = [{**guess, "verdict": "accepted"} for guess in guesses]
        ids = [t["id"] for t in (*guesses, bonus)]
        ms = {"draft": 1.0, "verify": 2.0, "rest": 0.1}
        rounds.append({"draft": draft, "fix": {**bonus, "kind": "bonus"}, "emitted": ids, "ms": ms})
    return {
        "schema": 1, "settings": {"gamma": 4, "temperature": 1.0}, "prompt": prompt, "first": {**first, "kind": "first"},
        "rounds": rounds, "finish_reason": "length", "text": "".join(texts), **more,
    }  # fmt: skip


LOOKED_AT = pytest.mark.parametrize(("theme", "language", "size"), LOOKS)


@pytest.fixture
def play(new_page):
    """A function that shows a trace at its last step."""

    def shown(trace, theme, language, size):
        page = new_page(*size, theme=theme)
        root = mount(page, trace, theme, language)
        root.focus()
        page.keyboard.press("End")
        page.locator('[data-specviz="player"][data-state="finished"]').wait_for()
        assert not page.faults
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the screen"
        return root

    return shown


def boxes(root, selector):
    """[text, x, y, width, height] of every element, in the order of the document, in pixels of the screen."""
    script = (
        "(all) => all.map((e) => [e.textContent, ...['x', 'y', 'width', 'height'].map((k) => e.getBoundingClientRect()[k])])"
    )
    return root.locator(selector).evaluate_all(script)


def lines(found):
    """The same, by line from top to bottom."""
    by_line = {}
    for text, x, y, wide, _ in found:
        by_line.setdefault(round(y), []).append((text, x, wide))
    return [by_line[y] for y in sorted(by_line)]


@LOOKED_AT
@pytest.mark.parametrize("prompt", ["בראשית ברא", "In the beginning", "起初"])
def test_right_to_left_tokens_stand_in_their_order_and_apart(play, prompt, theme, language, size):
    root = play(written(prompt, HEBREW), theme, language, size)
    way = -1 if prompt[0] == "ב" else 1
    tiles = boxes(root, ".flow > .tile")
    assert [text for text, *_ in tiles] == HEBREW
    for line in lines(tiles):
        for (_, a, a_wide), (_, b, b_wide) in pairwise(line):
            assert b >= a + a_wide if way > 0 else b + b_wide <= a, "tiles overlap or change places"
    cards = [x for _, x, *_ in boxes(root, ".card")]
    assert cards == sorted(cards), "the row of guesses runs with time, whatever is written"


@LOOKED_AT
def test_a_line_that_ends_in_the_text_ends_on_screen_and_is_seen_in_its_token(play, theme, language, size):
    root = play(written("if x", CODE), theme, language, size)
    rows = [[text for text, *_ in line] for line in lines([b for b in boxes(root, ".flow > .tile") if b[3] > 0])]
    assert rows == [[":↵"], ["    ", "return", " x", "↵↵"], ["    ", "pass"]]
    left = boxes(root, ".flow")[0][1]
    assert all(line[0][1] - left < 6 for line in lines([b for b in boxes(root, ".flow > .tile") if b[3] > 0])[1:])
    # The last line is in view.
    text, last = boxes(root, ".text")[0], boxes(root, ".flow > .tile")[-1]
    assert text[2] <= last[2] + 1 and last[2] + last[4] <= text[2] + text[4] + 1


@LOOKED_AT
def test_a_character_in_halves_shows_bytes_until_it_is_whole(play, theme, language, size):
    root = play(written("smile", EMOJI), theme, language, size)
    assert [text for text, *_ in boxes(root, ".flow > .tile")] == [*EMOJI[:-1], "U+200D"]


def test_guesses_show_halves_spaces_and_line_ends(new_page):
    page = new_page()
    root = mount(page, written("x", ["a", " <0xF0><0x9F>", "<0x99>", "\n\t"]))
    root.focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    page.locator('[data-specviz="player"][data-step="2"]').wait_for()
    assert [text for text, *_ in boxes(root, ".card .face:first-child .word")][:2] == ["⋅<0xF0><0x9F>", "<0x99>"]
    page.keyboard.press("End")
    root.locator(".flow > .tile").nth(3).click()
    page.locator(".apart .label").first.wait_for()
    assert boxes(root, ".apart .label")[0][0] == "↵⇥"


@LOOKED_AT
def test_a_chat_shows_its_control_tokens_as_such_and_the_message_as_typed(play, theme, language, size):
    texts = ["<|im_start|>", "user\n", "<|x", "|>", "<|im_end|>", "\n", "<|im_start|>", "assistant\n"]
    chat = {"settings": {"gamma": 4, "temperature": 1.0, "chat": True}, "prompt_texts": texts, "prompt_special": [0, 4, 6]}
    root = play(written("<|x|>", ["Hi", " you", ".", "<|im_end|>"], **chat), theme, language, size)
    assert root.locator(".prompt .control").all_inner_texts() == ["<|im_start|>", "<|im_end|>", "<|im_start|>"]
    assert root.locator(".prompt").inner_text() == "".join(texts)
    assert root.locator(".tile.control").all_inner_texts() == ["<|im_end|>"]


def test_a_prompt_without_a_chat_is_what_was_typed(new_page):
    special = {"prompt_texts": ["<s>", "a\n", "b"], "prompt_special": [0]}
    root = mount(new_page(), written("a\n  b", ["c"], **special))
    assert root.locator(".prompt").evaluate("(e) => e.textContent") == "a\n  b"
    assert root.locator(".control").count() == 0


def test_a_growing_text_keeps_its_lines(new_page):
    """Tiles are kept from snapshot to snapshot: a token that ends a line may take the place of one that does not."""
    page = new_page()
    root = mount(page, written("a", ["b\n  ", "c"]))
    assert len(lines(boxes(root, ".flow > .tile"))) == 2
    page.evaluate("(data) => window.show(data)", {**snapshot(written("a", ["b", "c\n"])), "trace_id": "other"})
    assert [text for text, *_ in boxes(root, ".flow > .tile")] == ["b", "c↵", ""]
    page.evaluate("(data) => window.show(data)", {**snapshot(written("a", ["b"])), "trace_id": "third"})
    assert root.locator(".flow br").count() == 0


SEEN = [
    (" the", "⋅the"), ("\r\n", "↵"), ("\r", "␍"), ("\t", "⇥"), ("\u3000月", "□月"), ("\u00a0", "⍽"), ("\x00\x7f", "␀␡"),
    ("\u200d", "U+200D"), ("👩\u200d👩", "👩\u200d👩"), ("\u200e", "U+200E"), ("a\u202eb", "aU+202Eb"), ("\ufeff", "U+FEFF"),
    ("\u0301", "◌\u0301"), ("\ufe0f", "U+FE0F"), ("\ufffd", "\ufffd"), ("של", "\u2068של\u2069"), ("", "end"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "seen"), SEEN)
def test_whatever_has_no_ink_is_seen(page, text, seen):
    assert page.evaluate("(text) => shown(text, 'end')", text) == seen


@pytest.mark.parametrize(
    ("text", "way", "letters"),
    [("", "ltr", False), ("12 של", "rtl", True), ("a של", "ltr", True), ("月光", "ltr", False), ("月光 moon", "ltr", True),
     ("举头望明月 ok", "ltr", False), ("مرحبا", "rtl", True), ("한국어", "ltr", False)],
)  # fmt: skip
def test_the_prompt_tells_which_way_and_in_what_letters(page, text, way, letters):
    assert page.evaluate("(text) => [directionOf(text), isAlphabetic(text)]", text) == [way, letters]
