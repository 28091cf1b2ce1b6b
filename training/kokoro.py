"""Kokoro-82M as a batched speech source: phonemes and a style vector in, 24 kHz audio and phoneme times out.

Owns the loading of the packed voices (`training/pack_voices.py` writes them) and their batched synthesis on any
device. Knows nothing of dialogues or codecs. The module code comes from the `kokoro` 0.9.4 wheel (Apache-2.0), whose
package initialiser is bypassed because it pulls a text front end that the phoneme strings make unnecessary; only its
network modules and `transformers` are needed. One caller, one thread.
"""

from __future__ import annotations

import io
import json
import lzma
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

SAMPLE_RATE = 24_000
SAMPLES_PER_UNIT = 600  # one duration unit of the predictor is 25 ms
MAX_PHONEMES = 158  # the packed style tables hold rows for utterances of up to 159 phonemes
MOST_STRETCH = 2  # units; with 8 more of silence behind it, an utterance's last word sounds on instead of ending

_ALBERT = {
    "hidden_size": 768,
    "num_attention_heads": 12,
    "intermediate_size": 2048,
    "max_position_embeddings": 512,
    "num_hidden_layers": 12,
    "dropout": 0.1,
}
_VOCODER: dict[str, Any] = {
    "upsample_kernel_sizes": [20, 12],
    "upsample_rates": [10, 6],
    "gen_istft_hop_size": 5,
    "gen_istft_n_fft": 20,
    "resblock_dilation_sizes": [[1, 3, 5]] * 3,
    "resblock_kernel_sizes": [3, 7, 11],
    "upsample_initial_channel": 512,
}


class Job(NamedTuple):
    """One utterance to speak. `style` is [256] f32; `speed` 1.0 is the voice's own pace."""

    ids: Sequence[int]
    style: torch.Tensor
    speed: float


class Spoken(NamedTuple):
    """`audio` [samples] f32 at 24 kHz, `units` the 25 ms durations of every token, both edge pads included."""

    audio: torch.Tensor
    units: list[int]


@dataclass(frozen=True)
class Speaker:
    """A loaded Kokoro: network, style tables by voice name ([rows, 256] f32), and phoneme ids."""

    network: torch.nn.Module
    voices: dict[str, torch.Tensor]
    vocabulary: dict[str, int]

    def ids(self, phonemes: str) -> list[int]:
        """Ids of a phoneme string. Raises ValueError on a symbol that the model does not know, or a too long text."""
        unknown = sorted({symbol for symbol in phonemes if symbol not in self.vocabulary})
        if unknown:
            raise ValueError(f"The phonemes {unknown} in '{phonemes}' are not in the voice model's table.")
        if len(phonemes) > MAX_PHONEMES:
            raise ValueError(f"'{phonemes}' has {len(phonemes)} phonemes; {MAX_PHONEMES} is the most. Split the text.")
        return [self.vocabulary[symbol] for symbol in phonemes]

    def style(self, blend: Sequence[tuple[str, float]], phonemes: int) -> torch.Tensor:
        """Weighted mean of voices' style rows for an utterance of this many phonemes, [256] f32."""
        return torch.stack([weight * self.voices[name][phonemes] for name, weight in blend]).sum(0)


def empty_network() -> torch.nn.Module:
    """The network with weights not yet set, keyed as in the packed file."""
    modules = _kokoro_modules()
    from transformers import AlbertConfig

    network = modules.KModel.__new__(modules.KModel)
    torch.nn.Module.__init__(network)
    network.bert = modules.CustomAlbert(AlbertConfig(vocab_size=178, **_ALBERT))
    network.bert_encoder = torch.nn.Linear(768, 512)
    network.predictor = modules.ProsodyPredictor(style_dim=128, d_hid=512, nlayers=3, max_dur=50, dropout=0.2)
    network.text_encoder = modules.TextEncoder(channels=512, kernel_size=5, depth=3, n_symbols=178)
    network.decoder = modules.Decoder(dim_in=512, style_dim=128, dim_out=80, **_VOCODER)
    for module in network.modules():
        if hasattr(module, "weight_g"):
            torch.nn.utils.remove_weight_norm(module)
    return network.eval()


def _kokoro_modules() -> types.ModuleType:
    """`kokoro.model` without `kokoro/__init__` and without the two small packages it only logs with."""
    if "kokoro" not in sys.modules:
        folders = [str(Path(p) / "kokoro") for p in sys.path if (Path(p) / "kokoro" / "istftnet.py").is_file()]
        if not folders:
            raise ModuleNotFoundError("The kokoro 0.9.4 wheel is not on the path: pip install --no-deps kokoro==0.9.4")
        package = types.ModuleType("kokoro")
        package.__path__ = folders
        sys.modules["kokoro"] = package
    silent = types.SimpleNamespace(debug=lambda *_, **__: None)
    for name, attributes in (("loguru", {"logger": silent}), ("attr", {"attr": None})):
        try:
            __import__(name)
        except ImportError:
            stand_in = types.ModuleType(name)
            stand_in.__dict__.update(attributes)
            sys.modules[name] = stand_in
    import kokoro.model

    return kokoro.model


