"""Whether a trained model still says the same with its memory of the talk (the attention rings, KV) in 8 bits.

Owns the question, the refusal, and the judgement that is kept in the cache of converted models for the next load. The
gate is that of the weights' precision, or of the 8-bit ones where the weights are as they were. Engine thread.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import torch

from engine.agreement import LEAST_MATCH, Agreement
from engine.config import LMConfig
from engine.conversion import VERDICT, Columns, judge, read_verdict
from engine.errors import EngineError
from engine.file_identity import converted_name, identity
from engine.quantized_file import made_whole
from engine.weights import Loading, ModelFiles


def refuse_unlike(
    plain: ModelFiles, used: ModelFiles, config: LMConfig, kv: str, precision: str, cache: Path, columns: Columns,
    device: torch.device, loading: Loading | None = None,
) -> Agreement:  # fmt: skip
    """How far `used`, with its rings in `kv`, agrees with `plain` on the token columns. Raises EngineError where that
    is too little.

    plain: the model as it came; used: the same, or its twin in a quantised precision. Judged once for each pair, and
    only then are the columns made.
    """
    name = Path(converted_name(f"kv-{kv}-{precision}", identity(plain.model))).with_suffix(VERDICT)
    judgement = read_verdict(cache / name)
    if judgement is None:
        judgement = judge(plain, used, config, columns(), device, loading, kv)._asdict()
        text = json.dumps(judgement).encode("ascii")
        with suppress(OSError, EngineError):
            cache.mkdir(parents=True, exist_ok=True)
            made_whole(cache / name, lambda path: path.write_bytes(text))
    agreement = Agreement(**judgement)  # type: ignore[arg-type]
    least = LEAST_MATCH["int8"] if used == plain else LEAST_MATCH[precision]
    if agreement.match < least:
        share = 100 * agreement.match
        raise EngineError(
            f"With its memory of the talk in 8 bits this model says the same as before in only {share:.1f} % of "
            f"its tokens (at least {100 * least:.0f} % are needed), so that is not offered: set model.kv to full."
        )
    return agreement
