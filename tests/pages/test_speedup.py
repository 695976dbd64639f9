"""The speed-up as a page: what a link carries, and what a broken one is answered with."""

import pytest

from tests.pages.app import open_page, state_of


def test_a_link_to_the_speed_up_carries_the_whole_picture():
    app = open_page(
        "speedup", lang="en", alpha="0.7", gamma="6", c="0.11", s="0.02", mode="papers", row="ende-large-0", trap="1",
        survival="0.9,0.5,0.5", task="2",
    )  # fmt: skip
    data = state_of(app)
    assert (data["alpha"], data["gamma"], data["c"], data["s"]) == (0.7, 6, 0.11, 0.02)
    assert (data["mode"], data["row"], data["trap"], data["task"]) == ("papers", "ende-large-0", True, 2)
    assert data["survival"] == [0.9, 0.5, 0.5] and data["preset"] is None


def test_the_speed_up_opens_with_the_sum_of_a_recorded_run():
    data = state_of(open_page("speedup", lang="en"))
    preset = data["presets"][0]
    assert data["mode"] is None and data["preset"] == preset["code"] == "recorded" and data["survival"] == preset["survival"]
    assert 1 + sum(preset["survival"]) == pytest.approx(preset["tokens"] / preset["rounds"])
    assert {table["name"] for table in data["tables"]} == {"t5", "ideal", "alphas", "lenience", "chinchilla"}


@pytest.mark.parametrize(
    "name, bad",
    [("alpha", "1.2"), ("alpha", "x"), ("gamma", "30"), ("gamma", "2.5"), ("c", "-1"), ("s", "nan"), ("task", "4"),
     ("survival", "0.5,0.6"), ("survival", "0.5,2"), ("survival", "a"), ("survival", ",".join(["0.5"] * 21))],
)  # fmt: skip
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_broken_link_to_the_speed_up_is_one_sentence_and_a_page_that_works(name, bad, language):
    app = open_page("speedup", lang=language, **{name: bad})
    assert not app.exception and len(app.error) == 1
    assert state_of(app)["alpha"] == 0.8
