"""Put a rule on trial: its exact law for given p and q, throws from it, and the verdict."""

from __future__ import annotations

import importlib.util
import operator
import sys
import unicodedata
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

from specviz import court, gallery, rule
from specviz.errors import BadInput, check_limits
from specviz.locale import of_environment, say

summary = "Compute and throw what a rule emits for given p and q, and test it against p."
example = "law --p=0.6,0.4 --q=0.8,0.2 --rule speculative --throws 100000"
LIMITS = {"throws": (1, 10_000_000), "seed": (0, 2**63 - 1)}


def arguments(parser) -> None:
    parser.add_argument("--p", help="the target's distribution, numbers with commas")
    parser.add_argument("--q", help="the draft's distribution")
    parser.add_argument("--rule", default="speculative", help="a rule of the gallery, or FILE.py:FUNCTION of your own")
    parser.add_argument("--throws", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--list-rules", action="store_true", help="the gallery")


def run(arguments) -> dict | list[dict]:
    if arguments.list_rules:
        return _list(arguments)
    if arguments.p is None or arguments.q is None:
        raise BadInput("law_missing")
    check_limits(LIMITS, throws=arguments.throws, seed=arguments.seed)
    p, q = court.check(numbers("p", arguments.p), numbers("q", arguments.q))
    with redirect_stdout(sys.stderr):  # stdout is for what was found, not for what a student's file prints
        found = court.trial(find(arguments.rule), p, q, arguments.throws, arguments.seed)
    by_chance, band = court.tv_by_chance(p, arguments.throws)
    result = {
        "rule": arguments.rule,
        "alpha": rule.beta(p, q),
        "tv": found.tv,
        "law": found.law.tolist(),
        "throws": found.throws,
        "frequencies": found.frequencies.tolist(),
        "thrown_tv": rule.total_variation(found.frequencies, p),
        "tv_by_chance": by_chance,
        "tv_by_chance_99": band,
        "p_value": found.p_value,
        "convicted": found.convicted,
        "throws_to_convict": court.throws_to_convict(found.law, p),
    }
    if not arguments.json:
        _print(result, p)
    return result


def numbers(name: str, text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise BadInput("law_not_numbers", name=name) from None


def find(name: str):
    """A rule of the gallery by its name, or a function out of a file."""
    if name in gallery.RULES:
        return gallery.RULES[name].function
    path, _, function = name.partition(":")
    if not path.endswith(".py"):
        raise BadInput("no_rule", name=name, known=", ".join(gallery.RULES))
    spec = importlib.util.spec_from_file_location("student", path)
    module = importlib.util.module_from_spec(spec)
    with _faults_of(name):
        if not Path(path).is_file():
            raise FileNotFoundError(path)
        spec.loader.exec_module(module)
        found = getattr(module, function or "rule")
        if not callable(found):
            raise TypeError(f"it is of type {type(found).__name__}, which cannot be called")
    return _guarded(name, found)


@contextmanager
def _faults_of(name: str):
    """Whatever a student's rule raises, sys.exit() too, becomes one sentence."""
    try:
        yield
    except (BadInput, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise BadInput("broken_rule", name=name, why=_why(error)) from error


def _why(error: BaseException) -> str:
    """The kind of a fault and the first line of what it says, which may itself be broken."""
    try:
        said = str(error)
    except Exception:
        said = ""
    return f"{type(error).__name__}: {said}".splitlines()[0][:160].removesuffix(": ")


def _guarded(name: str, function):
    """The student's function, whose faults become one sentence."""

    def rule(p, q, chance):
        with _faults_of(name):
            token = function(p.copy(), q.copy(), chance)
            if token is None:
                return None
            if isinstance(token, bool) or not 0 <= operator.index(token) < len(p):
                raise IndexError(f"it returned {token}, which is no token")
            return operator.index(token)

    return rule


def _list(arguments):
    """The gallery; `says` is English in JSON, whose words are fixed, and in the reader's language on the terminal."""
    rows = [
        {"name": name, "lossless": entry.lossless, "kind": entry.kind, "says": say("en", f"gallery.{name}")}
        for name, entry in gallery.RULES.items()
    ]
    if not arguments.json:
        reader = of_environment()
        kinds = {row["kind"]: say(reader, f"law.kind_{row['kind']}") for row in rows}
        widest = max(_cells(kind) for kind in kinds.values())
        for row in rows:
            kind = kinds[row["kind"]]
            print(f"{row['name']:18} {kind}{' ' * (widest - _cells(kind))}  {say(reader, 'gallery.' + row['name'])}")
    return rows


def _print(result, p):
    def tell(key, **facts):
        print(say(reader, f"law.{key}", **facts))

    reader = of_environment()
    tell("tried", rule=result["rule"], beta=f"{result['alpha']:.6g}", throws=f"{result['throws']:,}")
    heads = ["p", say(reader, "law.exact"), say(reader, "law.thrown")]
    print(" ".join(["", *(" " * (12 - _cells(head)) + head for head in heads)]))
    for target, law, thrown in zip(p, result["law"], result["frequencies"], strict=True):
        print(f" {target:12.6f} {law:12.6f} {thrown:12.6f}")
    tell("distances", exact=f"{result['tv']:.3g}", thrown=f"{result['thrown_tv']:.3g}", chance=f"{result['tv_by_chance']:.3g}")
    tell("guilty" if result["convicted"] else "innocent", p_value=f"{result['p_value']:.3g}")
    if result["throws_to_convict"]:
        tell("needed", throws=f"{result['throws_to_convict']:,}")


def _cells(text: str) -> int:
    """How many columns of a terminal a text takes: a Chinese character takes two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
