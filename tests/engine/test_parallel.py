"""One pass over many tokens gives what many passes give."""

import pytest

from specviz.engine import lean, parallel
from specviz.errors import BadInput
from specviz.settings import Settings


@pytest.mark.parametrize("gamma", [1, 4, 12])
@pytest.mark.parametrize("prompt", ["a", "the moon 月光"])
def test_one_pass_equals_a_pass_for_every_token_up_to_rounding(pair, prompt, gamma):
    found = parallel.compare(pair, prompt, Settings(gamma=gamma))
    assert len(found["guesses"]) == gamma and len(found["places"]) == gamma + 1
    assert 0 <= found["largest_p"] < 1e-5 and found["largest_logit"] < 1e-4
    for place in found["places"]:
        assert all(abs(one - own) <= found["largest_p"] + 1e-9 for _, one, own in place["tokens"])


def test_the_difference_shown_is_a_real_one(pair, monkeypatch):
    """A target that forgets its mask, so that early tokens see later ones, is found out."""

    attend = lean.scaled_dot_product_attention
    monkeypatch.setattr(lean, "scaled_dot_product_attention", lambda q, k, v, mask, **how: attend(q, k, v, None, **how))
    assert parallel.compare(pair, "the moon", Settings(gamma=4))["largest_p"] > 1e-3


def test_what_does_not_fit_is_refused_in_words(pair):
    with pytest.raises(BadInput, match="tokens long"):
        parallel.compare(pair, "a" * (pair.target.context - 2), Settings(gamma=8))
