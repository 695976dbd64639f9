"""Reports of all drafters on one prompt as the engine makes them, invented from recorded runs: no model is needed."""

import copy

from specviz import examples

CODES = ("model", "lookup", "ngram", "early-exit", "quantised")
RUN = {"poem": "moon", "english": "minds"}
TRAINING = {"model": "model", "lookup": "none", "ngram": "table", "early-exit": "none", "quantised": "none"}
SPEED = {"model": 1.43, "lookup": 2.05, "ngram": 0.97, "early-exit": 0.62, "quantised": 1.21}
BEFORE, STEP = [round(0.05 * i - 0.41, 3) for i in range(16)], 0.11
ABOUT = {
    "model": {"code": "model"},
    "lookup": {"code": "lookup", "n": 8},
    "ngram": {"code": "ngram", "n": 2},
    "early-exit": {"code": "early-exit", "layers": 4, "of_layers": 12, "resumes": True},
    "quantised": {
        "code": "quantised", "bits": 4, "of": "target", "bytes": 6e6, "bytes_before": 38e6,
        "layers": [{"name": f"layers.{i}.mlp.down_proj", "error": 0.02 + 0.01 * (i % 5)} for i in range(12)],
        "sample": {"before": BEFORE, "after": [round(STEP * round(x / STEP), 3) for x in BEFORE],
                   "steps": [round(STEP * i, 3) for i in range(-4, 5)], "name": "layers.0.mlp.down_proj"},
    },
}  # fmt: skip


def report(pair="poem", codes=CODES, refused=(), greedy=True, trial=0.31):
    """A finished report: the rows of `codes`, those in `refused` without figures; at T > 0 with a trial of this p-value."""
    example = examples.load(RUN[pair])
    trace, plain = example["trace"], example["plain"]
    settings = {**trace["settings"], "temperature": 0.0 if greedy else 1.0}
    texts = [trace["first"]["text"], *(_text(trace, i) for i in range(1, len(trace["output_ids"])))]
    return {
        "pair": trace["pair"],
        "prompt": trace["prompt"],
        "settings": settings,
        "wanted": list(codes),
        "now": None,
        "share": 1.0,
        "prompt_texts": trace["prompt_texts"],
        "prompt_special": trace["prompt_special"],
        "plain": {**plain, "texts": texts, "tokens_per_s": 1000 * len(plain["ms"]) / sum(plain["ms"])},
        "rows": {code: row(code, trace, plain, refused=code in refused, greedy=greedy, trial=trial) for code in codes},
    }


def row(code, trace, plain, refused=False, greedy=True, trial=0.31):
    if refused:
        return {"state": "refused", "refusal": {"code": "no_draft", "facts": {}}}
    trace = copy.deepcopy(trace)
    trace["drafter"] = ABOUT[code]
    here = len(trace["prompt_ids"])
    for one in trace["rounds"]:
        if code == "lookup":
            one["match"] = {"start": 1, "n": 3, "copied": len(one["draft"])} if one["draft"] else None
        if code == "ngram":
            one["match"] = {"start": here, "n": 1, "copied": len(one["draft"])}
        here += len(one["emitted"])
    rounds, speed = trace["rounds"], SPEED[code]
    made = sum(len(one["emitted"]) for one in rounds)
    scale = sum(plain["ms"]) / len(plain["ms"]) * made / speed / sum(sum(one["ms"].values()) for one in rounds)
    for one in rounds:
        one["ms"] = {name: value * scale for name, value in one["ms"].items()}
    middle = {name: sorted(one["ms"][name] for one in rounds)[len(rounds) // 2] for name in ("draft", "verify", "rest")}
    summary = trace["summary"]
    return {
        "state": "done",
        "refusal": None,
        "trace": trace,
        "tokens_per_round": summary["tokens_per_round"],
        "alpha": summary["alpha"],
        "accepted_over_proposed": summary["accepted_over_proposed"],
        "guess_ms": middle["draft"],
        "verify_ms": middle["verify"],
        "rest_ms": middle["rest"],
        "begin_ms": 1.0,
        "prepare_ms": 0.0,
        "tokens_per_s": 100.0 * speed,
        "speed": speed,
        "proposed": summary["proposed"],
        "rounds": summary["rounds"],
        "silent_rounds": 0,
        "weight_bytes": {"lookup": 0, "early-exit": 0, "ngram": 480_000}.get(code, 3_400_000),
        "kv_bytes_per_token": 1024 if code in ("model", "quantised") else 0,
        "training": TRAINING[code],
        "same_as_plain": True if greedy else None,
        "trial": None if greedy else {"throws": 20_000, "p_value": trial, "places": 12},
    }


def _text(trace, place):
    ids = {trace["first"]["id"]: trace["first"]["text"]}
    for one in trace["rounds"]:
        ids |= {guess["id"]: guess["text"] for guess in one["draft"]}
        if one["fix"]:
            ids[one["fix"]["id"]] = one["fix"]["text"]
    return ids.get(trace["output_ids"][place], "")
