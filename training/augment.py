"""What happens to speech between a mouth and a microphone: level, room, noise. Batched, on the training device.

Every draw comes from torch's generator of the device. Shapes: B clips, L samples; all float32 at 24 kHz.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor


def _chance(probability: float, items: int, device: torch.device) -> Tensor:
    """[items, 1] of 0 and 1."""
    return (torch.rand(items, 1, device=device) < probability).float()


def _between(low: float, high: float, items: int, device: torch.device) -> Tensor:
    return torch.rand(items, 1, device=device) * (high - low) + low


def decibels(value: Tensor) -> Tensor:
    return torch.pow(10.0, value / 20)


def _as_loud(made: Tensor, sound: Tensor, most: float) -> Tensor:
    """`made` [items, length] with the RMS that `sound` has, made louder by no more than a factor of `most`."""
    power = sound.pow(2).mean(-1, keepdim=True) / made.pow(2).mean(-1, keepdim=True).clamp(min=1e-9)
    return made * power.clamp(max=most**2).sqrt()


def colored_noise(items: int, length: int, device: torch.device) -> Tensor:
    """Noise whose power falls by 0 to 9 dB an octave (white to brown), unit RMS. [items, length]"""
    spectrum = torch.fft.rfft(torch.randn(items, length, device=device))
    frequency = torch.linspace(1 / length, 1, spectrum.shape[-1], device=device).clamp(min=0.004)
    tilt = _between(0, 1.5, items, device) / 2
    noise = torch.fft.irfft(spectrum * frequency ** (-tilt), n=length)
    return noise / noise.pow(2).mean(-1, keepdim=True).sqrt().clamp(min=1e-8)


def hum(items: int, length: int, device: torch.device) -> Tensor:
    """Steady tones with a few harmonics: mains, fans, music held on a chord. Unit RMS. [items, length]"""
    at = torch.arange(length, device=device) / 24_000
    total = torch.zeros(items, length, device=device)
    base = 50 * torch.pow(24.0, torch.rand(items, 1, device=device))  # 50 to 1200 Hz
    for harmonic in range(1, 6):
        phase = _between(0, 2 * math.pi, items, device)
        total += torch.rand(items, 1, device=device) / harmonic * torch.sin(2 * math.pi * base * harmonic * at + phase)
    return total / total.pow(2).mean(-1, keepdim=True).sqrt().clamp(min=1e-8)


def music(items: int, length: int, device: torch.device) -> Tensor:
    """A tune of plucked tones on a scale over a soft chord, unit RMS. [items, length]"""
    at = torch.arange(length, device=device) / 24_000
    beat = _between(0.18, 0.5, items, device)
    note = (at / beat).long()
    scale = torch.tensor([0, 2, 4, 5, 7, 9, 11, 12], device=device)
    degrees = scale[torch.randint(8, (items, int(length / 24_000 / 0.18) + 2), device=device)]
    root = 110 * torch.pow(4.0, torch.rand(items, 1, device=device))
    pitch = root * torch.pow(2.0, degrees.gather(1, note) / 12)
    phase = 2 * math.pi * torch.cumsum(pitch / 24_000, -1)
    pluck = torch.exp(-4 * (at / beat - note))
    tune = sum(torch.sin(harmonic * phase) / harmonic**1.5 for harmonic in (1, 2, 3, 4)) * pluck
    chord = sum(torch.sin(2 * math.pi * root * ratio * at) for ratio in (1.0, 1.25, 1.5))
    total = tune + 0.15 * chord
    return total / total.pow(2).mean(-1, keepdim=True).sqrt().clamp(min=1e-8)


def room(sound: Tensor, probability: float, seconds: float = 0.35) -> Tensor:
    """Convolve some clips with a decaying noise tail after the direct sound (reverberation 0.1 to 0.5 s)."""
    items, length = sound.shape
    device = sound.device
    taps = int(seconds * 24_000)
    at = torch.arange(taps, device=device) / 24_000
    decay = torch.exp(-6.9 * at / _between(0.1, 0.5, items, device))
    response = torch.randn(items, taps, device=device) * decay
    response = response / response.pow(2).sum(-1, keepdim=True).sqrt()
    response *= _chance(probability, items, device) * decibels(_between(-14, 0, items, device))
    response[:, : int(0.002 * 24_000)] = 0
    response[:, 0] = 1
    size = 1 << (length + taps).bit_length()
    wet = torch.fft.irfft(torch.fft.rfft(sound, n=size) * torch.fft.rfft(response, n=size), n=size)[:, :length]
    return _as_loud(wet, sound, most=2)


def coloured(sound: Tensor, narrow: float = 0.12, points: int = 256) -> Tensor:
    """Another timbre for each clip: a smooth gain over the octaves from 30 Hz up, 3 dB in its terms' deviation, and for
    some (`narrow`) no more treble than a telephone or a headset lets through (3.4 to 8 kHz)."""
    items, length = sound.shape
    device = sound.device
    octaves = math.log2(12_000 / 30)
    at = torch.linspace(0, 1, points, device=device)
    waves = torch.cos(math.pi * torch.arange(1, 5, device=device)[:, None] * at)
    gain = 3.0 * torch.randn(items, 4, device=device) @ waves
    cut = _between(math.log2(3_400 / 30) / octaves, math.log2(8_000 / 30) / octaves, items, device)
    gain = gain - 1200 * (at - cut).clamp(min=0, max=0.05) * _chance(narrow, items, device)
    size = 1 << (length - 1).bit_length()
    frequency = torch.linspace(0, 12_000, size // 2 + 1, device=device).clamp(min=30)
    place = torch.log2(frequency / 30) / octaves * (points - 1)
    below = place.long().clamp(max=points - 2)
    factor = decibels(gain)
    rising = torch.lerp(factor[:, below], factor[:, below + 1], place - below)
    made = torch.fft.irfft(torch.fft.rfft(sound, n=size) * rising, n=size)[:, :length]
    return _as_loud(made, sound, most=4)


def microphone(sound: Tensor, level: tuple[float, float], noisy: float, roomy: float) -> Tensor:
    """Room, then noise or hum at 5 to 35 dB below the speech level, then gain. Shares are per clip."""
    items, length = sound.shape
    device = sound.device
    sound = room(sound, roomy)
    kind = torch.rand(items, 1, device=device)
    noise = torch.where(kind < 0.7, colored_noise(items, length, device), hum(items, length, device))
    noise = torch.where(kind > 0.85, music(items, length, device), noise)
    noise = noise * 0.07 * decibels(-_between(5, 35, items, device)) * _chance(noisy, items, device)
    return ((sound + noise) * decibels(_between(*level, items, device))).clamp(-1, 1)
