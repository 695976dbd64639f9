"""`roofline` on the command line."""

import json

import pytest

from specviz.__main__ import main


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
