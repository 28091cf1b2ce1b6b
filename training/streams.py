"""From talks to what the language model is trained on: rendered tracks, codes, words in frames, prompt phases, delays.

Shapes: B talks, L samples, F frames of a whole sequence (prompt phases and talk), K streams, Q codebooks a side.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from engine.config import LMConfig
from training import augment
from training.bank import Bank
from training.codec import Codec
from training.talks import RATE, Composer, Piece, Talk, Word
from training.vocabulary import END_OF_PADDING, PADDING, Vocabulary

FRAME = 1920
FRAME_RATE = 12.5
UNDERSTOOD_AFTER = 0.16  # seconds from the end of a user's word to the frame in which its first piece must be known
SILENT_FRAMES = 6  # after the voice and again after the persona (personaplex.md)
_FADE = 480


class PromptCodes(NamedTuple):
    """One frame of codes each, [Q]: what fills the own and the user side while a prompt is given."""

    silence: Tensor
    sine: Tensor


def prompt_codes(codec: Codec, device: torch.device) -> PromptCodes:
    """Codes to which silence and a 440 Hz tone settle with this codec: the commonest of each codebook in 2 s."""
    at = torch.arange(RATE * 4, device=device) / RATE
    sounds = torch.stack((torch.zeros_like(at), 0.5 * torch.sin(2 * torch.pi * 440 * at)))
    codes = codec.codes(sounds[:, : len(at) // FRAME * FRAME])
    settled = codes[..., 25:].mode(-1).values
    return PromptCodes(settled[0], settled[1])


def text_frames(words: Sequence[Word], vocabulary: Vocabulary, frames: int) -> list[int]:
    """The text stream: each word's pieces from the frame in which it starts, the end of padding before, padding else.
    Pieces that find their frame taken come as soon as they can. [frames]"""
    stream = [PADDING] * frames
    free = 0
    for word in words:
        start = max(int(word.at * FRAME_RATE), free)
        pieces = vocabulary.ids(word.text)
        if start + len(pieces) > frames:
            break
        if start > 0 and stream[start - 1] == PADDING:
            stream[start - 1] = END_OF_PADDING
        stream[start : start + len(pieces)] = pieces
        free = start + len(pieces)
    return stream


def heard_frames(words: Sequence[Word], vocabulary: Vocabulary, frames: int) -> list[int]:
    """[frames]: from `UNDERSTOOD_AFTER` a word's end on its pieces, one a frame, as soon as the words before are
    spelled; padding else."""
    stream = [PADDING] * frames
    free = 0
    for word in words:
        for piece in vocabulary.ids(word.text.strip(",.?!")):
            at = max(int((word.at + UNDERSTOOD_AFTER) * FRAME_RATE), free)
            if at >= frames:
                return stream
            stream[at] = piece
            free = at + 1
    return stream


def importance(text: Sequence[int], own: Sequence[Piece], frames: int) -> Tensor:
    """[frames, 2]: how much the text and the sound of each frame count. Speech and its edges count fully, words twice;
    the silence between is long and easy."""
    weights = torch.empty(frames, 2)
    weights[:, 0], weights[:, 1] = 0.2, 0.1
    for piece in own:
        first, last = piece.at // FRAME, (piece.at + piece.length) // FRAME
        weights[max(0, first - 2) : last + 4, 1] = 1
        weights[max(0, first - 2) : last + 4, 0] = 0.5
    stream = torch.tensor(text)
    weights[stream != PADDING, 0] = 2
    return weights


def render(pieces: Sequence[Sequence[Piece]], tape: Tensor, samples: int) -> Tensor:
    """Lay the pieces of each talk on a track. [B, samples] float32"""
    track = torch.zeros(len(pieces), samples, device=tape.device)
    ramp = torch.linspace(0, 1, _FADE, device=tape.device)
    for row, talk in enumerate(pieces):
        for piece in talk:
            length = min(piece.length, samples - piece.at)
            if length <= 0:
                continue
            sound = tape[piece.source : piece.source + length].float() / 32768
            if piece.fade_in and length > _FADE:
                sound[:_FADE] *= ramp
            if piece.fade_out and length > _FADE:
                sound[-_FADE:] *= ramp.flip(0)
            track[row, piece.at : piece.at + length] += sound
    return track


def room_and_noise(user: Tensor, own: Tensor, rng: random.Random) -> Tensor:
    """What the microphone hears: the user, coloured, in a room with noise, a far echo of the own voice now and then."""
    heard = augment.microphone(augment.coloured(user), level=(-14, 6), noisy=0.6, roomy=0.3)
    for row in range(len(user)):
        if rng.random() < 0.3:
            delay = rng.randint(1400, 7000)
            gain = 10 ** (rng.uniform(-45, -22) / 20)
            heard[row, delay:] += gain * own[row, :-delay]
        if rng.random() < 0.15:
            heard[row] = user[row]  # clean, with digital silence between
    return heard.clamp(-1, 1)


def delayed(frames: Tensor, config: LMConfig) -> Tensor:
    """Frames [B, K, F] -> ring columns [B, K, F]: stream k at position p holds the token of frame p - delay[k], or the
    initial token where p <= delay[k] (lm.md 8)."""
    length = frames.shape[-1]
    delays = torch.tensor(config.delays, device=frames.device)[:, None]
    position = torch.arange(length, device=frames.device)[None]
    columns = frames.gather(2, (position - delays).clamp(min=0).expand(len(frames), -1, -1))
    initial = torch.tensor(config.initial_tokens, device=frames.device)[:, None]
    return torch.where(position <= delays, initial, columns)


@dataclass
class Sequences:
    """columns int16 [B, K, F] of the token ring; weights float16 [B, F - 1, 2] of what is predicted; heard int16
    [B, F - 1]: the piece of the user's words that must be known once that column has been read; the talks."""

    columns: Tensor
    weights: Tensor
    heard: Tensor
    talks: list[Talk]
    prompts: list[int]  # frames that the prompt phases take

    @property
    def batch(self) -> tuple[Tensor, Tensor, Tensor]:
        """What is trained on: columns, weights, heard."""
        return self.columns, self.weights, self.heard


