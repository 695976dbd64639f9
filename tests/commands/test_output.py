"""What every verb keeps to: one JSON document or words in the reader's language, never a traceback."""

import json
import os
import re
import subprocess
import sys

import pytest

from specviz.__main__ import main
from specviz.commands import VERBS
from tests.commands.asked import CHINESE, shell, words


@pytest.mark.parametrize("language", ["en_GB.UTF-8", "zh_CN.UTF-8"])
@pytest.mark.parametrize(
    "of_the_reader",
    [
        ("law", "--p=0.6,0.4", "--q=0.8,0.2", "--throws", "2000"),
        ("law", "--p=0.6,0.4", "--q=0.8,0.2", "--throws", "2000", "--rule", "half"),
        ("law", "--list-rules"),
        ("generate", "--prompt", "moon", "--max-new-tokens", "9"),
        ("generate", "--prompt", "moon", "--max-new-tokens", "9", "--gamma", "0"),
    ],
)
def test_what_a_person_reads_is_in_their_language(pair_folder, capsys, monkeypatch, language, of_the_reader):
    monkeypatch.setenv("LC_ALL", language)
    verb, *rest = of_the_reader
    assert main(words(pair_folder, *rest) if verb == "generate" else [verb, *rest]) == 0
    out = capsys.readouterr().out
    assert bool(CHINESE.search(out)) == language.startswith("zh")
    if language.startswith("zh"):
        prose = re.sub(r"moon.*\n|^[a-z-]+|\b(TV|G|x|y|p|q|l|min|softmax|Medusa|r|half|speculative)\b", "", out, flags=re.M)
        assert not re.search("[a-z]{3}", prose), prose


@pytest.mark.parametrize("language", ["en_GB.UTF-8", "zh_CN.UTF-8"])
def test_json_is_the_same_whoever_reads_it(capsys, monkeypatch, language):
    monkeypatch.setenv("LC_ALL", language)
    assert main(["law", "--list-rules", "--json"]) == 0
    assert not CHINESE.search(capsys.readouterr().out)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_helps_with_an_example(verb, capsys):
    with pytest.raises(SystemExit) as done:
        main([verb, "--help"])
    assert done.value.code == 0 and "example: python -m specviz " + verb in capsys.readouterr().out.replace("\n", " ")


def test_stdout_holds_the_document_and_nothing_else(pair_folder):
    command = [sys.executable, "-m", "specviz", *words(pair_folder, "--prompt", "moon", "--max-new-tokens", "5", "--json")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONWARNINGS": "ignore"})
    json.loads(done.stdout)
    assert "Traceback" not in done.stderr and "Loading" not in done.stderr


@pytest.mark.parametrize(
    "line",
    ["P pairs >&-", "P pairs --json >&-", "P pairs >/dev/full", "P law --list-rules --json >/dev/full", "P --help >/dev/full"],
)
def test_an_output_that_cannot_be_written_is_one_line(line):
    status, _, err = shell(line)
    assert status == 2 and len(err.splitlines()) == 1 and "failed" in err


@pytest.mark.parametrize("line", ["P nope 2>&-", "P nope 2>/dev/full"])
def test_where_no_sentence_can_be_written_the_status_still_tells(line):
    assert shell(line) == (2, b"", "")


def test_a_reader_who_had_enough_is_no_fault():
    assert shell("P pairs --json | true") == (0, b"", "")


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-16"])
def test_the_output_is_utf_8_whatever_the_environment_says(encoding):
    for line in ("P pairs --json", "P law --list-rules --json"):
        status, out, err = shell(line, PYTHONIOENCODING=encoding)
        assert status == 0 and err == "" and json.loads(out.decode("utf-8"))
    status, out, _ = shell("P pairs", PYTHONIOENCODING=encoding)
    assert status == 0 and "←" in out.decode("utf-8")
