"""What this machine and these models really do: times of a pass, acceptance, and the race against plain decoding."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

import numpy as np
import torch

from specviz import roofline, rule, sampling
from specviz.engine import device, drafters, writing
from specviz.engine.loop import Run
from specviz.engine.model import Model, steps
from specviz.engine.pairs import Pair
from specviz.engine.record import Recorder
from specviz.settings import Settings

PAST = 48  # tokens already in the slots when a pass is timed: the middle of a poem


def passes(model: Model, counts: Iterable[int], repeats: int = 40, past: int = PAST) -> Iterator[dict[int, list[float]]]:
    """Milliseconds of passes over k new tokens, for every k; the sizes take turns, so that all see the same weather.

    Yields the growing lists after every turn.
    """
    counts = list(counts)
    read, times = _reader(model, past, max(counts)), {k: [] for k in counts}
    for repeat in range(repeats + 3):
        for k in counts:
            started = perf_counter()
            read(k)
            if repeat >= 3:
                times[k].append((perf_counter() - started) * 1e3)
        yield times


def _reader(model, past, widest) -> Callable[[int], None]:
    """Reads k tokens behind `past` others, again and again, in the kind of pass that runs of this model are made of."""
    fixed = device.fixed(model)
    passes = device.Passes(model, past, widest) if fixed else None
    slots = passes.slots if fixed else model.slots()
    model.forward([3] * past, slots, rows=1)
    ids = torch.full((widest,), 3, device=model.device)

    def read(k):
        if fixed:
            passes.logits(ids[:k], past, k)
            device.settle(model.device)
        else:
            slots.length = past
            model.forward([3] * k, slots)

    return read


def pass_ms(model: Model, counts: Iterable[int], repeats: int = 40) -> dict[int, float]:
    """Median milliseconds of one pass over k new tokens, for every k."""
    *_, times = passes(model, counts, repeats)
    return {k: median(t) for k, t in times.items()}


def costs(pair: Pair, gammas: Iterable[int], repeats: int = 40, draft_ms: float | None = None) -> dict:
    """{"target_ms", "draft_ms", "c", "v": {k: v(k)}} for the passes that rounds of these γ make. draft_ms: of a guess, where
    no draft model makes it."""
    widths = sorted({1, *(gamma + 1 for gamma in gammas)})
    target = pass_ms(pair.target, widths, repeats)
    draft = pass_ms(pair.draft, [1], repeats)[1] if draft_ms is None else draft_ms
    return {
        "target_ms": target[1],
        "draft_ms": draft,
        "c": draft / target[1],
        "v": {k: t / target[1] for k, t in target.items()},
    }


def overlaps(pair: Pair, prompt: str, settings: Settings) -> list[float]:
    """β at every place of a text that the target writes alone after `prompt`; no sampling noise but the text's."""
    settings = replace(settings, gamma=0)
    ids = pair.speller.encode(prompt)
    run = Run(pair.target, None, ids, settings, Recorder(pair.speller, soft=False), pair.eos)
    run.first()
    list(steps(run.rounds()))
    p, q = rows_along(pair, run.ids, len(run.ending.ids), settings)
    return rule.overlap(p, q).sum(-1).tolist()


def rows_along(pair: Pair, ids: list[int], rows: int, settings: Settings) -> list[np.ndarray]:
    """p and q (rows, V) of the last `rows` tokens of a text: one pass of each model."""
    return [
        sampling.probabilities(m.forward(ids[:-1], m.slots(), rows=rows), **settings.sampling)
        for m in (pair.target, pair.draft)
    ]


