"""A persona: the voice and the words that are put before a talk, as one block of token-ring columns.

Owns the prompt phases (facts: personaplex.md "Prompt phases") and the reading of stored voices, which are checked whole
before anything of them is used. Pure functions over tensors: the codec, the model and the talk are the engine's.
Called from the engine thread.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from engine.config import LMConfig, PromptCodes
from engine.errors import EngineError
from engine.lm import UNGENERATED
from engine.voice_file import ForbiddenError, VoiceFileError, read_tensors

FRAME_RATE = 12.5
SILENCE_FRAMES = 6  # int(0.5 s x 12.5 Hz), after the voice and again after the text
TAG = "<system>"  # opens and closes the persona's text; ordinary characters for the tokenizer
LEAST_TALK_FRAMES = 125  # 10 s of memory must be left for the talk itself
FLOATS = (torch.bfloat16, torch.float16, torch.float32)


@dataclass(frozen=True)
class VoicePrompt:
    """A voice of `frames` frames: its codes, or what a .pt file stores in their place.

    codes: int64 [frames, own].
    embeddings, cache: the summed input embeddings [frames - 1, dim] of positions 0..frames-2, and the token ring
        int64 [streams, max_delay + 3] as it stood when the voice ended; slot = position mod its width.
    """

    frames: int
    codes: Tensor | None = None
    embeddings: Tensor | None = None
    cache: Tensor | None = None


@dataclass(frozen=True)
class Prompt:
    """What `Duplex.prime` consumes.

    embeddings: float [first_position, dim] for positions 0..first_position-1, or None (then first_position is 0).
    tokens: int64 [streams, n], the token ring's columns for positions first_position..frames. Stream k at position p
        holds the token of frame p - delay[k], or its initial token where p <= delay[k]. The last column, position
        `frames`, holds what the last frame leaves there by delay and UNGENERATED elsewhere.
    prefix_columns, prefix_key: so many first positions depend on the voice alone; equal keys mean equal positions.
    text_tokens: the persona's text as it was tokenised.
    """

    tokens: Tensor
    first_position: int
    embeddings: Tensor | None
    prefix_columns: int
    prefix_key: str
    text_tokens: tuple[int, ...]

    @property
    def frames(self) -> int:
        """Positions that the prompt takes of the model's memory, 80 ms each."""
        return self.first_position + self.tokens.shape[1] - 1


def wrap_text(text: str | None) -> str:
    """The persona's text between its tags; "" for None and blanks, which mean that there is none."""
    text = (text or "").strip()
    if not text or (text.startswith(TAG) and text.endswith(TAG)):
        return text
    return f"{TAG} {text} {TAG}"


def prompt_frames(voice_frames: int, text_tokens: int) -> int:
    """Frames of 80 ms that a prompt takes of the model's memory, one for each token of text (user report V9); 0 for
    neither voice nor text."""
    if not voice_frames and not text_tokens:
        return 0
    return voice_frames + text_tokens + 2 * SILENCE_FRAMES


