"""What one run is asked to do. Bad values are refused here, for the page and the command line alike."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from specviz.errors import BadInput, check_limits, check_text

LIMITS = {
    "gamma": (0, 32),
    "temperature": (0.0, 100.0),
    "top_k": (0, 1_000_000),
    "top_p": (0.0, 1.0),
    "max_new_tokens": (1, 100_000),
    "seed": (0, 2**63 - 1),
    "n": (0, 16),
    "layers": (0, 1000),
}
BITS = (8, 4)
SIDES = ("draft", "target")
KNOBS = ("n", "layers", "bits", "of")
COLDEST = 0.01  # below it a float32 logit divided by the temperature loses its meaning; 0 itself is exact


@dataclass(frozen=True)
class Settings:
    """gamma = 0 is plain decoding; temperature = 0 always takes the most probable token; top_k = 0 is off.

    chat: the prompt is sent as a chat message, where the tokenizer has a template for one. The knobs of drafters, 0 or ""
    for the drafter's own default: n, tokens of an n-gram (lookup: the longest match; ngram: 1 or 2); layers, after which
    early-exit leaves the target; bits, of a weight, and of, whose weights (draft or target), for quantised.
    """

    gamma: int = 4
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    max_new_tokens: int = 48
    seed: int = 0
    stop: tuple[str, ...] = ()
    drafter: str = "model"
    chat: bool = False
    n: int = 0
    layers: int = 0
    bits: int = 0
    of: str = ""

    def __post_init__(self):
        check_limits(LIMITS, **{name: getattr(self, name) for name in LIMITS})
        if 0 < self.temperature < COLDEST:
            raise BadInput("too_cold", value=self.temperature, low=COLDEST)
        if self.top_p == 0:
            raise BadInput("out_of_range", name="top_p", value=0, low="> 0", high=1)
        if self.bits not in (0, *BITS):
            raise BadInput("not_one_of", name="bits", value=self.bits, known=", ".join(map(str, BITS)))
        if self.of not in ("", *SIDES):
            raise BadInput("not_one_of", name="of", value=self.of, known=", ".join(SIDES))
        if "" in self.stop:
            raise BadInput("empty_stop")
        check_text(stop="".join(self.stop), drafter=self.drafter)

    def to_json(self) -> dict:
        """Chat and the knobs only where they say something."""
        silent = {name for name in ("chat", *KNOBS) if not getattr(self, name)}
        return {name: value for name, value in {**asdict(self), "stop": list(self.stop)}.items() if name not in silent}

    @classmethod
    def from_json(cls, data: dict) -> Settings:
        known = {name: data[name] for name in cls.__dataclass_fields__ if name in data}
        return cls(**{**known, "stop": tuple(known.get("stop", ()))})

    @property
    def sampling(self) -> dict:
        """The arguments of `sampling.probabilities`; the same for p and q, or the output is biased."""
        return {"temperature": self.temperature, "top_k": self.top_k, "top_p": self.top_p}