def race(pair: Pair, prompts: list[str], settings: Settings) -> dict:
    """Plain and speculative decoding of every prompt, taking turns; {"plain", "speculative": [tokens/s], "alpha",
    "guess_ms": of one guess, ...}."""
    result = {"plain": [], "speculative": [], "outside_forwards": []}
    traces, guessing, guesses = [], 0.0, 0
    for prompt in prompts:
        for name, asked in (("plain", replace(settings, gamma=0)), ("speculative", settings)):
            busy, started = _busy(pair), perf_counter()
            *_, trace = writing.write(pair, prompt, asked)
            took = (perf_counter() - started) * 1e3
            result[name].append(len(trace.output_ids) / took * 1e3)
            if name == "speculative":
                result["outside_forwards"].append(1 - (_busy(pair) - busy) / took)
                traces.append(trace.summary)
                guessing += sum(r.ms["draft"] for r in trace.rounds)
                guesses += sum(len(r.draft) for r in trace.rounds)
    sums = {key: sum(s[key] for s in traces) for key in ("rounds", "reached", "accepted")}
    emitted = sum(s["tokens_per_round"] * s["rounds"] for s in traces if s["rounds"])
    result["alpha"] = sums["accepted"] / sums["reached"] if sums["reached"] else None
    result["guess_ms"] = guessing / guesses if guesses else None
    result["tokens_per_round"] = emitted / sums["rounds"] if sums["rounds"] else None
    return result


def spread(values: list[float]) -> dict:
    """Quartiles and median."""
    q1, middle, q3 = quantiles(values, n=4) if len(values) > 1 else values * 3
    return {"q1": q1, "median": middle, "q3": q3}


def machine(where: torch.device | None = None) -> dict:
    """{"cpu", "cores"} of this machine; and {"gpu"}, if that is where it was measured."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        cpu = platform.processor()
    gpu = device.name(where) if where else None
    return {"cpu": cpu, "cores": os.cpu_count(), **({"gpu": gpu} if gpu else {})}


def path(pair: Pair, settings: Settings) -> str:
    """How passes of such runs are made: "lean" by our own forward; "graphs" by transformers' modules, recorded and replayed;
    "eager" by these, one operation at a time."""
    if pair.target.lean:
        return "lean"
    return "graphs" if device.recorded(pair.target, drafters.new(pair, settings)) else "eager"


def _busy(pair):
    others = [pair.draft] * (pair.draft is not None) + [model for model, _ in pair.made.values()]
    return pair.target.busy_ms + sum(model.busy_ms for model in others)


def in_turns(contenders: dict[str, Callable[[str], float]], prompts: list[str]) -> dict[str, list[float]]:
    """What every contender reaches on every prompt, in tokens a second; they take turns, so that all see the same weather.
    The first prompt is run once before it counts."""
    speeds = {name: [] for name in contenders}
    for i, prompt in enumerate(prompts[:1] + prompts):
        for name, run in contenders.items():
            speed = run(prompt)
            if i:
                speeds[name].append(speed)
    return speeds


def ours(pair: Pair, settings: Settings) -> Callable[[str], float]:
    """Tokens a second of our decoding, the whole trace written."""

    def speed(prompt):
        started = perf_counter()
        *_, trace = writing.write(pair, prompt, settings)
        return len(trace.output_ids) / (perf_counter() - started)

    return speed


def transformers(folders: dict[str, str], settings: Settings, like: Model) -> dict[str, Callable[[str], float]]:
    """Name -> tokens a second of transformers' own `generate` on the same weights: plain; on a GPU where torch can compile,
    also compiled with its static cache; and, as the drafter is, assisted generation with our γ (constant, no confidence
    threshold) and as it comes, or prompt lookup with our γ. like: a model of ours, on whose device and in whose precision
    all run."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    def load(side):
        module = AutoModelForCausalLM.from_pretrained(folders[side], dtype=like.dtype, trust_remote_code=False)
        return module.to(like.device)

    tokenizer = AutoTokenizer.from_pretrained(folders["target"], trust_remote_code=False)
    target = load("target")
    how = {"do_sample": True, "temperature": settings.temperature, "top_k": 0} if settings.temperature else {"do_sample": False}
    how |= {"max_new_tokens": settings.max_new_tokens, "pad_token_id": tokenizer.eos_token_id}

    def rival(**more):
        def speed(prompt):
            ids = tokenizer(prompt, return_tensors="pt", split_special_tokens=True).to(like.device)
            torch.manual_seed(settings.seed)
            started = perf_counter()
            out = target.generate(**ids, **how, **more)
            device.settle(like.device)
            return (out.shape[1] - ids["input_ids"].shape[1]) / (perf_counter() - started)

        return speed

    alone, compiled = {"transformers plain": rival()}, rival(cache_implementation="static")
    if like.device.type in device.KINDS and _works(partial(compiled, "1 2 3")):
        alone["transformers plain, compiled"] = compiled
    if settings.drafter == "lookup":
        return {
            **alone,
            "transformers prompt lookup, equal γ": rival(prompt_lookup_num_tokens=settings.gamma),
        }
    if "draft" not in folders:
        return alone
    equal, default = load("draft"), load("draft")
    equal.generation_config.update(
        num_assistant_tokens=settings.gamma,
        num_assistant_tokens_schedule="constant",
        assistant_confidence_threshold=0.0,
    )
    return {
        **alone,
        "transformers assisted, equal γ": rival(assistant_model=equal),
        "transformers assisted, default": rival(assistant_model=default),
    }


