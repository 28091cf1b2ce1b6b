"""Sample values: levels, limits, 16 bits.

Owns the one place where samples are limited to full scale and the one where they become integers. Pure functions over
arrays; any thread.
"""

from __future__ import annotations

import math

import numpy as np

QUIETEST_DBFS = -120.0  # what a meter shows for digital silence
LOUDEST = 4.0  # some drivers and decoders go beyond full scale, none by more than that


def limit_into(pcm: np.ndarray, out: np.ndarray) -> int:
    """Copies `pcm` into `out` within [-1, 1], nan as silence. Returns how many samples that changed."""
    np.clip(pcm, -1.0, 1.0, out=out)
    changed = int(np.count_nonzero(out != pcm))  # nan differs from itself
    if changed:
        np.nan_to_num(out, copy=False, nan=0.0)
    return changed


def to_pcm16(pcm: np.ndarray) -> np.ndarray:
    """[n] float32 -> [n] int16, limited once and rounded once; full scale is 32767, so that no sign can flip."""
    limited = np.zeros(pcm.shape, np.float32)
    limit_into(pcm, limited)
    return np.round(limited * 32767.0).astype(np.int16)


def peak(pcm: np.ndarray) -> float:
    """Largest magnitude; 0.0 of nothing."""
    return float(max(pcm.max(), -pcm.min())) if pcm.size else 0.0


def dbfs(level: float) -> float:
    """A magnitude (1.0 = full scale) in dB, not below the quietest."""
    return max(QUIETEST_DBFS, 20.0 * math.log10(level)) if level > 0.0 else QUIETEST_DBFS
