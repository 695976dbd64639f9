"""Whether a draft can guess for a target, and if not, at which token they part."""

from __future__ import annotations

from specviz.engine import fetching, references
from specviz.locale import of_environment, say

summary = "Compare a target and a draft, token by token, without loading them: pass, pass-with-padding or refuse."
example = "check --target poem/target --draft poem/draft"
_SIGN = {"refuse": "✗", "padding": "≈", "note": "·"}


def arguments(parser) -> None:
    named = "a bundled name such as poem/target, a model folder, a .gguf file, a hub id"
    parser.add_argument("--target", required=True, help=named)
    parser.add_argument("--draft", required=True, help="likewise")


def run(arguments) -> dict:
    models = [references.parse(text) for text in (arguments.target, arguments.draft)]
    for model in models:
        fetching.here(model, weights=False)
    from specviz.engine import compatibility

    found = compatibility.report(*models)
    if not arguments.json:
        _print(found)
    return found.to_json()


def _print(found) -> None:
    reader = of_environment()
    print(say(reader, f"check.{found.verdict.replace('-', '_')}"))
    for reason in found.reasons:
        print(f"  {_SIGN[reason.level]} {reason.sentence(reader)}")
    if found.verdict == "refuse":
        for side in ("target", "draft"):
            print(f"  {say(reader, f'check.cut_{side}')}  {'|'.join(found.sample[side])}")