def _works(action: Callable[[], object]) -> bool:
    try:
        action()
    except Exception:  # a compiler that is missing, or does not know this GPU
        return False
    return True


# This machine as a device of the roofline: bandwidth, arithmetic, launches.

COPIED = 2**28  # bytes, well over what a processor keeps close to itself; a graphics card is given four times as much
WIDTHS = (1, 2, 4, 5, 8, 16, 32, 64)  # tokens in the passes that are timed; 5 is what a round of four guesses takes
DEPTHS = (2, 10)  # layers of the passes of nearly nothing
FEWEST = 5  # turns without which a median says nothing
PRODUCTS = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
UNPACKED = ("fp32", "bf16")  # what narrower weights are unpacked to before they are multiplied
DTYPES = {kind: name for name, kind in PRODUCTS.items()}


def products_for(dtype: str) -> tuple[str, ...]:
    """The precisions in which to measure arithmetic: the one asked for, or those that narrower weights are unpacked to."""
    return (dtype,) if dtype in PRODUCTS else UNPACKED


def this_device(dtypes: Iterable[str]) -> roofline.Device:
    """This machine, its arithmetic measured in each of `dtypes` (keys of PRODUCTS); takes a second or two."""
    *_, (_, speeds) = speeds_of(dtypes)
    *_, times = zip(*launches(), strict=True)
    return _device(speeds, *times)


def speeds_of(dtypes: Iterable[str]) -> Iterator[tuple[str, dict]]:
    """(what is measured next, {}), and at the end ("", {"bandwidth", "tflops"}), medians."""
    where = here()
    yield "copy", {}
    bandwidth = median(copy_speeds(where))
    tflops = {}
    for dtype in dtypes:
        yield f"product_{dtype}", {}
        tflops[dtype] = median(product_speeds(where, PRODUCTS[dtype]))
    yield "", {"bandwidth": bandwidth, "tflops": tflops}


def here() -> torch.device:
    return device.present()


