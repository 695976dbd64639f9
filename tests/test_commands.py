"""The command line: one JSON document or one sentence, never a traceback."""

import inspect
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from specviz.__main__ import main
from specviz.commands import VERBS
from specviz.locale import labels


def words(pair_folder, *more):
    return [
        "generate",
        "--target",
        str(pair_folder / "target"),
        "--draft",
        str(pair_folder / "draft"),
        "--device",
        "cpu",
        *more,
    ]


def test_generate_json_is_one_trace(pair_folder, capsys):
    assert main(words(pair_folder, "--prompt", "moon", "--max-new-tokens", "20", "--gamma", "3", "--json")) == 0
    trace = json.loads(capsys.readouterr().out)
    assert trace["schema"] == 1 and len(trace["output_ids"]) <= 20 and trace["settings"]["gamma"] == 3


def test_generate_tells_guessed_fixed_and_bonus_apart(pair_folder, capsys):
    assert main(words(pair_folder, "--prompt", "moon", "--max-new-tokens", "40")) == 0
    out = capsys.readouterr().out
    assert out.startswith("moon(") and "[" in out and "α = " in out


CHINESE = re.compile("[\u4e00-\u9fff]")


@pytest.mark.parametrize("language", ["en_GB.UTF-8", "zh_CN.UTF-8"])
@pytest.mark.parametrize(
    "of_the_reader",
    [
        ("law", "--p=0.6,0.4", "--q=0.8,0.2", "--throws", "2000"),
        ("law", "--p=0.6,0.4", "--q=0.8,0.2", "--throws", "2000", "--rule", "half"),
        ("law", "--list-rules"),
        ("generate", "--prompt", "moon", "--max-new-tokens", "9"),
        ("generate", "--prompt", "moon", "--max-new-tokens", "9", "--gamma", "0"),
    ],
)
def test_what_a_person_reads_is_in_their_language(pair_folder, capsys, monkeypatch, language, of_the_reader):
    monkeypatch.setenv("LC_ALL", language)
    verb, *rest = of_the_reader
    assert main(words(pair_folder, *rest) if verb == "generate" else [verb, *rest]) == 0
    out = capsys.readouterr().out
    assert bool(CHINESE.search(out)) == language.startswith("zh")
    if language.startswith("zh"):
        prose = re.sub(r"moon.*\n|^[a-z-]+|\b(TV|G|x|y|p|q|l|min|softmax|Medusa|r|half|speculative)\b", "", out, flags=re.M)
        assert not re.search("[a-z]{3}", prose), prose


@pytest.mark.parametrize("language", ["en_GB.UTF-8", "zh_CN.UTF-8"])
def test_json_is_the_same_whoever_reads_it(capsys, monkeypatch, language):
    monkeypatch.setenv("LC_ALL", language)
    assert main(["law", "--list-rules", "--json"]) == 0
    assert not CHINESE.search(capsys.readouterr().out)


def test_every_way_a_text_can_end_has_its_words():
    endings = {"eos", "stop", "length", "context"}
    assert {key[6:] for key in labels("en")["generate"] if key.startswith("ended_")} == endings


def test_gamma_zero_needs_no_draft(pair_folder, capsys):
    command = ["generate", "--target", str(pair_folder / "target"), "--prompt", "moon", "--gamma", "0", "--max-new-tokens", "9"]
    assert main([*command, "--json"]) == 0
    trace = json.loads(capsys.readouterr().out)
    assert all(r["draft"] == [] and r["fix"]["kind"] == "bonus" for r in trace["rounds"])
    assert trace["summary"]["alpha"] is None and trace["pair"]["draft"] is None


def test_stop_texts_end_the_text(pair_folder, capsys):
    command = words(pair_folder, "--prompt", "moon", "--max-new-tokens", "200", "--temperature", "1.5", "--json")
    assert main(command) == 0
    letter = json.loads(capsys.readouterr().out)["text"][5]
    assert main([*command, "--stop", letter]) == 0
    trace = json.loads(capsys.readouterr().out)
    assert trace["finish_reason"] == "stop" and letter not in trace["text"]


def test_pairs_lists_the_catalogue(capsys):
    assert main(["pairs", "--json"]) == 0
    (poem,) = [row for row in json.loads(capsys.readouterr().out) if row["name"] == "poem"]
    assert poem["ready"] and poem["target"]["parameters"] > poem["draft"]["parameters"] > 0


