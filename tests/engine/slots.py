"""What the slots of a model must hold after every round."""


def hold_a_fresh_reading(model, slots, ids) -> None:
    """The keys and values of the text, as if it had just been read for the first time."""
    fresh = model.slots()
    model.forward(ids[: slots.length], fresh)
    for kept, new in zip(slots.layers, fresh.layers, strict=True):
        for name in ("keys", "values"):
            a, b = (getattr(layer, name)[:, :, : slots.length] for layer in (kept, new))
            assert (a - b).abs().max() < 1e-5
