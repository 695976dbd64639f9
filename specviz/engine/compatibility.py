"""Whether a draft can guess for a target: the report behind `check`, the Models page and every loading.

Reads configs and tokenizers, never weights. The rule compares p and q token by token, so every id must spell the same
text in both; equal sizes alone prove nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from specviz.engine import reading
from specviz.engine.references import Reference
from specviz.engine.text import Speller
from specviz.errors import BadInput
from specviz.locale import say

SAMPLE = "The king's 2 horses — 两匹马 🐎 — print('hello')"


@dataclass(frozen=True)
class Reason:
    """One finding. level: refuse, padding or note; `key` names its sentence, whose gaps `facts` fill."""

    code: str
    level: str
    facts: dict

    @property
    def key(self) -> str:
        """What speaks against a pair is said as when it is loaded."""
        return f"errors.{self.code}" if self.level == "refuse" else f"check.{self.code}"

    def sentence(self, language: str) -> str:
        return say(language, self.key, **self.facts)


@dataclass(frozen=True)
class Report:
    """verdict: pass, pass-with-padding or refuse. first_difference: {"id", "target", "draft"}, the token texts at the
    first id that differs (None past the end of one). sample: {"sentence", "target": [texts], "draft": [texts], "target_ids",
    "draft_ids"}, the same sentence cut by both."""

    verdict: str
    reasons: list[Reason] = field(default_factory=list)
    first_difference: dict | None = None
    sample: dict | None = None

    def to_json(self) -> dict:
        """Plain JSON; reasons are English sentences, `findings` the same as keys with facts, for other languages."""
        return {
            "verdict": self.verdict,
            "reasons": [reason.sentence("en") for reason in self.reasons],
            "findings": [{"key": r.key, "level": r.level, "facts": r.facts} for r in self.reasons],
            "first_difference": self.first_difference,
            "sample": self.sample,
        }


@dataclass(frozen=True)
class Described:
    """One model as its folder describes it. texts: token text by id, added tokens among them; rows: of the embedding,
    which may be more than there are tokens; size: one past the highest token."""

    name: str
    tokenizer: object
    config: object
    texts: dict[int, str]
    rows: int
    context: int | None

    @property
    def size(self) -> int:
        return max(self.texts, default=-1) + 1


def report(target: Reference, draft: Reference) -> Report:
    """Of two models whose descriptions are here; BadInput when one is not, or cannot be read."""
    return compare(*(described(model.folder(), model.title) for model in (target, draft)))


def described(folder: Path, name: str) -> Described:
    """What the report needs to know of one model, from its folder in Hugging Face format."""
    tokenizer, found = reading.tokenizer(folder, name), reading.config(folder, name)
    texts = {id: text for text, id in tokenizer.get_vocab().items()}
    text = found.get_text_config()
    return Described(
        name, tokenizer, found, texts, getattr(text, "vocab_size", 0), getattr(text, "max_position_embeddings", None)
    )


def compare(target: Described, draft: Described) -> Report:
    """The report, and what `pairs.load` goes by."""
    sides = {"target": target, "draft": draft}
    difference = first_difference(target.texts, draft.texts)
    reasons = [*_texts(target, draft, difference), *_unfit(sides), *_padding(sides), *_notes(target, draft)]
    levels = {reason.level for reason in reasons}
    verdict = "refuse" if "refuse" in levels else "pass-with-padding" if "padding" in levels else "pass"
    return Report(verdict, reasons, difference, _sample(sides))


def first_difference(target: dict[int, str], draft: dict[int, str]) -> dict | None:
    """{"id", "target", "draft"}: the lowest id that spells two things, or that only one has."""
    for id in sorted(target.keys() | draft.keys()):
        if target.get(id) != draft.get(id):
            return {"id": id, "target": target.get(id), "draft": draft.get(id)}
    return None


def refusal(found: Report) -> BadInput | None:
    """The first reason against the pair, as what `load` raises."""
    against = [reason for reason in found.reasons if reason.level == "refuse"]
    return BadInput(against[0].code, **against[0].facts) if against else None


def _texts(target, draft, difference) -> list[Reason]:
    if difference is None:
        return []
    if None in difference.values():
        return [Reason("other_vocabulary", "refuse", {"target": len(target.texts), "draft": len(draft.texts)})]
    return [Reason("other_tokenizer", "refuse", dict(difference))]


def _unfit(sides) -> list[Reason]:
    found = {side: (model, reading.unfit(model.config)) for side, model in sides.items()}
    return [
        Reason(code, "refuse", {"ref": model.name, "family": model.config.model_type}) for model, code in found.values() if code
    ]


def _padding(sides) -> list[Reason]:
    """Rows of the embedding beyond the last token are never a token; they are cut off."""
    return [
        Reason(f"padded_{side}", "padding", {"rows": model.rows, "tokens": model.size})
        for side, model in sides.items()
        if model.rows != model.size
    ]


def _notes(target, draft) -> list[Reason]:
    found = []
    for name in ("bos", "eos"):
        ours, theirs = (getattr(model.tokenizer, f"{name}_token") for model in (target, draft))
        if ours != theirs:
            found.append(Reason(f"other_{name}", "note", {"target": ours or "–", "draft": theirs or "–"}))
    if target.tokenizer.eos_token is None:
        found.append(Reason("no_eos", "note", {}))
    ours, theirs = (_added(model) for model in (target, draft))
    if ours != theirs:
        found.append(Reason("other_added", "note", {"tokens": ", ".join(sorted(ours ^ theirs)[:5])}))
    if target.context and draft.context and draft.context < target.context:
        found.append(Reason("shorter_context", "note", {"target": target.context, "draft": draft.context}))
    for side, model in (("target", target), ("draft", draft)):
        seen = reading.window(model.config)
        if seen:
            found.append(Reason(f"window_{side}", "note", {"tokens": seen}))
    return [*found, _chat(target, draft)]


def _chat(target, draft) -> Reason:
    ours, theirs = (model.tokenizer.chat_template for model in (target, draft))
    if not ours:
        return Reason("no_chat", "note", {})
    return Reason("same_chat" if ours == theirs else "other_chat", "note", {})


def _added(model) -> set[str]:
    return {str(token) for token in model.tokenizer.added_tokens_decoder.values()}


def _sample(sides) -> dict:
    """SAMPLE in the pieces of both tokenizers, texts and ids."""
    sample = {"sentence": SAMPLE}
    for side, model in sides.items():
        ids = model.tokenizer(SAMPLE, add_special_tokens=False)["input_ids"]
        sample[side] = [piece.text for piece in Speller(model.tokenizer).pieces(ids)]
        sample[f"{side}_ids"] = list(ids)
    return sample
