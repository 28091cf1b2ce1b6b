"""Who speaks: the model's own voices, the many user voices of training, and the voices kept for tests.

Voices are blends of Kokoro's style tables with a pace and a playback rate (which shifts pitch and formants). The test
voices appear in no training voice, not even in a blend; nor do the own voices and their near twins, so that a voice
prompt cannot be confused with a user. Data and random choice only.
"""

from __future__ import annotations

import random
from typing import NamedTuple

OWN = ("af_heart", "am_michael", "bf_emma", "bm_george")
OWN_NAMES = ("Heart", "Michael", "Emma", "George")  # as the program lists them: voices/Heart.flac
NEAR_TWINS = ("af_nova", "af_sarah", "af_bella")  # speaker similarity to af_heart of 0.86 and more
HELD_OUT = ("bm_lewis", "af_kore", "am_eric", "bf_lily")
ENGLISH = (
    "af_alloy", "af_aoede", "af_jessica", "af_nicole", "af_river", "af_sky", "am_adam", "am_echo", "am_fenrir",
    "am_liam", "am_onyx", "am_puck", "am_santa", "bf_alice", "bf_isabella", "bm_daniel", "bm_fable",
)  # fmt: skip
FOREIGN = (
    "ef_dora", "em_alex", "em_santa", "ff_siwis", "hf_alpha", "hf_beta", "hm_omega", "hm_psi", "if_sara", "im_nicola",
    "jf_alpha", "jf_gongitsune", "jf_nezumi", "jf_tebukuro", "jm_kumo", "pf_dora", "pm_alex", "pm_santa", "zf_xiaobei",
    "zf_xiaoni", "zf_xiaoxiao", "zf_xiaoyi", "zm_yunjian", "zm_yunxi", "zm_yunxia", "zm_yunyang",
)  # fmt: skip


class Voice(NamedTuple):
    """blend: (style table, weight) pairs; speed: the synthesiser's pace; rate: playback speed-up after synthesis."""

    blend: tuple[tuple[str, float], ...]
    speed: float = 1.0
    rate: float = 1.0


def own_voice(index: int) -> Voice:
    """One of the model's own voices, as it is."""
    return Voice(((OWN[index], 1.0),))


def user_voice(rng: random.Random, held_out: bool) -> Voice:
    """A random user. Held-out users are the four test voices, singly or in pairs."""
    if held_out:
        names = rng.sample(HELD_OUT, rng.choice((1, 1, 1, 2)))
    elif rng.random() < 0.15:
        names = [rng.choice(FOREIGN), *rng.sample(ENGLISH, rng.choice((0, 1)))]
    else:
        names = rng.sample(ENGLISH, rng.choice((1, 1, 2, 2, 3)))
    weights = [rng.uniform(0.25, 1) for _ in names]
    blend = tuple((name, weight / sum(weights)) for name, weight in zip(names, weights, strict=True))
    rate = rng.uniform(0.86, 1.17) if rng.random() < 0.5 else 1.0
    return Voice(blend, rng.uniform(0.82, 1.22), rate)
