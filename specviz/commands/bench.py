"""How fast, on this machine: our plain and speculative decoding beside transformers' own, same weights and prompts."""

from __future__ import annotations

import importlib.metadata
import platform
import subprocess
from dataclasses import replace
from pathlib import Path
from statistics import median

from specviz.commands.generate import add_device, add_drafter, knobs
from specviz.engine import fetching, pairs, references
from specviz.engine.drafters import offered
from specviz.errors import BadInput
from specviz.kinds import held_out, openings
from specviz.settings import Settings

summary = "Measure tokens a second, α, c and v, beside transformers' own generation."
example = "bench --pair poem --gamma 2,3,4"
PACKAGES = ("torch", "transformers", "streamlit", "numpy")


def arguments(parser) -> None:
    parser.add_argument("--pair", default="poem", help="a pair of the catalogue")
    add_device(parser)
    parser.add_argument("--prompts", metavar="FILE", help="one prompt a line; the pair's held-out openings if left out")
    parser.add_argument("--gamma", default="2,3,4,5", help="guesses a round; the best of several is compared")
    add_drafter(parser, default=None)
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--max-new-tokens", type=int, default=64)
    parser.add_argument("--most", type=int, default=24, help="how many prompts")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--profile", action="store_true", help="only where the time of a round goes, for every γ")


def run(arguments) -> dict:
    try:
        gammas = [int(part) for part in arguments.gamma.split(",")]
    except ValueError:
        raise BadInput("bad_words", why=f"--gamma {arguments.gamma}") from None
    for gamma in gammas:
        if gamma < 1:
            raise BadInput("out_of_range", name="gamma", value=gamma, low=1, high=32)
    named = references.parse_pair(arguments.pair)
    drafter = arguments.drafter or ("lookup" if named.draft is None else "model")
    if reason := offered(named).get(drafter):
        raise reason
    base = Settings(
        max(gammas),
        arguments.temperature,
        max_new_tokens=arguments.max_new_tokens,
        seed=arguments.seed,
        drafter=drafter,
        **knobs(arguments),
    )
    fetching.here(named)
    pair = pairs.load(arguments.pair, device=arguments.device, dtype=arguments.dtype)
    prompts = _prompts(arguments, drafter)[: max(1, arguments.most)]
    result = (profiled if arguments.profile else measured)(pair, prompts, base, gammas)
    if not arguments.json:
        (_print_profiles if arguments.profile else _print)(result)
    return result


def profiled(pair, prompts, base, gammas) -> dict:
    """{"pair", "drafter", "temperature", "profiles": [see engine.profile], and on what this was measured}."""
    from specviz.engine import measure
    from specviz.engine.profile import profile

    profile(pair, prompts[:2], base)  # warm-up
    profiles = [profile(pair, prompts, replace(base, gamma=gamma)) for gamma in gammas]
    if not any(found["rounds"] for found in profiles):
        raise BadInput("nothing_guessed")
    told = {"pair": pair.name, "drafter": base.drafter, "temperature": base.temperature, "prompts": len(prompts)}
    return {**_on_what(measure, pair, base), **told, "profiles": profiles}


def measured(pair, prompts, base, gammas) -> dict:
    from specviz.engine import measure
    from specviz.engine.profile import profile

    writing_once = prompts[:2]
    measure.race(pair, writing_once, base)  # warm-up
    races = {gamma: measure.race(pair, prompts, replace(base, gamma=gamma)) for gamma in gammas}
    if any(race["alpha"] is None for race in races.values()):
        raise BadInput("nothing_guessed")
    best = max(gammas, key=lambda gamma: median(races[gamma]["speculative"]))
    found, settings = races[best], replace(base, gamma=best)
    cost = measure.costs(pair, gammas, draft_ms=None if base.drafter == "model" else found["guess_ms"])
    named = references.parse_pair(pair.name).references
    folders = {side: str(model.path) for side, model in zip(("target", "draft"), named, strict=False)}
    contenders = {"plain": measure.ours(pair, replace(settings, gamma=0)), "speculative": measure.ours(pair, settings)}
    speeds = measure.in_turns(contenders | measure.transformers(folders, settings, pair.target), prompts)

    def pairwise(one, other):
        return [a / b for a, b in zip(speeds[one], speeds[other], strict=True)]

    def ratio(one, other):
        return median(pairwise(one, other)) if other in speeds else None

    speedup = ratio("speculative", "plain")
    predicted = found["tokens_per_round"] / (best * cost["c"] + cost["v"][best + 1])
    equal = "transformers prompt lookup, equal γ" if base.drafter == "lookup" else "transformers assisted, equal γ"
    return {
        **_on_what(measure, pair, settings),
        "pair": pair.name,
        "drafter": base.drafter,
        "prompts": len(prompts),
        "temperature": base.temperature,
        "gamma": best,
        "alpha": found["alpha"],
        "c": cost["c"],
        "v": cost["v"],
        "target_ms": cost["target_ms"],
        "draft_ms": cost["draft_ms"],
        "tokens_per_round": found["tokens_per_round"],
        "outside_forwards": median(found["outside_forwards"]),
        "trace": profile(pair, prompts, settings, whole=False)["share"].get("trace"),
        "verdict": verdict(best, measure.spread(pairwise("speculative", "plain"))),
        "by_gamma": {g: {"median": median(r["speculative"]), "alpha": r["alpha"]} for g, r in races.items()},
        "rows": [{"name": name, "tokens_per_s": measure.spread(values)} for name, values in speeds.items()],
        "ratios": {
            "speculative_over_plain": speedup,
            "speculative_over_assisted": ratio("speculative", equal),
            "speculative_over_assisted_default": ratio("speculative", "transformers assisted, default"),
            "speculative_over_transformers_plain": ratio("speculative", "transformers plain"),
            "plain_over_transformers_plain": ratio("plain", "transformers plain"),
            "predicted": predicted,
            "efficiency": speedup / predicted,
        },
    }


