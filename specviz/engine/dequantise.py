"""Turns a GGUF file into a folder in Hugging Face format, once: reading one takes many times as long as reading that.

Weights are kept in float32, in which transformers unpacks them, so that nothing is rounded twice.
`python -m specviz.engine.dequantise FILE FOLDER` does it in a process of its own.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from specviz.engine import memory, reading
from specviz.errors import BadInput

FAMILIES = ("llama",)
MAGIC = b"GGUF"


def family(file: Path) -> str:
    """The architecture a GGUF file names; BadInput when it is none of FAMILIES or the file is not whole."""
    with file.open("rb") as stream:
        if stream.read(4) != MAGIC:
            raise BadInput("broken_gguf", ref=file)
    from gguf import GGUFReader

    try:
        named = GGUFReader(file).get_field("general.architecture").contents()
    except Exception as error:  # whatever a cut file makes of a reader
        raise BadInput("broken_gguf", ref=file) from error
    if named not in FAMILIES:
        raise BadInput("gguf_family", ref=file, family=named, known=", ".join(FAMILIES))
    return named


def convert(file: Path, folder: Path) -> None:
    """Write `folder`, or nothing at all. BadInput when the file cannot be used or the disk is too small."""
    family(file)
    reading.quiet()
    import torch
    from gguf import GGUFReader
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder.parent.mkdir(parents=True, exist_ok=True)
    memory.check_disk(folder.parent, 4 * sum(int(tensor.n_elements) for tensor in GGUFReader(file).tensors), str(file))
    with tempfile.TemporaryDirectory(prefix=".half-", dir=folder.parent) as half, reading.told(file):
        where = {"gguf_file": file.name, "local_files_only": True, "trust_remote_code": False}
        AutoTokenizer.from_pretrained(file.parent, **where).save_pretrained(half)
        module = AutoModelForCausalLM.from_pretrained(file.parent, dtype=torch.float32, **where)
        del module.config.quantization_config  # it is no longer quantised
        module.hf_quantizer = None
        module.save_pretrained(half)
        put(Path(half), folder)


def put(half: Path, folder: Path) -> None:
    """Move a finished folder to its place in one step; who came first stays."""
    if not folder.exists():
        half.rename(folder)
        half.mkdir()  # for the temporary directory to remove


if __name__ == "__main__":
    try:
        convert(Path(sys.argv[1]), Path(sys.argv[2]))
    except BadInput as error:
        import json

        print(json.dumps({"code": error.code, "facts": {name: str(fact) for name, fact in error.facts.items()}}))
        sys.exit(2)
