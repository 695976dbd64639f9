"""The command line: `python -m specviz VERB`. Every verb has --json and --help; bad input is one line and exit 2."""

from __future__ import annotations

import argparse
import errno
import json
import os
import sys

from specviz.errors import BadInput
from specviz.locale import of_environment


class _Parser(argparse.ArgumentParser):
    """argparse, but what it objects to leaves by the same door as every other bad input."""

    def error(self, message):
        raise BadInput("bad_words", why=message)


def parser() -> argparse.ArgumentParser:
    from specviz.commands import VERBS

    top = _Parser(prog="python -m specviz", description="Speculative decoding by running it.")
    verbs = top.add_subparsers(dest="verb", required=True, metavar="VERB", parser_class=_Parser)
    for name, command in VERBS.items():
        sub = verbs.add_parser(
            name,
            help=command.summary,
            description=command.summary,
            epilog=f"example: python -m specviz {command.example}",
        )
        sub.add_argument("--json", action="store_true", help="print one JSON document and nothing else")
        command.arguments(sub)
        sub.set_defaults(run=command.run)
    return top


def main(words: list[str] | None = None) -> int:
    try:
        _open_streams()
        try:
            _answer(words)
        finally:
            sys.stdout.flush()  # here, where what goes wrong with it is still answered
    except BadInput as error:
        return _refuse(error)
    except BrokenPipeError:  # the reader of a pipe had enough
        _drop(sys.stdout)
    except OSError as error:
        _drop(sys.stdout)
        return _refuse(BadInput("io", why=error.strerror or type(error).__name__))
    except KeyboardInterrupt:
        return 130
    return 0


def _answer(words: list[str] | None) -> None:
    arguments = parser().parse_args(words)
    result = arguments.run(arguments)
    if arguments.json:
        print(json.dumps(result, ensure_ascii=False, allow_nan=False))


def _open_streams() -> None:
    """UTF-8 whatever the environment says, and no character that cannot be written: JSON has no other encoding."""
    if sys.stdout is None:
        raise BadInput("io", why=os.strerror(errno.EBADF))
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _refuse(error: BadInput) -> int:
    if sys.stderr is not None:
        try:
            print(" ".join(error.sentence(of_environment()).split()), file=sys.stderr, flush=True)
        except OSError:
            _drop(sys.stderr)
    return 2


def _drop(stream) -> None:
    """What is left unwritten goes nowhere, or the interpreter would try once more and complain on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    sys.exit(main())
