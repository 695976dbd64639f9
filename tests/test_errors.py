"""What a reader is told: whole sentences, short enough to read, in both languages."""

import pytest

from specviz.errors import LONGEST, BadInput, check_limits
from specviz.locale import LANGUAGES, labels

both = pytest.mark.parametrize("language", LANGUAGES)


@both
@pytest.mark.parametrize("name", ["x" * 5000, 10**4000])
def test_a_name_without_end_is_quoted_by_its_two_ends(language, name):
    says = BadInput("no_device", device=name).sentence(language)
    quoted = str(name)[: LONGEST // 2] + "…"
    assert quoted in says and len(says) < len(labels(language)["errors"]["no_device"]) + LONGEST


@both
def test_what_can_be_read_is_quoted_whole(language):
    name = "/" + "x" * (LONGEST - 1)
    assert name in BadInput("no_model", ref=name).sentence(language)


@both
def test_a_path_that_is_shortened_keeps_its_file(language):
    assert "/model.gguf”" in BadInput("no_file", path="/" + "x" * 500 + "/model.gguf").sentence(language)


@both
def test_what_there_is_to_choose_from_stays_whole(language):
    known = ", ".join(f"pair-{n}" for n in range(100))
    assert known in BadInput("no_pair", name="x", known=known).sentence(language)


@both
@pytest.mark.parametrize("value, says", [(9.0, "9"), (10000.0, "10000"), (0.5, "0.5"), (1e30, "1e+30"), (float("nan"), "nan")])
def test_a_whole_number_is_written_whole(language, value, says):
    with pytest.raises(BadInput) as caught:
        check_limits({"task": (20.0, 40.0)}, task=value)
    told = caught.value.sentence(language)
    assert told == labels(language)["errors"]["out_of_range"].format(name="task", value=says, low="20", high="40")
