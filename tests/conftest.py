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
