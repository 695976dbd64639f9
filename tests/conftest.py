import os

# Tests share the cores: a model of one that also took all of them would wait for the others with its hands full. Before
# torch is imported, and for every process a test starts.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest

from specviz.engine import pairs
from tests import fakes


@pytest.fixture(scope="session")
def pair_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pair")
    fakes.save_pair(folder)
    return folder


@pytest.fixture(scope="session")
def pair(pair_folder):
    """Two random Llamas of one vocabulary: real models, real tokenizer, a thousandth of the size."""
    return pairs.load(target=str(pair_folder / "target"), draft=str(pair_folder / "draft"), device="cpu")


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    """Targets and drafts of two families, their vocabularies of one size: the second spells its letters by other numbers."""
    root = tmp_path_factory.mktemp("families")
    fakes.save_pair(root / "one")
    fakes.save_pair(root / "other", fakes.tiny_tokenizer("zyxwvutsrqponmlkjihgfedcba 月光山水，。"))
    return root
