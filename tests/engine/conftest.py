from dataclasses import replace

import pytest

from specviz.engine import pairs
from specviz.training import ngrams
from tests import fakes


@pytest.fixture(scope="session")
def everyone(tmp_path_factory):
    """The pair of random Llamas, with a target of three layers so that there is one to leave after, and with counts."""
    root = tmp_path_factory.mktemp("everyone")
    tokenizer = fakes.tiny_tokenizer()
    target = fakes.save(root / "target", fakes.tiny_llama(1, len(tokenizer), layers=3), tokenizer)
    draft = fakes.save(root / "draft", fakes.tiny_llama(2, len(tokenizer), layers=1), tokenizer)
    loaded = pairs.load(target=target, draft=draft, device="cpu")
    own = loaded.speller.encode("the moon over the mountain and the moon over the water")
    ngrams.save([own] * 3, len(tokenizer), root / "ngrams.safetensors")
    return replace(loaded, table=root / "ngrams.safetensors")