@pytest.mark.parametrize(
    "bad",
    [
        ["--prompt", ""],
        ["--prompt", "a" * 600],
        ["--prompt", "x", "--gamma", "33"],
        ["--prompt", "x", "--gamma", "many"],
        ["--prompt", "x", "--temperature", "-1"],
        ["--prompt", "x", "--temperature", "nan"],
        ["--prompt", "x", "--max-new-tokens", "0"],
        ["--prompt", "x", "--top-p", "2"],
        ["--prompt", "x", "--seed", "-1"],
        ["--prompt", "x", "--seed", "9" * 400],
        ["--prompt", "x", "--gamma", "9" * 400],
        ["--prompt", "x", "--top-k", "9" * 400],
        ["--prompt", "x", "--max-new-tokens", "9" * 400],
        ["--prompt", "x\udcff"],
        ["--prompt", "x", "--stop", "\udcff"],
        ["--prompt", "x", "--gamma", "0", "--drafter", "\udcff"],
        ["--prompt", "x", "--target", "~nouser/x"],
        ["--prompt", "x", "--target", "n" * 300],
        ["--prompt", "x", "--drafter", "oracle"],
        ["--prompt", "x", "--pair", "poem"],
        ["--prompt", "x", "--stop", ""],
        [],
    ],
)
@pytest.mark.parametrize("language", ["en_GB.UTF-8", "zh_CN.UTF-8"])
def test_bad_input_is_one_line_and_exit_two(pair_folder, capsys, monkeypatch, bad, language):
    monkeypatch.setenv("LC_ALL", language)
    assert main(words(pair_folder, *bad)) == 2
    out, err = capsys.readouterr()
    assert out == "" and len(err.strip().splitlines()) == 1
    assert any("\u4e00" <= c <= "\u9fff" for c in err) == language.startswith("zh")


def test_roofline_prices_the_worked_example(capsys):
    asked = ["roofline", "--params", "70e9", "--dtype", "bf16", "--device", "h100-sxm", "--tokens", "4"]
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["weight_bytes"] == 140e9 and found["kv_bytes"] == 0 and found["fits"] is False
    assert found["memory_ms"] == pytest.approx(41.79, abs=0.01) and found["compute_ms"] == pytest.approx(4 * 0.14156, abs=1e-4)
    assert found["bound"] == "memory" and found["ridge_tokens"] == pytest.approx(295.2, abs=0.1)
    assert main(asked) == 0
    assert "80 layers, 8 heads, 128 wide" in capsys.readouterr().out  # the shape of the KV cache is said