@torch.inference_mode()
def copy_speeds(where: torch.device, repeats: int = 9) -> list[float]:
    """TB/s of copying a block that no cache holds. A copy reads every byte and writes it: both are counted."""
    size = COPIED * 4 if where.type == "cuda" else COPIED
    source = torch.ones(size // 4, device=where)
    target = torch.zeros_like(source)
    return [2 * size / ms / 1e9 for ms in _clocked(where, lambda: target.copy_(source), repeats)]


@torch.inference_mode()
def product_speeds(where: torch.device, kind: torch.dtype, repeats: int = 5) -> list[float]:
    """TFLOPS of a square matrix product, 2n³ operations, so large that it takes ten milliseconds or is 8,192 wide."""
    n = 128
    while True:
        a, b = (torch.randn(n, n, device=where).to(kind) for _ in range(2))
        multiply = partial(torch.mm, a, b, out=torch.empty_like(a))
        if min(_clocked(where, multiply, 3)) >= 10 or n >= 8192:  # the least: a neighbour may take the processor away
            return [2 * n**3 / ms / 1e9 for ms in _clocked(where, multiply, repeats)]
        n *= 2


def launches(repeats: int = 15) -> list[Iterator[dict[int, list[float]]]]:
    """One-token passes in which there is nearly nothing to read or to multiply: of Llamas 32 wide and DEPTHS deep."""
    return [passes(_nearly_nothing(depth), [1], repeats) for depth in DEPTHS]


def memory_gb(where: torch.device) -> float | None:
    """GB of memory that weights could be put in, None where the system does not say."""
    if there := device.total_memory(where):
        return there / 1e9
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    except (AttributeError, OSError, ValueError):
        return None


def bottleneck(model: Model, repeats: int = 25, seconds: float = 15) -> Iterator[dict]:
    """This machine, and what passes of `model` over WIDTHS tokens really take on it; growing reports as plain data.

    `repeats` turns are timed, fewer on a machine so busy that they would take more than `seconds`.

    {"stage", "share"}, and in the last {"device": of the roofline, "model": {"params", "dtype", "context", "shape"},
    "passes": [{"tokens", "q1", "median", "q3"}] in ms}.
    """
    for step, found in enumerate(speeds_of(UNPACKED)):
        yield {"stage": found[0] or "passes", "share": 0.1 * step}
    started = perf_counter()
    # The model and the passes of nearly nothing take turns too, so that what is compared saw the same weather.
    turns = zip(passes(model, WIDTHS, repeats), *launches(repeats), strict=True)
    for turn, (times, *nothing) in enumerate(turns):  # noqa: B007  what stands in them at the end is the result
        spent = (perf_counter() - started) / seconds
        yield {"stage": "passes", "share": 0.3 + 0.7 * min(1.0, max(spent, turn / (repeats + 3)))}
        if spent > 1 and len(times[1]) >= FEWEST:
            break
    yield {
        "stage": "over",
        "share": 1.0,
        "device": _device(found[1], *nothing).to_json(),
        "model": {"params": model.parameters, "dtype": weights_dtype(model), "context": PAST, "shape": asdict(model.shape)},
        "passes": [{"tokens": k, **spread(taken)} for k, taken in times.items()],
    }


def weights_dtype(model: Model) -> str:
    """The precision in which a pass reads the weights: half where that holds them exactly, be the arithmetic what it is."""
    return "fp16" if model.lean and model.lean.halved else DTYPES[model.dtype]


def _device(speeds: dict, shallow: dict, deep: dict) -> roofline.Device:
    """This machine from its speeds and the times of nearly nothing; the line through the two depths gives ms a layer."""
    few, many = (median(times[1]) for times in (shallow, deep))
    layer_ms = max(0.0, (many - few) / (DEPTHS[1] - DEPTHS[0]))
    launch_ms = max(0.0, few - DEPTHS[0] * layer_ms)
    memory = memory_gb(here())
    return roofline.Device("this", "this machine", memory, **speeds, source="this", launch_ms=launch_ms, layer_ms=layer_ms)


def _nearly_nothing(layers: int) -> Model:
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=32,
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=layers,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=2 * PAST,
    )
    kind = torch.float32 if here().type == "cpu" else torch.bfloat16
    return Model(LlamaForCausalLM(config).to(here(), kind))


def _clocked(where: torch.device, action: Callable[[], object], repeats: int, seconds: float = 1) -> list[float]:
    """Milliseconds of each of `repeats` calls, after one that warms up; three are enough once `seconds` are over."""
    times, end = [], perf_counter() + seconds
    while len(times) <= repeats and (len(times) <= 3 or perf_counter() < end):
        started = perf_counter()
        action()
        device.settle(where)
        times.append((perf_counter() - started) * 1e3)
    return times[1:]
