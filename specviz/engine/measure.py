"""What this machine and these models really do: times of a pass, acceptance, and the race against plain decoding."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

import torch

from specviz import rule, sampling
from specviz.engine import writing
from specviz.engine.loop import Run
from specviz.engine.model import Model
from specviz.engine.pairs import Pair
from specviz.engine.record import Recorder
from specviz.settings import Settings

PAST = 48  # tokens already in the slots when a pass is timed: the middle of a poem


def pass_ms(model: Model, counts: Iterable[int], repeats: int = 40) -> dict[int, float]:
    """Median milliseconds of one pass over k new tokens, for every k."""
    return {k: median(times) for k, times in pass_times(model, counts, repeats).items()}


def pass_times(model: Model, counts: Iterable[int], repeats: int) -> dict[int, list[float]]:
    """Milliseconds of `repeats` passes over k new tokens, for every k; the sizes take turns, so that all see the same
    weather."""
    counts, slots = list(counts), model.slots()
    model.forward([3] * PAST, slots, rows=1)
    times = {k: [] for k in counts}
    for repeat in range(repeats + 3):
        for k in counts:
            slots.length = PAST
            started = perf_counter()
            model.forward([3] * k, slots)
            if repeat >= 3:
                times[k].append((perf_counter() - started) * 1e3)
    return times


def costs(pair: Pair, gammas: Iterable[int], repeats: int = 40) -> dict:
    """{"target_ms", "draft_ms", "c", "v": {k: v(k)}} for the passes that rounds of these γ make."""
    widths = sorted({1, *(gamma + 1 for gamma in gammas)})
    target = pass_ms(pair.target, widths, repeats)
    draft = pass_ms(pair.draft, [1], repeats)[1]
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
    list(run.rounds())
    p, q = rows_along(pair, run.ids, len(run.ending.ids), settings)
    return rule.overlap(p, q).sum(-1).tolist()


def rows_along(pair: Pair, ids: list[int], rows: int, settings: Settings) -> list[torch.Tensor]:
    """p and q (rows, V) of the last `rows` tokens of a text: one pass of each model."""
    return [
        sampling.probabilities(m.forward(ids[:-1], m.slots(), rows=rows), **settings.sampling)
        for m in (pair.target, pair.draft)
    ]


def race(pair: Pair, prompts: list[str], settings: Settings) -> dict:
    """Plain and speculative decoding of every prompt, taking turns; {"plain", "speculative": [tokens/s], "alpha", ...}."""
    result = {"plain": [], "speculative": [], "outside_forwards": []}
    traces = []
    for prompt in prompts:
        for name, asked in (("plain", replace(settings, gamma=0)), ("speculative", settings)):
            busy, started = _busy(pair), perf_counter()
            *_, trace = writing.write(pair, prompt, asked)
            took = (perf_counter() - started) * 1e3
            result[name].append(len(trace.output_ids) / took * 1e3)
            if name == "speculative":
                result["outside_forwards"].append(1 - (_busy(pair) - busy) / took)
                traces.append(trace.summary)
    sums = {key: sum(s[key] for s in traces) for key in ("rounds", "reached", "accepted")}
    emitted = sum(s["tokens_per_round"] * s["rounds"] for s in traces if s["rounds"])
    result["alpha"] = sums["accepted"] / sums["reached"] if sums["reached"] else None
    result["tokens_per_round"] = emitted / sums["rounds"] if sums["rounds"] else None
    return result


def spread(values: list[float]) -> dict:
    """Quartiles and median."""
    q1, middle, q3 = quantiles(values, n=4) if len(values) > 1 else values * 3
    return {"q1": q1, "median": middle, "q3": q3}


def machine() -> dict:
    """{"cpu", "cores"} of this machine."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        cpu = platform.processor()
    return {"cpu": cpu, "cores": os.cpu_count()}


def _busy(pair):
    return pair.target.busy_ms + (pair.draft.busy_ms if pair.draft else 0)


def transformers_race(pair_paths: dict[str, str], prompts: list[str], settings: Settings, assisted: str | None) -> list[float]:
    """Tokens a second of transformers' own `generate` on the same weights, prompt by prompt.

    assisted: None for plain decoding, "equal" for assisted generation with our γ (constant, no confidence threshold),
    "default" as it comes.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(pair_paths["target"])
    target, draft = (AutoModelForCausalLM.from_pretrained(pair_paths[s], dtype=torch.float32) for s in ("target", "draft"))
    if assisted == "equal":
        draft.generation_config.update(
            num_assistant_tokens=settings.gamma,
            num_assistant_tokens_schedule="constant",
            assistant_confidence_threshold=0.0,
        )
    how = {"do_sample": True, "temperature": settings.temperature, "top_k": 0} if settings.temperature else {"do_sample": False}
    how |= {"assistant_model": draft} if assisted else {}
    speeds = []
    for i, prompt in enumerate(prompts[:1] + prompts):  # the first is a warm-up
        ids = tokenizer(prompt, return_tensors="pt", split_special_tokens=True)
        torch.manual_seed(settings.seed)
        started = perf_counter()
        out = target.generate(**ids, **how, max_new_tokens=settings.max_new_tokens, pad_token_id=tokenizer.eos_token_id)
        took = perf_counter() - started
        if i:
            speeds.append((out.shape[1] - ids["input_ids"].shape[1]) / took)
    return speeds