def check_length(config: LMConfig, voice_frames: int, text_tokens: int) -> None:
    """Raises EngineError when a prompt would leave too little of the model's memory for the talk."""
    frames = prompt_frames(voice_frames, text_tokens)
    if frames > config.context - min(LEAST_TALK_FRAMES, config.context // 4):
        raise EngineError(
            f"Voice and persona use {frames / FRAME_RATE:.0f} of the {config.context / FRAME_RATE:.0f} s that the "
            f"model remembers ({voice_frames} frames of voice, {text_tokens} tokens of text): shorten them."
        )


# ---------------------------------------------------------------- the prompt


def build_prompt(
    config: LMConfig, codes: PromptCodes, voice: VoicePrompt | None, text_tokens: Sequence[int]
) -> Prompt | None:
    """The prompt of a voice (or None) and a tokenised text (or ()); None when there is neither.

    Raises EngineError when it is too long or a token is outside the vocabulary.
    """
    if voice is None and not text_tokens:
        return None
    if not all(0 <= token < config.text_card for token in text_tokens):
        raise EngineError("The tokenizer gave a token that the model does not know: it belongs to another model.")
    check_length(config, voice.frames if voice else 0, len(text_tokens))
    frames = _spoken_frames(config, codes, text_tokens)
    first, embeddings, before = 0, None, None
    if voice is not None and voice.codes is not None:
        frames = torch.cat((_voice_frames(config, codes, voice.codes), frames), dim=1)
    elif voice is not None:
        first, embeddings, before = voice.frames - 1, voice.embeddings, voice.cache
    tokens = _columns(config, frames, first, before)
    prefix = (voice.frames if voice else 0) + SILENCE_FRAMES
    key = _digest(embeddings, tokens[:, : prefix - first])
    return Prompt(tokens, first, embeddings, prefix, key, tuple(text_tokens))


def _rows(config: LMConfig, text: Tensor, own: Tensor, user: Sequence[int]) -> Tensor:
    """text [n], own [n, own], one frame of user codes -> frames [streams, n]."""
    heard = torch.tensor(user, dtype=torch.int64).expand(len(text), config.user)
    return torch.cat((text[:, None], own, heard), dim=1).T


def _voice_frames(config: LMConfig, codes: PromptCodes, voice: Tensor) -> Tensor:
    """Phase 1: the model hears itself speak in the voice, without words."""
    text = torch.full((len(voice),), config.existing_text_padding_id)
    return _rows(config, text, voice, codes.sine)


def _spoken_frames(config: LMConfig, codes: PromptCodes, text_tokens: Sequence[int]) -> Tensor:
    """Phases 2 to 4: silence, the text at one token a frame, silence."""
    pause = [config.existing_text_padding_id] * SILENCE_FRAMES
    text = torch.tensor([*pause, *text_tokens, *pause], dtype=torch.int64)
    own = torch.tensor(codes.silence, dtype=torch.int64).expand(len(text), config.own)
    return _rows(config, text, own, codes.sine)


def _columns(config: LMConfig, frames: Tensor, first: int, cache: Tensor | None) -> Tensor:
    """Frames [streams, n] put under their delays -> ring columns for positions first..end.

    Without a cache the frames start at frame 0, and so does the ring. With one they follow frame `first`, the voice's
    last, and what earlier frames left at their positions is the cache's.
    """
    start = 0 if cache is None else first + 1  # the frame in column 0 of `frames`
    end = start + frames.shape[1]
    position = torch.arange(first, end + 1)[None, :]
    delays, initial = (torch.tensor(values)[:, None] for values in (config.delays, config.initial_tokens))
    frame = position - delays  # [streams, columns]
    columns = frames.gather(1, (frame - start).clamp(0, frames.shape[1] - 1))
    if cache is not None:
        stored = cache.gather(1, (position % cache.shape[1]).expand_as(frame))
        columns = torch.where(frame < start, stored, columns)
    columns = torch.where(position <= delays, initial, columns)
    return torch.where(frame >= end, UNGENERATED, columns)


def _digest(embeddings: Tensor | None, tokens: Tensor) -> str:
    """Names the content of a prefix, so that a changed voice file under an old name is not mistaken for it."""
    digest = hashlib.sha256(tokens.contiguous().numpy().tobytes())
    if embeddings is not None:
        digest.update(embeddings.contiguous().view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


# ---------------------------------------------------------------- voices


def voice_from_codes(config: LMConfig, codes: Sequence[Sequence[int]]) -> VoicePrompt:
    """A voice from the codes of a recording, one list of `own` codes a frame (`Duplex.encode_voice`)."""
    rows = torch.tensor([list(frame) for frame in codes], dtype=torch.int64)
    assert rows.shape == (len(codes), config.own), "one list of own codes for each frame"
    return VoicePrompt(len(rows), codes=rows)


def load_voice(path: Path, config: LMConfig) -> VoicePrompt:
    """Read a stored voice (.pt, facts: personaplex.md "Voices").

    The file is a pickle, which could run code: only plain tensors are unpickled, and everything is checked before
    anything is returned. Raises EngineError with one sentence.
    """
    stored = _unpickle(path, config)
    if not isinstance(stored, dict) or not {"embeddings", "cache"} <= stored.keys():
        raise EngineError(f"{path.name} is not a voice: a voice file holds `embeddings` and `cache`.")
    embeddings = _plain(path, "embeddings", stored["embeddings"], FLOATS)
    if embeddings.dim() != 4 or embeddings.shape[1:] != (1, 1, config.dim):
        raise EngineError(
            f"{path.name} has embeddings of shape {list(embeddings.shape)} where [frames, 1, 1, {config.dim}] is "
            "needed: it was made for another model."
        )
    frames = embeddings.shape[0] + 1
    if frames > config.context:
        raise EngineError(f"{path.name} has {frames} frames, more than the {config.context} that the model remembers.")
    if not torch.isfinite(embeddings).all():
        raise EngineError(f"{path.name} is damaged: its embeddings are not all finite numbers.")
    cache = _plain(path, "cache", stored["cache"], (torch.int64,))
    wanted = (1, config.streams, config.max_delay + 3)
    if cache.shape != wanted:
        raise EngineError(f"{path.name} has a cache of shape {list(cache.shape)} where {list(wanted)} is needed.")
    _check_tokens(path, cache[0], frames, config)
    return VoicePrompt(frames, embeddings=embeddings[:, 0, 0].contiguous(), cache=cache[0].contiguous())


def _unpickle(path: Path, config: LMConfig) -> Any:
    """Tensors only, and only as much as a voice of this model can be."""
    limit = 4 * config.context * config.dim + (1 << 20)
    try:
        return read_tensors(path, limit)
    except VoiceFileError as error:
        raise EngineError(f"{path.name} is not a voice file, or it is damaged.") from error
    except ForbiddenError as error:
        raise EngineError(f"{path.name} was refused: it is damaged, or opening it would run a program.") from error
    except FileNotFoundError as error:
        raise EngineError(f"The voice file {path} is missing: choose another voice.") from error
    except OSError as error:
        raise EngineError(f"The voice file {path} may not be read: {error.strerror or error}.") from error


def _plain(path: Path, name: str, value: Any, dtypes: Sequence[torch.dtype]) -> Tensor:
    """The value, if it is an ordinary dense tensor of one of the types."""
    if not isinstance(value, Tensor) or value.layout != torch.strided or value.device.type != "cpu":
        raise EngineError(f"{path.name} is not a voice: its `{name}` is not a plain tensor.")
    if value.dtype not in dtypes:
        raise EngineError(f"{path.name} has `{name}` of type {str(value.dtype).removeprefix('torch.')}: not a voice.")
    return value.detach()


def _check_tokens(path: Path, cache: Tensor, frames: int, config: LMConfig) -> None:
    """Every token that will be read must be one of its stream's; the others may also be the ring's filler."""
    delays, highest = (torch.tensor(values)[:, None] for values in (config.delays, config.initial_tokens))
    position = torch.arange(frames - 1, frames + config.max_delay)[None, :]
    needed = (position - delays < frames).expand(config.streams, -1)
    read = cache.gather(1, (position % cache.shape[1]).expand_as(needed))
    sound = (cache >= UNGENERATED) & (cache <= highest)
    if not sound.all() or not ((read >= 0) | ~needed).all():
        raise EngineError(f"{path.name} is damaged: its cache holds tokens that the model does not know.")