def _on_what(measure, pair, settings) -> dict:
    versions = {name: importlib.metadata.version(name) for name in PACKAGES} | {"python": platform.python_version()}
    machine = {**measure.machine(pair.target.device), "system": platform.platform()}
    told = {"device": pair.to_json()["device"], "dtype": pair.to_json()["dtype"], "path": measure.path(pair, settings)}
    return {"machine": machine, "versions": versions, "commit": _commit(), **told}


def _commit() -> str | None:
    """Which state of the sources this is, with -dirty where some were changed since; None outside a repository."""
    asked = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def verdict(gamma: int, spread: dict) -> dict:
    """{"pays", "says"}: whether speculation is faster here, in one sentence. spread: quartiles of the speed-up, prompt by
    prompt."""
    q1, middle, q3 = (spread[name] for name in ("q1", "median", "q3"))
    figures = f"{middle:.2f} times plain decoding at γ = {gamma} (quartiles over the prompts {q1:.2f} to {q3:.2f})"
    if middle <= 1:
        return {"pays": False, "says": f"Speculation does not pay here: {figures}; leave the draft out."}
    doubt = "" if q1 > 1 else ", though not on every prompt"
    return {"pays": True, "says": f"Speculation pays here: {figures}{doubt}."}


def _prompts(arguments, drafter: str) -> list[str]:
    """The lines of a file, or the held-out openings of the pair, its kinds taking turns; copied text, which is long and no
    measure of how well a draft guesses, for the lookup alone, and nothing else for that."""
    if arguments.prompts is None:
        texts_of = openings(arguments.pair) if drafter == "lookup" else held_out(arguments.pair) or openings(arguments.pair)
        copying = {"copied"} if drafter == "lookup" and "copied" in texts_of else set(texts_of) - {"copied"}
        kinds = [texts for kind, texts in texts_of.items() if kind in copying]
        return [prompt for turn in zip(*kinds, strict=False) for prompt in turn]
    try:
        lines = Path(arguments.prompts).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise BadInput("no_file", path=arguments.prompts) from None
    prompts = [line.strip() for line in lines if line.strip()]
    if not prompts:
        raise BadInput("no_prompts", path=arguments.prompts)
    return prompts


def _print(result) -> None:
    print(result["verdict"]["says"])
    print(f"{result['pair']}, T = {result['temperature']}, {result['prompts']} prompts, best γ = {result['gamma']}, "
          f"drafter {result['drafter']}")  # fmt: skip
    _print_on_what(result)
    for row in result["rows"]:
        s = row["tokens_per_s"]
        print(f"  {row['name']:36} {s['median']:7.1f} tokens/s   ({s['q1']:.1f} to {s['q3']:.1f})")
    v = " ".join(f"v({k})={x:.2f}" for k, x in result["v"].items())
    print(f"  target {result['target_ms']:.2f} ms, draft {result['draft_ms']:.2f} ms, c = {result['c']:.3f}, {v}")
    trace = "" if result["trace"] is None else f", of it the trace {100 * result['trace']:.1f} %"
    print(f"  α = {result['alpha']:.3f}, tokens a round {result['tokens_per_round']:.2f}, "
          f"outside the forwards {100 * result['outside_forwards']:.1f} %{trace}")  # fmt: skip
    for name, value in result["ratios"].items():
        if value is not None:
            print(f"  {name:42} {value:5.2f}")


def _print_profiles(result) -> None:
    print(f"{result['pair']}, T = {result['temperature']}, {result['prompts']} prompts, drafter {result['drafter']}")
    _print_on_what(result)
    for found in result["profiles"]:
        tokens = found["tokens_per_round"]
        print(f"γ = {found['gamma']}: {found['rounds']} whole rounds" + (f", {tokens:.2f} tokens each" if tokens else ""))
        for name, ms in found["ms"].items():
            print(f"  {name:20} {ms:8.3f} ms {100 * found['share'][name]:6.1f} %")


def _print_on_what(result) -> None:
    machine = result["machine"]
    where = machine.get("gpu") or f"{machine['cpu']}, {machine['cores']} cores"
    how = f"{result['dtype']}, {result['path']}, torch {result['versions']['torch']}"
    print(f"{where}, {how}, {result['commit'] or 'no commit'}")