def test_roofline_with_ones_own_numbers(capsys):
    assert main(["roofline", "--params", "1e9", "--device", "own", "--bandwidth", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["memory_ms"] == pytest.approx(1.0) and found["compute_ms"] is None and found["fits"] is None
    assert (
        main(["roofline", "--params", "1e9", "--device", "own", "--bandwidth", "2", "--tflops", "1", "--memory", "1", "--json"])
        == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert found["compute_ms"] == pytest.approx(2.0) and found["bound"] == "compute" and found["devices"] == 2


def test_roofline_measures_this_machine(capsys, monkeypatch):
    from specviz.engine import measure

    monkeypatch.setattr(measure, "COPIED", 2**22)
    assert main(["roofline", "--params", "1e7", "--dtype", "fp32", "--device", "this", "--layers", "6", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    here = found["device"]
    assert here["bandwidth"] > 0 and list(here["tflops"]) == ["fp32"] and here["tflops"]["fp32"] > 0
    assert found["launch_ms"] == pytest.approx(here["launch_ms"] + 6 * here["layer_ms"]) and found["launch_ms"] > 0


@pytest.mark.parametrize(
    "bad, named",
    [
        (["--params", "0"], "params"),
        (["--params", "1e99"], "params"),
        (["--params", "nan"], "params"),
        (["--params", "seventy"], "params"),
        (["--tokens", "-1"], "tokens"),
        (["--tokens", "1.5"], "tokens"),
        (["--context", "-1"], "context"),
        (["--batch", "0"], "batch"),
        (["--layers", "0"], "layers"),
        (["--kv-heads", "0"], "kv-heads"),
        (["--head-dim", "0"], "head-dim"),
        (["--dtype", "fp7"], "fp7"),
        (["--device", "abacus"], "abacus"),
        (["--device", "own"], "bandwidth"),
        (["--device", "own", "--bandwidth", "0"], "bandwidth"),
        (["--device", "own", "--bandwidth", "1", "--tflops", "-1"], "tflops"),
        (["--device", "own", "--bandwidth", "1", "--memory", "inf"], "memory"),
        (["--tflops", "5"], "own"),
        (["--device", "this", "--tokens", "0"], "tokens"),
    ],
)
@pytest.mark.parametrize("language", ["en_GB.UTF-8", "zh_CN.UTF-8"])
def test_roofline_names_the_field_that_is_wrong(capsys, monkeypatch, bad, named, language):
    monkeypatch.setenv("LC_ALL", language)
    assert main(["roofline", *bad, "--json"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and named in err and len(err.strip().splitlines()) == 1
    assert any("\u4e00" <= c <= "\u9fff" for c in err) == language.startswith("zh")


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_helps_with_an_example(verb, capsys):
    with pytest.raises(SystemExit) as done:
        main([verb, "--help"])
    assert done.value.code == 0 and "example: python -m specviz " + verb in capsys.readouterr().out.replace("\n", " ")


def test_stdout_holds_the_document_and_nothing_else(pair_folder):
    command = [sys.executable, "-m", "specviz", *words(pair_folder, "--prompt", "moon", "--max-new-tokens", "5", "--json")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONWARNINGS": "ignore"})
    json.loads(done.stdout)
    assert "Traceback" not in done.stderr and "Loading" not in done.stderr


def shell(line, **environment):
    """What a line of a shell does with P as the command line: (exit status of P, stdout as bytes, stderr)."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}  # it would hide late faults
    line = line.replace("P", f"{sys.executable} -m specviz", 1) + "; exit ${PIPESTATUS[0]}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, env={**clean, "LC_ALL": "C.UTF-8", **environment})
    return done.returncode, done.stdout, done.stderr.decode()


@pytest.mark.parametrize(
    "line",
    ["P pairs >&-", "P pairs --json >&-", "P pairs >/dev/full", "P law --list-rules --json >/dev/full", "P --help >/dev/full"],
)
def test_an_output_that_cannot_be_written_is_one_line(line):
    status, _, err = shell(line)
    assert status == 2 and len(err.splitlines()) == 1 and "failed" in err


@pytest.mark.parametrize("line", ["P nope 2>&-", "P nope 2>/dev/full"])
def test_where_no_sentence_can_be_written_the_status_still_tells(line):
    assert shell(line) == (2, b"", "")


def test_a_reader_who_had_enough_is_no_fault():
    assert shell("P pairs --json | true") == (0, b"", "")


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-16"])
def test_the_output_is_utf_8_whatever_the_environment_says(encoding):
    for line in ("P pairs --json", "P law --list-rules --json"):
        status, out, err = shell(line, PYTHONIOENCODING=encoding)
        assert status == 0 and err == "" and json.loads(out.decode("utf-8"))
    status, out, _ = shell("P pairs", PYTHONIOENCODING=encoding)
    assert status == 0 and "←" in out.decode("utf-8")


RULES = r"""
import functools, sys
def rule(p, q, chance):
    print("I was here")
    return chance.draw(p)
class Faulty:
    def __call__(self, p, q, chance):
        raise ValueError("one line\nand another")
callable_object, partial, number = Faulty(), functools.partial(Faulty()), 3
class Mute(Exception):
    def __str__(self):
        raise RuntimeError
def mute(p, q, chance):
    raise Mute
def leaves(p, q, chance):
    sys.exit(3)
"""


def tried(tmp_path, name, content=RULES):
    (tmp_path / "mine.py").write_text(content)
    return main(["law", "--p=0.6,0.4", "--q=0.8,0.2", "--throws=5", f"--rule={tmp_path / 'mine.py'}:{name}", "--json"])


@pytest.mark.parametrize(
    "name, named",
    [
        ("callable_object", "ValueError: one line)"),
        ("partial", "ValueError"),
        ("number", "int"),
        ("mute", "Mute"),
        ("leaves", "SystemExit"),
        ("nothing", "nothing"),
    ],
)
def test_a_rule_that_does_not_work_is_one_line(tmp_path, capsys, name, named):
    assert tried(tmp_path, name) == 2
    out, err = capsys.readouterr()
    assert out == "" and len(err.splitlines()) == 1 and named in err and f"mine.py:{name}" in err


def test_a_file_that_leaves_is_a_rule_that_does_not_work(tmp_path, capsys):
    assert tried(tmp_path, "rule", "import sys\nsys.exit(0)") == 2
    out, err = capsys.readouterr()
    assert out == "" and "SystemExit" in err


def test_what_a_rule_prints_is_kept_apart_from_the_document(tmp_path, capsys):
    assert tried(tmp_path, "rule") == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["tv"] == 0 and set(err.splitlines()) == {"I was here"}


def test_a_prompt_too_long_for_the_tokenizer_is_one_line_too(pair_folder, tmp_path):
    target = tmp_path / "target"
    shutil.copytree(pair_folder / "target", target)
    told = json.loads((target / "tokenizer_config.json").read_text())
    (target / "tokenizer_config.json").write_text(json.dumps({**told, "model_max_length": 512}))
    status, out, err = shell(f"P generate --target {target} --gamma 0 --prompt {'moon' * 200} --json")
    assert (status, out) == (2, b"") and len(err.splitlines()) == 1 and "801 tokens" in err


@pytest.mark.parametrize("tokens", ["1", "2"])
def test_bench_refuses_texts_too_short_to_guess(capsys, tokens):
    assert main(["bench", "--gamma", "2", "--most", "1", "--max-new-tokens", tokens]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "--max-new-tokens 3" in err


def test_bench_says_nothing_but_what_it_measured():
    status, out, err = shell("P bench --gamma 2 --most 2 --max-new-tokens 5 --json")
    assert status == 0 and err == "" and json.loads(out)["gamma"] == 2


@pytest.mark.parametrize(
    "quartiles, pays, words",
    [
        ((1.2, 1.4, 1.5), True, "pays here: 1.40 times plain decoding at γ = 2 (quartiles over the prompts 1.20 to 1.50)."),
        ((0.9, 1.1, 1.3), True, "not on every prompt"),
        ((0.7, 0.9, 1.1), False, "does not pay here: 0.90"),
        ((1.0, 1.0, 1.0), False, "does not pay here"),
    ],
)
def test_bench_says_in_one_sentence_whether_speculation_pays(quartiles, pays, words):
    from specviz.commands import bench

    found = bench.verdict(2, dict(zip(("q1", "median", "q3"), quartiles, strict=True)))
    assert found["pays"] is pays and words in found["says"] and found["says"].count(". ") == 0


def figures(capsys, *more):
    assert main(["speedup", *more, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_speedup_gives_the_figures_of_the_lesson(capsys):
    found = figures(capsys, "--alpha", "0.8", "--gamma", "5", "--c", "0")
    assert found["expected_tokens"] == found["speedup"] == pytest.approx(3.69, abs=0.005)  # Leviathan et al., Table 1
    assert found["operations"] == pytest.approx(1.63, abs=0.005)
    assert found["accepted_over_proposed"] == pytest.approx(0.538, abs=5e-4)
    for alpha, speed in (("0.6", 1.91), ("0.9", 3.75)):
        assert figures(capsys, "--alpha", alpha, "--gamma", "5", "--c", "0.05")["speedup"] == pytest.approx(speed, abs=0.005)


def test_speedup_draws_the_line_of_v_through_the_point_given(capsys):
    plain, dear = (figures(capsys, "--alpha", "0.8", "--gamma", "5", "--c", "0.05", *v) for v in ([], ["--v", "1.5"]))
    assert dear["speedup"] == pytest.approx(dear["expected_tokens"] / 1.75)
    assert dear["best_gamma"] < plain["best_gamma"] and dear["best_speedup"] < plain["best_speedup"]
    again = figures(capsys, "--alpha", "0.8", "--gamma", str(dear["best_gamma"]), "--c", "0.05",
                    "--v", str(1 + 0.1 * dear["best_gamma"]))  # fmt: skip
    assert again["speedup"] == pytest.approx(dear["best_speedup"])


@pytest.mark.parametrize("alpha, gamma, tokens", [("1", 1000, 1001), ("0", 1000, 1), ("0.7", 0, 1), ("1", 0, 1)])
def test_speedup_at_the_edges(capsys, alpha, gamma, tokens):
    found = figures(capsys, "--alpha", alpha, "--gamma", str(gamma), "--c", "0")
    assert found["expected_tokens"] == found["speedup"] == tokens
    assert (found["accepted_over_proposed"] is None) == (gamma == 0)


def test_speedup_says_when_no_gamma_helps(capsys):
    found = figures(capsys, "--alpha", "0.3", "--gamma", "3", "--c", "0.3")
    assert found["best_gamma"] == 0 and found["best_speedup"] == 1  # α ≤ c, Corollary 3.9
    assert main(["speedup", "--alpha", "0.3", "--gamma", "3", "--c", "0.3"]) == 0
    assert "no γ helps" in capsys.readouterr().out


@pytest.mark.parametrize("name, bad", [("alpha", "1.2"), ("alpha", "nan"), ("alpha", "much"), ("gamma", "-1"), ("gamma", "1.5"),
                                       ("c", "-0.1"), ("c", "inf"), ("v", "0.5"), ("c-hat", "-1")])  # fmt: skip
@pytest.mark.parametrize("language", ["en_GB.UTF-8", "zh_CN.UTF-8"])
def test_speedup_names_the_figure_that_is_wrong(capsys, monkeypatch, name, bad, language):
    monkeypatch.setenv("LC_ALL", language)
    good = {"alpha": "0.8", "gamma": "5", "c": "0.05", "v": "1", "c-hat": "0"}
    assert main(["speedup", *(f"--{key}={value}" for key, value in {**good, name: bad}.items())]) == 2
    out, err = capsys.readouterr()
    assert out == "" and len(err.strip().splitlines()) == 1
    assert name.replace("-", "_") in err.replace("-", "_")
    assert any("\u4e00" <= c <= "\u9fff" for c in err) == language.startswith("zh")


def test_speedup_without_guesses_refuses_a_dearer_pass(capsys):
    assert main(["speedup", "--alpha", "0.8", "--gamma", "0", "--c", "0", "--v", "1.3"]) == 2
    assert "v is 1" in capsys.readouterr().err


def without_an_end(pair_folder, tmp_path):
    """The tiny pair with a tokenizer and configurations that name no end of text."""
    shutil.copytree(pair_folder, tmp_path / "pair")
    for path in [*(tmp_path / "pair").glob("*/*config.json")]:
        told = {name: value for name, value in json.loads(path.read_text()).items() if name != "eos_token"}
        path.write_text(json.dumps({**told, "eos_token_id": None} if path.name != "tokenizer_config.json" else told))
    return tmp_path / "pair"


@pytest.mark.parametrize("language", ["en_GB.UTF-8", "zh_CN.UTF-8"])
def test_what_is_not_perfect_is_a_note_beside_the_text(pair_folder, tmp_path, capsys, monkeypatch, language):
    monkeypatch.setenv("LC_ALL", language)
    command = words(without_an_end(pair_folder, tmp_path), "--prompt", "moon", "--max-new-tokens", "9", "--chat")
    assert main(command) == 0
    out, err = capsys.readouterr()
    assert len(err.splitlines()) == 2 and "α" in out
    assert [bool(CHINESE.search(line)) for line in err.splitlines()] == 2 * [language.startswith("zh")]
    assert main([*command, "--json"]) == 0
    out, err = capsys.readouterr()
    assert [note["code"] for note in json.loads(out)["notes"]] == ["no_template", "no_end"] and err == ""


def test_every_note_has_its_words():
    from specviz.engine import notes

    assert set(re.findall(r'"code": "(\w+)"', inspect.getsource(notes))) == set(labels("en")["notes"])


def test_plain_decoding_prints_the_text_and_no_halves_of_characters(pair_folder, capsys):
    command = words(pair_folder, "--prompt", "moon", "--gamma", "0", "--max-new-tokens", "40", "--temperature", "3")
    assert main([*command, "--json"]) == 0
    text = json.loads(capsys.readouterr().out)["text"]
    assert "\ufffd" in text, "bytes that spell no character, or this shows nothing"
    assert main(command) == 0
    assert capsys.readouterr().out.startswith(f"moon{text}\n\n")


def test_check_tells_the_verdict_and_exits_zero(pair_folder, capsys):
    target, draft = (str(pair_folder / side) for side in ("target", "draft"))
    assert main(["check", "--target", target, "--draft", draft, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "pass" and found["first_difference"] is None
    assert main(["check", "--target", target, "--draft", "poem/draft", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "refuse" and found["reasons"] and found["first_difference"]["target"] is not None


@pytest.mark.parametrize("language", ["en_GB.UTF-8", "zh_CN.UTF-8"])
def test_check_speaks_the_readers_language(pair_folder, capsys, monkeypatch, language):
    monkeypatch.setenv("LC_ALL", language)
    assert main(["check", "--target", str(pair_folder / "target"), "--draft", "poem/draft"]) == 0
    out = capsys.readouterr().out
    assert ("不合用" in out) == language.startswith("zh") and "|" in out


@pytest.mark.parametrize("reference", ["/no/such/folder", "x.gguf", "", "poem/nothing/x", "a/b--c", "a/b.git", "a/b\n"])
def test_check_of_what_cannot_be_read_is_one_line_and_exit_two(capsys, reference):
    assert main(["check", "--target", reference, "--draft", "poem/draft"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and len(err.splitlines()) == 1


def test_pairs_tell_memory_and_whether_it_fits(capsys):
    assert main(["pairs", "--context", "2048", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["llama-3.3-70b"]["memory"]["bf16"]["target"] == 2 * 70_553_706_496
    assert rows["poem"]["memory"]["bf16"]["fits"] and rows["poem"]["context"] == 1024
    assert main(["pairs"]) == 0
    assert "not tried here" in capsys.readouterr().out