class Studio:
    """Turns bank, dialogues and codec into training sequences."""

    def __init__(
        self, bank: Bank, composer: Composer, codec: Codec, vocabulary: Vocabulary, config: LMConfig, seed: int
    ):
        self.bank, self.composer, self.codec, self.vocabulary, self.config = bank, composer, codec, vocabulary, config
        self.rng = random.Random(seed)
        self.device = bank.tape.device
        self.fillers = prompt_codes(codec, self.device)
        self.voice_prompts = [self._voice_prompts(voice) for voice in range(len(composer.own_lines))]

    def _voice_prompts(self, voice: int, count: int = 24, seconds: float = 4.0) -> Tensor:
        """Codes of some seconds of an own voice, [count, Q, frames]: each fits the voice prompt's phase."""
        samples = round(seconds * FRAME_RATE) * FRAME
        rows = torch.zeros(count, samples, device=self.device)
        for row in rows:
            at = 0
            while at < samples and self.composer.own_lines[voice]:
                sound = self.bank.sound(self.rng.choice(self.composer.own_lines[voice]))[: samples - at]
                row[at : at + len(sound)] = sound
                at += len(sound) + RATE // 8
            row *= 10 ** (self.rng.uniform(-4, 3) / 20)
        return self.codec.codes(rows)

    @torch.no_grad()
    def sequences(self, count: int, frames: int) -> Sequences:
        """`count` sequences of `frames` frames."""
        rng, device, config = self.rng, self.device, self.config
        talks = [self.composer.talk(rng, frames / FRAME_RATE) for _ in range(count)]
        prompts = [self._prompt(talk) for talk in talks]
        samples = frames * FRAME
        own = render([talk.own for talk in talks], self.bank.tape, samples)
        user = room_and_noise(render([talk.user for talk in talks], self.bank.tape, samples), own, rng)
        codes = torch.cat([self.codec.codes(part) for part in torch.cat((own, user)).split(16)])
        whole = torch.full((count, config.streams, frames), PADDING, dtype=torch.long, device=device)
        weights, heard = torch.zeros(count, frames, 2), torch.full((count, frames), PADDING, dtype=torch.int16)
        for row, (talk, prompt) in enumerate(zip(talks, prompts, strict=True)):
            start, rest = prompt.shape[1], frames - prompt.shape[1]
            text = text_frames(talk.words, self.vocabulary, frames)
            whole[row, :, :start] = prompt
            whole[row, 0, start:] = torch.tensor(text[:rest], device=device)
            whole[row, 1 : 1 + config.own, start:] = codes[row, : config.own, :rest]
            whole[row, 1 + config.own :, start:] = codes[count + row, : config.user, :rest]
            weights[row, start:] = importance(text, talk.own, frames)[:rest]
            heard[row, start:] = torch.tensor(heard_frames(talk.heard, self.vocabulary, frames)[:rest])
        columns = delayed(whole, config).to(torch.int16)
        return Sequences(
            columns, weights[:, 1:].half().to(device), heard[:, :-1].to(device), talks, [p.shape[1] for p in prompts]
        )

    def _prompt(self, talk: Talk) -> Tensor:
        """The prompt phases of a talk, [K, frames]; without voice and persona there are none, and voice 0 speaks."""
        config, rng = self.config, self.rng
        with_voice = talk.voice != 0 or rng.random() < 0.7
        persona = self.vocabulary.persona_ids(talk.prompt)
        if not with_voice and not persona:
            return torch.zeros(config.streams, 0, dtype=torch.long, device=self.device)
        silent = [PADDING] * SILENT_FRAMES
        spoken = torch.tensor([*silent, *persona, *silent], device=self.device)
        own = self.fillers.silence[:, None].expand(-1, len(spoken))
        text = spoken
        if with_voice:
            bank = self.voice_prompts[talk.voice]
            voice = bank[rng.randrange(len(bank)), :, : rng.randint(25, bank.shape[-1])]
            own = torch.cat((voice, own), 1)
            text = torch.cat((torch.full((voice.shape[1],), PADDING, device=self.device), spoken))
        user = self.fillers.sine[:, None].expand(-1, len(text))
        return torch.cat((text[None], own[: config.own], user[: config.user]))
