"""The catalogue: size, licence, origin, whether it is on this machine, and whether it fits here."""

from __future__ import annotations

from specviz import amounts
from specviz.engine import catalogue, memory
from specviz.errors import check_limits
from specviz.locale import of_environment, say
from specviz.roofline import LIMITS

summary = "List the pairs of models that specviz knows by name, and the memory they take."
example = "pairs --context 4096 --json"


def arguments(parser) -> None:
    parser.add_argument("--context", type=int, default=catalogue.CONTEXT, help="tokens whose keys and values are counted")


def run(arguments) -> list[dict]:
    check_limits(LIMITS, context=arguments.context)
    here = memory.room()
    rows = catalogue.listing(here.free, arguments.context)
    if not arguments.json:
        _print(rows, here)
    return rows


def _print(rows, here) -> None:
    reader = of_environment()
    print(say(reader, "pairs_list.here", device=here.device.upper(), free=amounts.size(here.free), dtype=here.dtype))
    for row in rows:
        sizes = " ← ".join(amounts.parameters(row[side]["parameters"]) for side in ("target", "draft") if row[side])
        words = ["ready" if row["ready"] else "absent", *(["untried"] if not row["tried"] else [])]
        words += ["gated"] if row["gated"] else []
        taken = "  ".join(
            f"{dtype} {amounts.size(needed['total'])} {'✓' if needed['fits'] else '✗'}"
            for dtype, needed in row["memory"].items()
        )
        told = say(reader, "pairs_list.comma").join(say(reader, f"pairs_list.{word}") for word in words)
        print(f"{row['name']:14} {sizes:16} {row['licence']:32} {told}")
        print(f"{'':14} {taken}   {row['origin']}")
