"""`law`: a student's own rule on trial, and its faults in one line."""

import json

import pytest

from specviz.__main__ import main

RULES = r"""
import functools, sys
def rule(p, q, chance):
    print("I was here")
    return chance.draw(p)
class Faulty:
    def __call__(self, p, q, chance):
        raise ValueError("one line\nand another")
callable_object, partial, number = Faulty(), functools.partial(Faulty()), 3
class Mute(Exception):
    def __str__(self):
        raise RuntimeError
def mute(p, q, chance):
    raise Mute
def leaves(p, q, chance):
    sys.exit(3)
"""


def tried(tmp_path, name, content=RULES):
    (tmp_path / "mine.py").write_text(content)
    return main(["law", "--p=0.6,0.4", "--q=0.8,0.2", "--throws=5", f"--rule={tmp_path / 'mine.py'}:{name}", "--json"])


@pytest.mark.parametrize(
    "name, named",
    [
        ("callable_object", "ValueError: one line)"),
        ("partial", "ValueError"),
        ("number", "int"),
        ("mute", "Mute"),
        ("leaves", "SystemExit"),
        ("nothing", "nothing"),
    ],
)
def test_a_rule_that_does_not_work_is_one_line(tmp_path, capsys, name, named):
    assert tried(tmp_path, name) == 2
    out, err = capsys.readouterr()
    assert out == "" and len(err.splitlines()) == 1 and named in err and f"mine.py:{name}" in err


def test_a_file_that_leaves_is_a_rule_that_does_not_work(tmp_path, capsys):
    assert tried(tmp_path, "rule", "import sys\nsys.exit(0)") == 2
    out, err = capsys.readouterr()
    assert out == "" and "SystemExit" in err


def test_what_a_rule_prints_is_kept_apart_from_the_document(tmp_path, capsys):
    assert tried(tmp_path, "rule") == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["tv"] == 0 and set(err.splitlines()) == {"I was here"}
