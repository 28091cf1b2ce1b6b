"""What the codec is trained for: mel spectra alike at many resolutions, a discriminator that cannot tell, and a reader
of phonemes who reads the same.

The discriminator reads complex spectrograms at several resolutions (EnCodec's multi-scale STFT discriminator,
narrower); its inner features serve as a second, learnt distance. Any device. Shapes: B clips, L samples.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.parametrizations import weight_norm


def mel_filters(sample_rate: int, size: int, bands: int) -> Tensor:
    """Triangular filters on the HTK mel scale, [size // 2 + 1, bands], each of unit sum."""
    top = 2595 * math.log10(1 + sample_rate / 2 / 700)
    centres = 700 * (10 ** (torch.linspace(0, top, bands + 2) / 2595) - 1)
    frequencies = torch.linspace(0, sample_rate / 2, size // 2 + 1)
    rising = (frequencies[:, None] - centres[None, :-2]) / (centres[1:-1] - centres[:-2])
    falling = (centres[None, 2:] - frequencies[:, None]) / (centres[2:] - centres[1:-1])
    filters = torch.minimum(rising, falling).clamp(min=0)
    return filters / filters.sum(0, keepdim=True).clamp(min=1e-8)


def mel_magnitudes(pcm: Tensor, size: int, hop: int, window: Tensor, filters: Tensor) -> Tensor:
    """pcm [B, L] -> [B, frames, bands], frames of `size` samples each `hop`, the first around sample 0."""
    spectrum = torch.stft(pcm, size, hop, window=window, center=True, pad_mode="constant", normalized=True,
                          return_complex=True)  # fmt: skip
    power = torch.view_as_real(spectrum).pow(2).sum(-1)
    return (power + 1e-10).sqrt().transpose(1, 2) @ filters


class MelDistance(nn.Module):
    """Mean absolute difference of log-mel spectra, averaged over window sizes from 64 to 2048 samples."""

    SCALES = ((2048, 160), (1024, 96), (512, 64), (256, 32), (128, 16), (64, 8))

    def __init__(self, sample_rate: int = 24_000, floor: float = 1e-4):
        super().__init__()
        self.floor = floor
        for size, bands in self.SCALES:
            self.register_buffer(f"window{size}", torch.hann_window(size), persistent=False)
            self.register_buffer(f"filters{size}", mel_filters(sample_rate, size, bands), persistent=False)

    def forward(self, made: Tensor, real: Tensor) -> Tensor:
        """made, real [B, L] float32 -> scalar. Half of the weight is on the log of magnitudes, half on magnitudes
        scaled to unit power, so that quiet parts count without ruling."""
        total = made.new_zeros(())
        for size, _ in self.SCALES:
            a = self._mel(made, size)
            with torch.no_grad():
                b = self._mel(real, size)
            total = total + (torch.log10(a + self.floor) - torch.log10(b + self.floor)).abs().mean()
            total = total + 0.5 * (a - b).abs().mean() / (b.mean() + 1e-3)
        return total / len(self.SCALES)

    def _mel(self, pcm: Tensor, size: int) -> Tensor:
        """[B, L] -> [B, frames, bands]."""
        window, filters = getattr(self, f"window{size}"), getattr(self, f"filters{size}")
        return mel_magnitudes(pcm, size, size // 4, window, filters)


class PhonemeReader(nn.Module):
    """A small recogniser of phonemes in sound, trained beside the codec on the originals. What it reads in a decoded
    clip must be what it reads in the original: spectra may be alike and a consonant gone."""

    def __init__(self, labels: int, width: int = 192, hop: int = 480, bands: int = 80):
        super().__init__()
        self.hop = hop
        self.register_buffer("window", torch.hann_window(2 * hop), persistent=False)
        self.register_buffer("filters", mel_filters(24_000, 2 * hop, bands), persistent=False)
        self.window: Tensor
        self.filters: Tensor
        shapes = ((bands, 1), (width, 1), (width, 2), (width, 4))
        self.layers = nn.ModuleList(nn.Conv1d(into, width, 5, padding=2 * d, dilation=d) for into, d in shapes)
        self.out = nn.Conv1d(width, labels, 1)

    def forward(self, pcm: Tensor) -> Tensor:
        """pcm [B, L] -> logits [B, labels, L / hop], one phoneme for each 20 ms. Reads about 0.35 s at once."""
        magnitudes = mel_magnitudes(pcm, 2 * self.hop, self.hop, self.window, self.filters)
        mel = torch.log10(magnitudes[:, : pcm.shape[1] // self.hop] + 1e-4).transpose(1, 2)
        x = (mel - mel.mean((1, 2), keepdim=True)) / 0.7
        for index, layer in enumerate(self.layers):
            y = F.gelu(layer(x))
            x = y if index == 0 else x + y
        return self.out(x)


def reading_loss(real: Tensor, made: Tensor) -> Tensor:
    """How far what is read in `made` is from what is read in `real`: Kullback-Leibler divergence of logits [B, labels,
    N], in nats a phoneme."""
    wanted = real.detach().log_softmax(1)
    return F.kl_div(made.log_softmax(1), wanted, reduction="none", log_target=True).sum(1).mean()


class SpectrogramCritic(nn.Module):
    """One resolution of the discriminator: dilated 2-D convolutions over a complex spectrogram.

    Magnitudes enter as their square roots, phases as they are: on the plain spectrum, where most of speech is a
    thousandth of its peaks, the discriminator learnt next to nothing (its loss stayed at chance).
    """

    def __init__(self, size: int, width: int):
        super().__init__()
        self.size = size
        self.register_buffer("window", torch.hann_window(size), persistent=False)
        self.window: Tensor
        layers: list[nn.Module] = [nn.Conv2d(2, width, (3, 9), padding=(1, 4))]
        layers += [nn.Conv2d(width, width, (3, 9), stride=(1, 2), dilation=(d, 1), padding=(d, 4)) for d in (1, 2, 4)]
        layers += [nn.Conv2d(width, width, (3, 3), padding=(1, 1))]
        out = nn.Conv2d(width, 1, (3, 3), padding=(1, 1))
        for layer in (*layers, out):  # torch's own start shrinks the signal layer by layer, until only biases are left
            nn.init.kaiming_normal_(cast(nn.Conv2d, layer).weight, a=0.2)
        self.layers = nn.ModuleList(weight_norm(layer) for layer in layers)
        self.out = weight_norm(out)

    def forward(self, pcm: Tensor, dtype: torch.dtype) -> tuple[Tensor, list[Tensor]]:
        """pcm [B, L] float32 of unit power -> scores [B, 1, frames, bins] and the features of each layer."""
        spectrum = torch.stft(pcm, self.size, self.size // 4, window=self.window, center=False, normalized=True,
                              return_complex=True)  # fmt: skip
        parts = torch.view_as_real(spectrum)
        parts = parts * (parts.pow(2).sum(-1, keepdim=True) + 1e-4).pow(-0.25)
        x = parts.permute(0, 3, 2, 1).to(dtype)
        features = []
        for layer in self.layers:
            x = F.leaky_relu(_convolve2d(layer, x), 0.2)
            features.append(x)
        return _convolve2d(self.out, x).float(), features


def _convolve2d(layer: Any, x: Tensor) -> Tensor:
    """Two input channels or one output channel are filled up with zeros to eight: the matrix units need them."""
    weight, bias = layer.weight.to(x.dtype), layer.bias.to(x.dtype)
    out, channels = weight.shape[:2]
    spare_out, spare_in = -out % 8, -channels % 8
    weight = F.pad(weight, (0, 0, 0, 0, 0, spare_in, 0, spare_out)).contiguous(memory_format=torch.channels_last)
    x = F.pad(x, (0, 0, 0, 0, 0, spare_in)).contiguous(memory_format=torch.channels_last)
    y = F.conv2d(x, weight, F.pad(bias, (0, spare_out)), layer.stride, layer.padding, layer.dilation)
    return y[:, :out]


class Discriminator(nn.Module):
    """Critics at several resolutions."""

    def __init__(self, sizes: Sequence[int] = (2048, 1024, 512, 256), width: int = 32):
        super().__init__()
        self.critics = nn.ModuleList(SpectrogramCritic(size, width) for size in sizes)

    def forward(self, pcm: Tensor, dtype: torch.dtype = torch.float32) -> list[tuple[Tensor, list[Tensor]]]:
        """[B, L] of about unit power -> per critic: scores and features."""
        return [critic(pcm, dtype) for critic in self.critics]


Judged = list[tuple[Tensor, list[Tensor]]]


def critic_loss(real: Judged, made: Judged) -> Tensor:
    """Hinge loss of the discriminator."""
    parts = [F.relu(1 - r).mean() + F.relu(1 + m).mean() for (r, _), (m, _) in zip(real, made, strict=True)]
    return torch.stack(parts).mean()


def deceiving_loss(made: Judged) -> Tensor:
    """Hinge loss of the generator."""
    return torch.stack([F.relu(1 - score).mean() for score, _ in made]).mean()


def feature_loss(real: Judged, made: Judged) -> Tensor:
    """Relative L1 distance of inner features (EnCodec, section 3.4)."""
    parts = []
    for (_, real_features), (_, made_features) in zip(real, made, strict=True):
        for r, m in zip(real_features, made_features, strict=True):
            r = r.detach().float()
            parts.append((r - m.float()).abs().mean() / r.abs().mean().clamp(min=1e-3))
    return torch.stack(parts).mean()