def load(path: Path, device: str | torch.device = "cpu") -> Speaker:
    """Read the packed voices. Raises ValueError when keys do not match the network."""
    packed = np.load(io.BytesIO(lzma.decompress(path.read_bytes())))
    weights: dict[str, torch.Tensor] = {}
    voices: dict[str, torch.Tensor] = {}
    for key in packed.files:
        name, _, kind = key.rpartition("|")
        if kind == "q":
            grid = packed[key].astype(np.float32) + float(packed[f"{name}|o"][0])
            scale = packed[f"{name}|s"].reshape((-1,) + (1,) * (grid.ndim - 1))
            weights[name] = torch.from_numpy(grid * scale)
        elif kind == "f":
            weights[name] = torch.from_numpy(packed[key].astype(np.float32))
        elif name == "voice":
            voices[kind] = torch.from_numpy(packed[key].astype(np.float32)).to(device)
    network = empty_network()
    report = network.load_state_dict(weights, strict=False)
    missing = [key for key in report.missing_keys if "norm" not in key and "pooler" not in key]
    if report.unexpected_keys or missing:
        raise ValueError(f"{path.name} does not fit the network: missing {missing}, extra {report.unexpected_keys}.")
    vocabulary = json.loads(packed["vocab"].tobytes())["vocab"]
    return Speaker(network.to(device), voices, vocabulary)


class _Planned(NamedTuple):
    """What a batch is rendered from: prosody features [tokens, 640], text features [512, tokens], durations [tokens]
    in 25 ms units."""

    prosody: torch.Tensor
    text: torch.Tensor
    duration: torch.Tensor


@torch.no_grad()
def _planned(network: Any, ids: Sequence[Sequence[int]], style: torch.Tensor, speed: torch.Tensor) -> list[_Planned]:
    """A batch of utterances of any lengths."""
    device = style.device
    lengths = torch.tensor([len(item) + 2 for item in ids])
    longest = int(lengths.max())
    table = torch.zeros(len(ids), longest, dtype=torch.long)
    for row, item in enumerate(ids):
        table[row, 1 : 1 + len(item)] = torch.tensor(item)
    padding = (torch.arange(longest)[None] >= lengths[:, None]).to(device)
    table = table.to(device)
    hidden = network.bert_encoder(network.bert(table, attention_mask=(~padding).int())).transpose(-1, -2)
    prosody = network.predictor.text_encoder(hidden, style[:, 128:], lengths, padding)
    packed = torch.nn.utils.rnn.pack_padded_sequence(prosody, lengths, batch_first=True, enforce_sorted=False)
    recurrent = network.predictor.lstm(packed)[0]
    unpacked, _ = torch.nn.utils.rnn.pad_packed_sequence(recurrent, batch_first=True, total_length=longest)
    duration = torch.sigmoid(network.predictor.duration_proj(unpacked)).sum(-1) / speed[:, None]
    duration = duration.round().clamp(min=1).long()
    text = network.text_encoder(table, lengths, padding)
    return [_Planned(prosody[i, :n], text[i, :, :n], duration[i, :n]) for i, n in enumerate(lengths.tolist())]


@torch.no_grad()
def _render(network: Any, planned: Sequence[_Planned], style: torch.Tensor) -> list[torch.Tensor]:
    """Audio of utterances that last almost as long: the last, silent token is drawn out to the longest's end and cut
    off again."""
    totals = [int(item.duration.sum()) for item in planned]
    frames = max(totals)
    prosody, text = [], []
    for item, total in zip(planned, totals, strict=True):
        held = item.duration.clone()
        held[-1] += frames - total
        token = torch.repeat_interleave(torch.arange(len(held), device=held.device), held)
        prosody.append(item.prosody[token].t())
        text.append(item.text[:, token])
    pitch, energy = network.predictor.F0Ntrain(torch.stack(prosody), style[:, 128:])
    audio = network.decoder(torch.stack(text), pitch, energy, style[:, :128]).squeeze(1)
    return [audio[i, : total * SAMPLES_PER_UNIT] for i, total in enumerate(totals)]


def speak(speaker: Speaker, jobs: Sequence[Job], text_batch: int = 256, frames_per_batch: int = 24_000) -> list[Spoken]:
    """Speak all jobs; results in the same order. Utterances of the same length, give or take `MOST_STRETCH`, share a
    batch of at most `frames_per_batch` 25 ms frames: the more jobs at once, the larger the batches. The vocoder draws
    noise: seed torch for a repeatable result."""
    planned: dict[int, _Planned] = {}
    by_length = sorted(range(len(jobs)), key=lambda i: len(jobs[i].ids))
    for start in range(0, len(jobs), text_batch):
        chosen = by_length[start : start + text_batch]
        style = torch.stack([jobs[i].style for i in chosen])
        speed = torch.tensor([jobs[i].speed for i in chosen], device=style.device, dtype=torch.float32)
        plans = _planned(speaker.network, [jobs[i].ids for i in chosen], style, speed)
        planned.update(zip(chosen, plans, strict=True))
    totals = {i: int(plan.duration.sum()) for i, plan in planned.items()}
    results: dict[int, Spoken] = {}
    for rows in batches(totals, frames_per_batch):
        style = torch.stack([jobs[i].style for i in rows])
        for row, sound in zip(rows, _render(speaker.network, [planned[i] for i in rows], style), strict=True):
            results[row] = Spoken(sound, planned[row].duration.tolist())
    return [results[i] for i in range(len(jobs))]


def batches(totals: Mapping[int, int], frames_per_batch: int) -> Iterator[list[int]]:
    """Jobs to render together. totals: job -> its length in units."""
    rows: list[int] = []
    for job in sorted(totals, key=totals.__getitem__):
        if rows and (totals[job] - totals[rows[0]] > MOST_STRETCH or totals[job] * (len(rows) + 1) > frames_per_batch):
            yield rows
            rows = []
        rows.append(job)
    if rows:
        yield rows
