"""The storeys of the house: who may import whom, and that both languages say the same things."""

import ast
import re
import string
import sys
from pathlib import Path

import pytest

from specviz.locale import LANGUAGES, labels

ROOT = Path(__file__).parent.parent
FILES = sorted([*ROOT.glob("specviz/**/*.py"), *ROOT.glob("pages/*.py"), ROOT / "app.py"])

PURE = (
    "rule",
    "sampling",
    "speedup",
    "roofline",
    "gap",
    "family",
    "variants",
    "kinds",
    "clock",
    "published",
    "roofline",
    "court",
    "gallery",
    "trace",
    "settings",
    "errors",
    "locale",
    "examples",
    "listing",
)


def imports(path, top_only=False):
    """Dotted names imported anywhere in a file (or only at its top level)."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body if top_only else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def storey(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[1] if parts[0] == "specviz" and len(parts) > 1 else parts[0]


def forbidden(path):
    where = storey(path)
    if where in PURE:
        return ("torch", "transformers", "streamlit", "specviz.engine", "specviz.ui", "specviz.training")
    if where in ("engine", "training", "commands"):
        return ("streamlit", "specviz.ui")
    if where in ("ui", "pages", "app"):
        return (
            "torch",
            "transformers",
            "specviz.training",
            "specviz.engine.loop",
            "specviz.engine.model",
            "specviz.engine.writing",
        )
    return ()


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_storey_imports_one_above_it(path):
    for name in imports(path):
        for bad in forbidden(path):
            assert name != bad and not name.startswith(f"{bad}."), f"{path.name} imports {name}"


def gaps(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_both_languages_have_the_same_labels_with_the_same_gaps():
    ours, theirs = (labels(code) for code in LANGUAGES)
    assert ours.keys() == theirs.keys()
    for table in ours:
        assert ours[table].keys() == theirs[table].keys(), table
        for key in ours[table]:
            assert gaps(ours[table][key]) == gaps(theirs[table][key]), f"{table}.{key}"


def test_no_word_is_left_in_the_other_language():
    english = " ".join(text for table in labels("en").values() for text in table.values())
    assert not re.findall(r"[\u4e00-\u9fff]", english)
    for table in labels("zh").values():
        for key, text in table.items():
            assert re.search(r"[\u4e00-\u9fff]", text) or len(re.sub(r"{.*?}", "", text)) < 12, f"{key} = {text}"


def test_prose_exists_in_both_languages():
    names = [{p.name for p in (ROOT / "specviz/text" / code).glob("*.md")} for code in LANGUAGES]
    assert names[0] == names[1] and names[0]


def test_every_label_a_page_asks_for_exists():
    known = {f"{table}.{key}" for table, entries in labels("en").items() for key in entries}
    asked = set()
    for path in FILES:
        source = path.read_text(encoding="utf-8")
        asked |= set(re.findall(r"""\bt\(\s*["']([a-z_]+\.[a-z_]+)["']""", source))
        asked |= {f"errors.{code}" for code in re.findall(r"""BadInput\(\s*["']([a-z_]+)["']""", source)}
    assert asked and asked <= known, asked - known


def test_every_sentence_of_bad_input_is_used():
    sources = "".join(path.read_text(encoding="utf-8") for path in FILES)
    unused = [code for code in labels("en")["errors"] if f'"{code}"' not in sources]
    assert not unused


def test_settings_refuse_what_cannot_be_run():
    from specviz.errors import BadInput
    from specviz.settings import Settings

    for bad in (
        {"gamma": -1}, {"gamma": 33}, {"temperature": -0.1}, {"temperature": 1e-5}, {"temperature": float("nan")},
        {"temperature": float("inf")}, {"top_p": 0.0}, {"top_p": 1.1}, {"top_k": -1}, {"max_new_tokens": 0},
        {"seed": -1}, {"seed": 2**63}, {"stop": ("",)},
    ):  # fmt: skip
        with pytest.raises(BadInput):
            Settings(**bad)


def test_what_is_remembered_for_a_visitor_has_one_owner():
    """Two modules that keep different things under one key of the session read each other's."""
    owners = {}
    for path in ROOT.glob("specviz/ui/**/*.py"):
        text = path.read_text(encoding="utf-8")
        kept = re.findall(r'session_state\["(_\w+)"\] = ', text)
        kept += [
            key
            for call in re.findall(r"session_state\.update\((.*?)\n    *\)", text, re.S)
            for key in re.findall(r"(_\w+)=", call)
        ]
        for key in set(kept) - {"_shown"}:  # an example that is picked takes the place of the run that was shown
            owners.setdefault(key, set()).add(path.name)
    assert owners and all(len(files) == 1 for files in owners.values()), owners


def test_what_the_program_imports_is_in_the_requirements():
    """What happens to be installed here is missing elsewhere."""
    asked = {re.split(r"[=<>]", line)[0] for line in (ROOT / "requirements.txt").read_text().split()}
    trainers = {"opencc"}  # for `make train` alone, in requirements-dev.txt
    used = {name.partition(".")[0] for path in FILES for name in imports(path)}
    assert used - set(sys.stdlib_module_names) - {"specviz"} - trainers <= asked


def test_emphasis_in_chinese_is_weight_and_not_a_slant():
    """No Chinese font has slanted letters: a browser shears the upright ones into their neighbours."""
    import re

    slanted = re.compile(r"(?<!\*)\*(?!\*)([^*\n]+)(?<!\*)\*(?!\*)")
    texts = [*(ROOT / "specviz/text/zh").glob("*.md"), ROOT / "specviz/locale/zh.toml"]
    found = [(path.name, words) for path in texts for words in slanted.findall(path.read_text("utf-8"))]
    assert len(texts) > 10 and not [entry for entry in found if re.search("[\u4e00-\u9fff]", entry[1])]


def test_the_style_of_the_page_holds_nothing_that_reads_as_a_tag():
    """Streamlit cleans HTML, and drops a whole style sheet that seems to hold another element."""
    assert "<" not in (ROOT / "specviz/ui/frame.css").read_text("utf-8")


def test_no_look_rests_on_what_one_browser_alone_knows():
    """Firefox and Safari are browsers too: what they lack may not carry a hint that a reader needs."""
    alone = re.compile(r"animation-timeline|scroll-timeline|view-timeline|interpolate-size|calc-size|field-sizing|anchor-name")
    sheets = sorted(ROOT.glob("specviz/**/*.css"))
    assert len(sheets) > 5 and not [path.name for path in sheets if alone.search(path.read_text("utf-8"))]
