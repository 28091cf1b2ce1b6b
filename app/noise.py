"""Noise suppression: fans, keyboards and traffic are turned down before the model hears them.

Owns the use of `pywebrtc-audio`, an optional package: the program runs without it and says so when it is asked for.
Called by the audio thread for every 10 ms at 24 kHz; it adds 7 ms of delay while it is on.
"""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from app.ring import SAMPLE_RATE

log = logging.getLogger("parley.sound")

PACKAGE = "pywebrtc-audio"
MISSING = (
    f"Noise suppression needs the package {PACKAGE}, which is not installed: "
    f"install it with `pip install {PACKAGE}`, or turn noise suppression off in Settings."
)
FAILED = "Noise suppression stopped working and was left out: turn it off in Settings, or install {} again."
LEVEL = 1  # moderate: stronger levels eat the ends of words


class NoiseSuppressor:
    """Does nothing until it is first wanted; `trouble` then says why it cannot, "" when it can."""

    def __init__(self) -> None:
        self.trouble = ""
        self._processor: Any = None

    def process(self, block: np.ndarray, wanted: bool) -> np.ndarray:
        """block [240] float32 -> [240] float32."""
        if not wanted:
            self._processor, self.trouble = None, ""  # asked for again, it begins anew
            return block
        if self._processor is None and not self.trouble:
            self._processor, self.trouble = _new_processor()
        if self._processor is None:
            return block
        try:
            out = np.asarray(self._processor.process(np.ascontiguousarray(block)), np.float32)
        except Exception:  # a fault in somebody else's library must not end the talk
            log.exception("noise suppression failed")
            self._processor, self.trouble = None, FAILED.format(PACKAGE)
            return block
        return out if out.shape == block.shape else block


def _new_processor() -> tuple[Any, str]:
    try:
        import pywebrtc_audio
    except ImportError:
        return None, MISSING
    try:
        return pywebrtc_audio.AudioProcessor(sample_rate=SAMPLE_RATE, noise_suppression=True, ns_level=LEVEL), ""
    except Exception:
        log.exception("noise suppression did not start")
        return None, FAILED.format(PACKAGE)
