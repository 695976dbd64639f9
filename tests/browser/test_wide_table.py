"""A table that goes on beyond the edge says so, in every browser: by a shadow, without a script."""

from io import BytesIO

import pytest
from PIL import Image

from specviz.ui import frame
from specviz.ui.palette import THEMES

ROW = "<tr>" + "".join(f"<td>{n} tokens a second</td>" for n in range(12)) + "</tr>"


def edges(page):
    """How far the paper is from its own colour at the left and at the right edge of the table."""
    table = page.locator(".wide-table")
    picture = Image.open(BytesIO(table.screenshot())).convert("L")
    width, middle = picture.width, picture.height // 2
    paper = sorted(picture.tobytes())[-1] if picture.getpixel((width // 2, 6)) > 128 else sorted(picture.tobytes())[0]
    return [abs(picture.getpixel((x, middle)) - paper) for x in (1, width - 2)]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_shadow_stands_where_there_is_more(new_page, theme):
    page, paper = new_page(375, 740), THEMES[theme]["paper"]
    page.set_content(
        f"<style>{frame.look(theme)} body {{ background: {paper}; color: {THEMES[theme]['ink']} }}"
        f" .wide-table :is(th, td) {{ border: 0 }}</style><div class='wide-table'><table>{ROW * 3}</table></div>"
    )
    table = page.locator(".wide-table")
    left, right = edges(page)
    assert left < 4 and right > 25
    table.evaluate("(node) => { node.scrollLeft = 300; }")
    assert min(edges(page)) > 25
    table.evaluate("(node) => { node.scrollLeft = 9999; }")
    left, right = edges(page)
    assert left > 25 and right < 4
