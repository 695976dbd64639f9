"""The shapes and figures of every bundled pair, in one place."""

POEM = {
    "name": "poem",
    "context": 1024,
    "seen_at_least": 4,  # a rarer character is spelt in bytes
    # Deep and narrow: one target pass is mostly launches, so depth, not width, makes a draft token cheap beside it.
    "target": {
        "shape": {
            "hidden_size": 256,
            "intermediate_size": 576,
            "num_hidden_layers": 12,
            "num_attention_heads": 4,
            "num_key_value_heads": 4,
        },
        "known_times": 12,  # how often an epoch repeats the three hundred best-known poems
        "steps": 1920,
        "long_steps": (1700, 1800),
        "batch_tokens": 4096,
        "lr": 3e-3,
        "decay": 0.1,
        "seed": 1,
    },
    # The texts on which the draft will be asked; three poems in four are no longer than this.
    "samples": {"parts": 32, "a_part": 2048, "longest": 72, "seed": 2},
    # One layer: its time is its launches and the head, so width costs little and depth much. As wide as the target, it
    # starts from the target's own token vectors.
    "draft": {
        "shape": {
            "hidden_size": 256,
            "intermediate_size": 1536,
            "num_hidden_layers": 1,
            "num_attention_heads": 4,
            "num_key_value_heads": 4,
        },
        "known_times": 10,  # known to the draft too, but not quite
        "kl_steps": 500,
        "steps": 3500,
        "own_every": 1,  # after those, every how many steps the target's own samples are read
        "batch_tokens": 4096,
        "lr": 4e-3,
        "decay": 0.1,
        "seed": 3,
    },
}

ENGLISH = {
    "name": "english",
    "context": 1024,
    "tokens": 4096,
    "shares": {"verse": 0.42, "code": 0.54, "known": 0.04},  # of every batch
    "held_out_lines": 24,  # of a piece of a held-out text: its loss is counted from its beginning
    "target": {
        "shape": {**POEM["target"]["shape"]},
        "steps": 1700,
        "long_steps": (1460, 1510),
        "batch_tokens": 4096,
        "lr": 3e-3,
        "decay": 0.1,
        "seed": 11,
    },
    "samples": {"parts": 4, "a_part": 512, "longest": 256, "seed": 12},
    "draft": {
        "shape": {**POEM["draft"]["shape"]},
        "kl_steps": 400,
        "steps": 1850,
        "own_every": 3,
        "long_steps": (340, 360),
        "batch_tokens": 4096,
        "lr": 4e-3,
        "decay": 0.1,
        "seed": 13,
    },
}
