"""Who guesses: chosen for a pair, with the knobs of whoever was chosen; kept over pages, in the address."""

from __future__ import annotations

import streamlit as st

from specviz.engine import catalogue, drafters, references
from specviz.errors import BadInput
from specviz.settings import BITS, LIMITS, SIDES
from specviz.ui import i18n, pair, widgets, words

DEEPEST = 64  # layers, of a target whose files are not here to tell


def title(code: str) -> str:
    return i18n.t(f"family.name_{code}")


def offered(name: str) -> dict[str, BadInput | None]:
    """Code -> why it cannot serve this pair, or None."""
    return drafters.offered(references.parse_pair(name))


def choose(name: str, key: str, **look) -> str:
    """A list of the drafters that can serve the pair, and the one chosen; one that cannot is answered with a sentence.

    key: of the address, where it stands unless it is the pair's own.
    """
    reasons = offered(name)
    codes = [code for code, reason in reasons.items() if reason is None]
    own, list_key, kept = pair.drafter(name), f"{key}_list", f"_{key}"
    who = asked(name, key)
    if who not in codes:
        if key in st.query_params:
            st.error(words.refusal(reasons.get(who) or BadInput("no_drafter", name=who, known=", ".join(codes))))
        who = own
    _to_address(key, who, own)
    st.session_state[kept] = st.session_state[list_key] = who

    def take():
        st.session_state[kept] = st.session_state[list_key]
        _to_address(key, st.session_state[list_key], own)

    titles = {code: title(code) for code in codes}
    says = i18n.t("drafters.who_label")
    st.selectbox(says, codes, key=list_key, format_func=lambda code: titles.get(code, code), on_change=take, **look)
    return who


def named(name: str, key: str) -> str:
    """Who guesses, for a label above the list; nothing where it is the pair's own."""
    who = asked(name, key)
    return f" · {title(who)}" if who in drafters.CODES and who != pair.drafter(name) else ""


def asked(name: str, key: str) -> str:
    """What the address, or else the visitor's last choice, says about who guesses; the pair's own where neither does."""
    return st.query_params.get(key, st.session_state.get(f"_{key}", pair.drafter(name)))


def put(key: str, code: str) -> None:
    """Make the list say what a run was recorded with."""
    st.session_state[f"_{key}"] = code
    st.query_params.pop(key, None)


def knobs(name: str, codes: list[str], prefix: str = "") -> dict:
    """n, layers, bits and of, as Settings has them, 0 where they are the drafter's own choice; only those that one of `codes`
    listens to are asked for. prefix: before their names in the address."""
    asked, chosen = {knob for code in codes for knob in drafters.KINDS[code].knobs}, {}
    if "n" in asked:
        low, high = LIMITS["n"]
        label = i18n.t("drafters.knob_n")
        chosen["n"] = widgets.keep(st.slider, label, 0, key=f"{prefix}n", min_value=low, max_value=high)
    if "layers" in asked:
        label, all = i18n.t("drafters.knob_layers"), _layers(name)
        own = max(1, round(all / 3))
        found = widgets.keep(st.slider, label, own, key=f"{prefix}layers_{all}", min_value=1, max_value=max(2, all - 1))
        chosen["layers"] = 0 if found == own else found
    if "bits" in asked:
        st.caption(i18n.t("drafters.knob_bits"))
        bits = [str(one) for one in BITS]
        found = widgets.choice(i18n.t("drafters.knob_bits"), bits, f"{prefix}bits", _says("bits"))
        chosen["bits"] = 0 if found == bits[0] else int(found)
    if "of" in asked and not pair.is_alone(name):
        st.caption(i18n.t("drafters.knob_of"))
        found = widgets.choice(i18n.t("drafters.knob_of"), list(SIDES), f"{prefix}of", _says("of"))
        chosen["of"] = "" if found == SIDES[0] else found
    return chosen


def _to_address(key: str, code: str, own: str) -> None:
    if code != own:
        st.query_params[key] = code
    elif key in st.query_params:
        del st.query_params[key]


def _says(table: str):
    return lambda code: i18n.t(f"drafters.{table}_{code}")


def _layers(name: str) -> int:
    """Of the target, as far as its files or the catalogue tell."""
    entry = catalogue.entries().get(name)
    return entry.target.shape.layers if entry else references.parse_pair(name).target.layers or DEEPEST
