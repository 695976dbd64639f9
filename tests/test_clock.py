"""Another clock: the verdicts stay, the milliseconds are the roofline's or what was measured."""

import pytest

from specviz import clock, roofline

H200 = roofline.DEVICES["h200-sxm"]


def test_a_70b_target_and_a_1b_draft_on_an_h200():
    """29.2 ms to read 140 GB at 4.8 TB/s (facts.md), a seventieth of it for the draft."""
    of = clock.calculated(H200, 70e9, 1e9, "bf16", context=0, batch=1)
    assert of.target_ms(1) == pytest.approx(29.17, abs=0.01) == of.target_ms(5)
    assert of.draft_ms == pytest.approx(of.target_ms(1) / 70)
    lanes = clock.lanes([4, 4, 2], [5, 1, 2], of)
    assert lanes["speedup"] == pytest.approx(8 * 70 / (3 * 70 + 10))
    assert len(lanes["plain"]) == 8 and lanes["rounds"][2] == {"draft": 2 * of.draft_ms, "verify": of.target_ms(3), "rest": 0.0}


def test_large_batches_take_the_gain_away():
    def gain(batch):
        of = clock.calculated(H200, 70e9, 1e9, "bf16", context=0, batch=batch)
        return clock.lanes([4] * 10, [3] * 10, of)["speedup"]

    assert gain(1) > 2.5 and gain(512) < 1
    assert all(gain(b) >= gain(2 * b) - 1e-9 for b in (1, 2, 4, 8, 16, 32, 64, 128, 256))


def test_the_members_of_the_family_have_their_own_shapes():
    for params, layers, width, heads in clock.FAMILY:
        assert clock.shape(params) == roofline.Shape(layers, clock.KV_HEADS, width, heads)
    assert clock.shape(70e9) == roofline.Shape(), "the default of the roofline"
    assert clock.shape(1e6) == clock.shape(1e9) and clock.shape(1e13) == clock.shape(500e9)
    sizes = [clock.shape(10 ** (x / 20)).layers for x in range(160, 240)]
    assert sizes == sorted(sizes)


def test_a_measured_clock_gives_back_what_was_measured():
    of = clock.measured(10.0, 0.1, [1.0, 1.1, 1.3])
    assert (of.draft_ms, of.target_ms(1), of.target_ms(3)) == (1.0, 10.0, 13.0)
    assert of.target_ms(5) == pytest.approx(10 * (1.3 + 2 * 0.15))
    assert clock.lanes([2], [3], of)["speedup"] == pytest.approx(30 / 15)
    assert clock.measured(10.0, 0.1, [1.0]).target_ms(4) == 10.0


def test_a_run_of_no_round_has_no_speedup():
    assert clock.lanes([], [], clock.measured(1.0, 0.1, [1.0, 1.0]))["speedup"] is None


def test_both_models_must_fit():
    ready = clock.passes(roofline.DEVICES["h100-sxm"], 70e9, 1e9, "bf16", 0, 1, 4)
    need = clock.memory(roofline.DEVICES["h100-sxm"], ready["plain"], ready["draft"])
    assert need == {"need": pytest.approx(142e9), "devices": 2}
    assert clock.memory(roofline.DEVICES["m4-max"], ready["plain"])["devices"] is None
