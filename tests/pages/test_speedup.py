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
     ("mode", "nonsense"), ("row", "nonsense"), ("trap", "maybe"), ("device", "nonsense"), ("dtype", "fp7"), ("target", "5"),
     ("draft", "nan"), ("batch", "-1"), ("context", "1e9"), ("survival", "0.5,0.6"), ("survival", "0.5,2"),
     ("survival", "a"), ("survival", ",".join(["0.5"] * 21))],
)  # fmt: skip
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_broken_link_to_the_speed_up_is_one_sentence_and_a_page_that_works(name, bad, language):
    app = open_page("speedup", lang=language, **{name: bad})
    assert not app.exception and len(app.error) == 1
    assert name in app.error[0].value or name == "survival"
    assert state_of(app)["alpha"] == 0.8


def test_what_is_right_in_a_broken_link_stands_and_each_fault_is_named():
    app = open_page(
        "speedup", lang="en", alpha="nan", gamma="-3", c="0.11", s="0.02", mode="speed", device="nonsense", batch="8"
    )
    assert [error.value for error in app.error] == [
        "alpha is nan; it must lie between 0 and 1.  \ngamma is -3; it must lie between 0 and 20.",
        "device is “nonsense”; choose one of h100-sxm, h100-pcie, h200-sxm, a100-sxm-80gb, rtx-4090, m2-ultra, m4-max, this.",
    ]
    data = state_of(app)
    assert (data["alpha"], data["gamma"], data["c"], data["s"], data["mode"]) == (0.8, 4, 0.11, 0.02, "speed")
