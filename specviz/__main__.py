"""The command line: `python -m specviz VERB`. Every verb has --json and --help; bad input is one line and exit 2."""

from __future__ import annotations

import argparse
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
        arguments = parser().parse_args(words)
        result = arguments.run(arguments)
        if arguments.json:
            print(json.dumps(result, ensure_ascii=False, allow_nan=False))
    except BadInput as error:
        print(" ".join(error.sentence(of_environment()).split()), file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of a pipe had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
