"""How fast, on this machine: our plain and speculative decoding beside transformers' own, same weights and prompts."""

from __future__ import annotations

import importlib.metadata
import platform
from dataclasses import replace
from pathlib import Path
from statistics import median

from specviz.engine import fetching, pairs, references
from specviz.errors import BadInput
from specviz.settings import Settings

summary = "Measure tokens a second, α, c and v, beside transformers' plain and assisted generation."
example = "bench --pair poem --gamma 2,3,4"
PACKAGES = ("torch", "transformers", "streamlit", "numpy")


def arguments(parser) -> None:
    parser.add_argument("--pair", default="poem", help="a pair of the catalogue")
    parser.add_argument("--prompts", metavar="FILE", help="one prompt a line; the pair's held-out openings if left out")
    parser.add_argument("--gamma", default="2,3,4,5", help="guesses a round; the best of several is compared")
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--max-new-tokens", type=int, default=64)
    parser.add_argument("--most", type=int, default=24, help="how many prompts")
    parser.add_argument("--seed", type=int, default=0)


def run(arguments) -> dict:
    try:
        gammas = [int(part) for part in arguments.gamma.split(",")]
    except ValueError:
        raise BadInput("bad_words", why=f"--gamma {arguments.gamma}") from None
    base = Settings(max(gammas), arguments.temperature, max_new_tokens=arguments.max_new_tokens, seed=arguments.seed)
    for gamma in gammas:
        if gamma < 1:
            raise BadInput("out_of_range", name="gamma", value=gamma, low=1, high=32)
    named = references.parse_pair(arguments.pair)
    if named.draft is None:
        raise BadInput("no_draft")
    fetching.here(named)
    pair = pairs.load(arguments.pair)
    prompts = _prompts(arguments)[: max(1, arguments.most)]
    result = measured(pair, prompts, base, gammas)
    if not arguments.json:
        _print(result)
    return result


def measured(pair, prompts, base, gammas) -> dict:
    from specviz.engine import measure

    writing_once = prompts[:2]
    measure.race(pair, writing_once, base)  # warm-up
    races = {gamma: measure.race(pair, prompts, replace(base, gamma=gamma)) for gamma in gammas}
    if any(race["alpha"] is None for race in races.values()):
        raise BadInput("nothing_guessed")
    cost = measure.costs(pair, gammas)
    best = max(gammas, key=lambda gamma: median(races[gamma]["speculative"]))
    ours, settings = races[best], replace(base, gamma=best)
    named = references.parse_pair(pair.name).references
    folders = {side: str(model.path) for side, model in zip(("target", "draft"), named, strict=True)}
    speeds = {
        "plain": ours["plain"],
        "speculative": ours["speculative"],
        "transformers plain": measure.transformers_race(folders, prompts, settings, None),
        "transformers assisted, equal γ": measure.transformers_race(folders, prompts, settings, "equal"),
        "transformers assisted, default": measure.transformers_race(folders, prompts, settings, "default"),
    }

    def ratio(one, other):
        return median(a / b for a, b in zip(speeds[one], speeds[other], strict=True))

    speedup = ratio("speculative", "plain")
    pairwise = [a / b for a, b in zip(ours["speculative"], ours["plain"], strict=True)]
    predicted = ours["tokens_per_round"] / (best * cost["c"] + cost["v"][best + 1])
    return {
        "machine": {**measure.machine(), "system": platform.platform()},
        "versions": {name: importlib.metadata.version(name) for name in PACKAGES} | {"python": platform.python_version()},
        "pair": pair.name,
        "prompts": len(prompts),
        "temperature": base.temperature,
        "gamma": best,
        "alpha": ours["alpha"],
        "c": cost["c"],
        "v": cost["v"],
        "target_ms": cost["target_ms"],
        "draft_ms": cost["draft_ms"],
        "tokens_per_round": ours["tokens_per_round"],
        "outside_forwards": median(ours["outside_forwards"]),
        "verdict": verdict(best, measure.spread(pairwise)),
        "by_gamma": {g: {"median": median(r["speculative"]), "alpha": r["alpha"]} for g, r in races.items()},
        "rows": [{"name": name, "tokens_per_s": measure.spread(values)} for name, values in speeds.items()],
        "ratios": {
            "speculative_over_plain": speedup,
            "speculative_over_assisted": ratio("speculative", "transformers assisted, equal γ"),
            "speculative_over_assisted_default": ratio("speculative", "transformers assisted, default"),
            "speculative_over_transformers_plain": ratio("speculative", "transformers plain"),
            "plain_over_transformers_plain": ratio("plain", "transformers plain"),
            "predicted": predicted,
            "efficiency": speedup / predicted,
        },
    }


def verdict(gamma: int, spread: dict) -> dict:
    """{"pays", "says"}: whether speculation is faster here, in one sentence. spread: quartiles of the speed-up, prompt by
    prompt."""
    q1, middle, q3 = (spread[name] for name in ("q1", "median", "q3"))
    figures = f"{middle:.2f} times plain decoding at γ = {gamma} (quartiles over the prompts {q1:.2f} to {q3:.2f})"
    if middle <= 1:
        return {"pays": False, "says": f"Speculation does not pay here: {figures}; leave the draft out."}
    doubt = "" if q1 > 1 else ", though not on every prompt"
    return {"pays": True, "says": f"Speculation pays here: {figures}{doubt}."}


def _prompts(arguments) -> list[str]:
    path = Path(arguments.prompts) if arguments.prompts else pairs.WEIGHTS / arguments.pair / "openings.txt"
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise BadInput("no_file", path=path) from None
    prompts = [line.strip() for line in lines if line.strip()]
    if not prompts:
        raise BadInput("empty_prompt")
    return prompts


def _print(result) -> None:
    machine = result["machine"]
    print(result["verdict"]["says"])
    print(f"{result['pair']}, T = {result['temperature']}, {result['prompts']} prompts, best γ = {result['gamma']}")
    print(f"{machine['cpu']}, {machine['cores']} cores, torch {result['versions']['torch']}")
    for row in result["rows"]:
        s = row["tokens_per_s"]
        print(f"  {row['name']:32} {s['median']:7.1f} tokens/s   ({s['q1']:.1f} to {s['q3']:.1f})")
    v = " ".join(f"v({k})={x:.2f}" for k, x in result["v"].items())
    print(f"  target {result['target_ms']:.2f} ms, draft {result['draft_ms']:.2f} ms, c = {result['c']:.3f}, {v}")
    print(f"  α = {result['alpha']:.3f}, tokens a round {result['tokens_per_round']:.2f}, "
          f"outside the forwards {100 * result['outside_forwards']:.1f} %")  # fmt: skip
    for name, value in result["ratios"].items():
        print(f"  {name:38} {value:5.2f}")
