"""Write a text speculatively and print it as it comes, each token marked by where it came from."""

from __future__ import annotations

import os
import sys

from specviz.engine import fetching, pairs, references
from specviz.engine.drafters import CODES, KINDS
from specviz.errors import BadInput
from specviz.locale import of_environment, say
from specviz.settings import KNOBS, Settings
from specviz.trace import Trace

summary = "Continue a prompt: the draft guesses, the target verifies and fixes."
example = "generate --pair poem --prompt 床前明月光，疑是地上霜。举头望明月 --gamma 4 --seed 1570"

# accepted guess, fix after a rejection, the target's own free token (first and bonus)
_COLOURS = {"accepted": "\033[36m", "residual": "\033[32;1m", "first": "\033[34m", "bonus": "\033[34m"}
_BRACKETS = {"accepted": "{}", "residual": "[{}]", "first": "({})", "bonus": "({})"}
_LEGEND = ("accepted", "residual", "bonus")


def add_pair(parser) -> None:
    """The arguments that choose a pair; other verbs use them too."""
    parser.add_argument("--pair", help="a pair of the catalogue, such as poem, or TARGET|DRAFT")
    parser.add_argument(
        "--target", help="the target: a bundled name such as poem/target, a model folder, a .gguf file, a hub id"
    )
    parser.add_argument("--draft", help="the draft: likewise")
    add_device(parser)


def add_device(parser) -> None:
    """The arguments that say where models run, and in what precision."""
    parser.add_argument("--device", default="auto", choices=pairs.DEVICES)
    parser.add_argument("--dtype", default="auto", choices=pairs.DTYPES)


def add_drafter(parser, default: str | None = "model") -> None:
    """The arguments that choose who guesses, and how; without a default it is for the verb to choose."""
    own = " (the draft, or lookup where a pair has none)" if default is None else ""
    parser.add_argument("--drafter", default=default, help=f"who guesses: {', '.join(CODES)}{own}")
    parser.add_argument("--n", type=int, default=0, help="lookup: tokens of the longest match (8); ngram: 1 or 2 (2)")
    parser.add_argument("--layers", type=int, default=0, help="early-exit: after how many layers (a third of them)")
    parser.add_argument("--bits", type=int, default=0, help="quantised: 8 or 4 (8)")
    parser.add_argument("--of", default="", help="quantised: draft or target, whose weights (the draft's, if there is one)")


def knobs(arguments) -> dict:
    """What `Settings` calls these; BadInput for one that whoever guesses does not listen to."""
    given = {name: getattr(arguments, name) for name in KNOBS}
    who = arguments.drafter or "model"
    for name in [name for name, value in given.items() if value and who in KINDS and name not in KINDS[who].knobs]:
        listen = ", ".join(code for code, kind in KINDS.items() if name in kind.knobs)
        raise BadInput("deaf", name=f"--{name}", drafter=who, listen=listen)
    return given


def load_pair(arguments) -> pairs.Pair:
    if arguments.pair and (arguments.target or arguments.draft):
        raise BadInput("two_choices")
    if not arguments.pair and not arguments.target:
        raise BadInput("no_target")
    named = references.parse_pair(arguments.pair) if arguments.pair else references.of(arguments.target, arguments.draft)
    fetching.here(named)
    return pairs.load(arguments.pair, arguments.target, arguments.draft, arguments.device, arguments.dtype)


def arguments(parser) -> None:
    add_pair(parser)
    parser.add_argument("--prompt", required=True)
    parser.add_argument("--gamma", type=int, default=4, help="guesses a round; 0 is plain decoding")
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--top-k", type=int, default=0, help="0 is off")
    parser.add_argument("--top-p", type=float, default=1.0)
    parser.add_argument("--max-new-tokens", type=int, default=48)
    parser.add_argument("--stop", action="append", default=[], metavar="TEXT", help="end before this text; repeatable")
    parser.add_argument("--seed", type=int, default=0)
    add_drafter(parser)
    parser.add_argument("--chat", action="store_true", help="send the prompt as a chat message")


def run(arguments) -> dict:
    settings = Settings(
        arguments.gamma,
        arguments.temperature,
        arguments.top_k,
        arguments.top_p,
        arguments.max_new_tokens,
        arguments.seed,
        tuple(arguments.stop),
        arguments.drafter,
        arguments.chat,
        **knobs(arguments),
    )
    pair = load_pair(arguments)
    from specviz.engine.writing import write

    printer = None if arguments.json else _Printer(arguments.prompt, plain=settings.gamma == 0)
    trace = None
    for trace in write(pair, arguments.prompt, settings):
        if printer:
            printer.show(trace)
    if printer:
        printer.end(trace)
        printer.note(trace)
    return trace.to_json()


class _Printer:
    """Prints what is new in a growing trace; colours on a terminal, brackets elsewhere."""

    def __init__(self, prompt: str, plain: bool):
        self.colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        self.prompt, self.plain, self.rounds, self.printed, self.reader = prompt, plain, 0, 0, of_environment()

    def show(self, trace: Trace) -> None:
        if not trace.rounds:
            chat = "\n\n" if trace.settings.get("chat") else ""  # an answer does not go on in the question's line
            print(self.prompt + chat, end="")  # not before the first token: until then the input may still be refused
            self._token(trace.first, trace.first.kind)
        for finished in trace.rounds[self.rounds :]:
            for guess in finished.draft:
                if guess.verdict == "accepted":
                    self._token(guess, "accepted")
            if finished.fix:
                self._token(finished.fix, finished.fix.kind)
        if self.plain:  # every token is the target's own: nothing to tell apart
            print(trace.text[self.printed :], end="")
            self.printed = max(self.printed, len(trace.text))
        self.rounds = len(trace.rounds)
        sys.stdout.flush()

    def _token(self, token, kind):
        if not token.special and not self.plain:
            print(self._marked(token.text, kind), end="")

    def _marked(self, text, kind) -> str:
        return f"{_COLOURS[kind]}{text}\033[0m" if self.colour else _BRACKETS[kind].format(text)

    def _say(self, key, **facts) -> str:
        return say(self.reader, f"generate.{key}", **facts)

    def end(self, trace: Trace) -> None:
        ended = self._say(f"ended_{trace.finish_reason}")
        if self.plain:
            print("\n\n" + self._say("plain", tokens=len(trace.output_ids), ended=ended))
            return
        s = trace.summary
        print("\n\n" + " · ".join(self._marked(self._say(kind), kind) for kind in _LEGEND))
        alpha = "–" if s["alpha"] is None else f"{s['alpha']:.2f}"
        rate = "–" if s["tokens_per_round"] is None else f"{s['tokens_per_round']:.2f}"
        print(self._say("summary", rounds=s["rounds"], rate=rate, alpha=alpha, ended=ended))

    def note(self, trace: Trace) -> None:
        """What was not perfect, beside the text and not in it."""
        sys.stdout.flush()
        for note in trace.notes if sys.stderr is not None else ():
            print(say(self.reader, f"notes.{note['code']}", **note), file=sys.stderr)
