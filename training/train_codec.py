"""Training of the codec: one step as a function over fixed buffers, captured as a CUDA graph where there is one.

Two phases: spectra and content alone, then with the discriminator. Once a language model learns from the codes, the
decoder alone may go on (`decoder_only`): the codes of every sound stay what they are. The schedule follows the clock
(`seconds`), so that a run ends with small steps whatever the machine's speed. Restarts from any checkpoint; the
optimiser starts anew. Shapes: B clips, L samples, T frames.
"""

from __future__ import annotations

import math
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training import checkpoints
from training.bank import IGNORED
from training.codec import LABELS_PER_FRAME, Codec
from training.codec_data import CodecClips, label_weights
from training.losses import (
    Discriminator,
    MelDistance,
    PhonemeReader,
    critic_loss,
    deceiving_loss,
    feature_loss,
    reading_loss,
)

METRICS = ("mel", "content", "reading", "commitment", "deceiving", "features", "critic", "reader", "gradient")


@dataclass(frozen=True)
class CodecPlan:
    """Sizes and weights of a run."""

    clips: int = 32
    frames: int = 32
    judged_clips: int = 12
    judged_samples: int = 24_576
    rate: float = 6e-4
    critic_rate: float = 4e-4
    final_share: float = 0.02
    warm_steps: int = 300
    critic_from: float = 0.2  # share of the run after which the discriminator joins
    mel: float = 15.0
    content: float = 2.0
    reading: float = 2.0
    commitment: float = 0.5
    deceiving: float = 1.5
    features: float = 3.0
    waveform: float = 0.5
    full_depth: float = 0.6  # share of clips that use every codebook; the others a random number of them
    average: float = 0.999
    decoder_only: bool = False  # encoder and codebooks stay as they are; every clip uses all codebooks


class CodecTrainer:
    """Holds the networks, their optimisers and the averaged weights; `step` trains on one batch."""

    def __init__(
        self, codec: Codec, critic: Discriminator, plan: CodecPlan, device: torch.device, compiled: bool = False
    ):
        self.codec, self.critic, self.plan, self.device = codec.to(device), critic.to(device), plan, device
        self.mel = MelDistance().to(device)
        self.reader = PhonemeReader(codec.labels).to(device)
        self.weights = label_weights(codec.labels, device)
        if plan.decoder_only:
            freeze_codes(codec)
        self.trained = [p for p in codec.parameters() if p.requires_grad]
        self.averaged = [p.detach().clone() for p in self.trained]
        on_gpu = device.type == "cuda"
        self.rates = [torch.tensor(r, device=device) for r in (plan.rate, plan.critic_rate)]
        options: dict[str, Any] = {
            "betas": (0.8, 0.99), "weight_decay": 0.01, "capturable": on_gpu, "fused": on_gpu,
        }  # fmt: skip
        self.optimizer = torch.optim.AdamW(self.trained, lr=self.rates[0], **options)
        judges = [*critic.parameters(), *self.reader.parameters()]
        self.critic_optimizer = torch.optim.AdamW(judges, lr=self.rates[1], **options)
        length = plan.frames * codec.config.frame_size
        self.pcm = torch.zeros(plan.clips, length, device=device)
        self.labels = torch.zeros(plan.clips, plan.frames, LABELS_PER_FRAME, dtype=torch.long, device=device)
        self.sums = torch.zeros(len(METRICS), device=device)
        self.encode: Callable[[Tensor], Tensor] = codec.encode
        self.decode: Callable[[Tensor], Tensor] = codec.decode
        if compiled:
            self.encode = torch.compile(codec.encode, dynamic=False)
            self.decode = torch.compile(codec.decode, dynamic=False)
        self._graphs: dict[bool, torch.cuda.CUDAGraph] = {}

    def _levels(self) -> Tensor:
        """[B] codebooks in use."""
        count, most = self.plan.clips, self.codec.config.n_q
        if self.plan.decoder_only:
            return torch.full((count,), most, device=self.device)
        some = torch.randint(1, most + 1, (count,), device=self.device)
        whole = torch.rand(count, device=self.device) < self.plan.full_depth
        return torch.where(whole, torch.full_like(some, most), some)

    def _judged(self, sound: Tensor, start: Tensor) -> Tensor:
        """The pieces that the discriminator hears. [judged_clips, judged_samples]"""
        at = start[:, None] + torch.arange(self.plan.judged_samples, device=self.device)
        return sound[: self.plan.judged_clips].gather(1, at)

    def _loudness(self, start: Tensor) -> Tensor:
        """[judged_clips, 1] factor that brings each real piece to unit power; its imitation gets the same."""
        return 1 / (self._judged(self.pcm, start).pow(2).mean(-1, keepdim=True).sqrt() + 3e-3)

    def _run(self, adversarial: bool) -> None:
        """Forward, backward and update of everything, from and to fixed buffers; no host synchronisation."""
        plan, codec = self.plan, self.codec
        with torch.set_grad_enabled(not plan.decoder_only):
            result = codec.quantise(self.encode(self.pcm), self._levels(), learn=not plan.decoder_only)
        made = self.decode(result.latent)
        mel = self.mel(made, self.pcm)
        wave = (made - self.pcm).abs().mean() / (self.pcm.abs().mean() + 1e-4)
        logits = codec.content(result.semantic)
        content = F.cross_entropy(
            logits.flatten(0, 2), self.labels.flatten(), weight=self.weights, ignore_index=IGNORED
        )
        loss = plan.mel * mel + plan.content * content + plan.commitment * result.commitment + plan.waveform * wave
        self.critic_optimizer.zero_grad(set_to_none=True)
        read, reader = self._train_reader()
        zero = mel.new_zeros(())
        deceiving, features, judged, reading = zero, zero, zero, zero
        if adversarial:
            with _judging_only(self.reader):
                reading = reading_loss(read, self.reader(made))
            room = self.pcm.shape[1] - plan.judged_samples
            start = torch.randint(max(room, 1), (plan.judged_clips,), device=self.device)
            judged, real = self._train_critic(made.detach(), start)
            with _judging_only(self.critic):
                heard = self.critic(self._judged(made, start) * self._loudness(start), codec.dtype)
            deceiving, features = deceiving_loss(heard), feature_loss(real, heard)
            loss = loss + plan.deceiving * deceiving + plan.features * features + plan.reading * reading
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        gradient = bounded(self.trained, 1.0)
        self.optimizer.step()
        self.critic_optimizer.step()  # now that nothing goes back through what it changes
        torch._foreach_lerp_(self.averaged, [p.detach() for p in self.trained], 1 - plan.average)
        values = (mel, content, reading, result.commitment, deceiving, features, judged, reader, gradient)
        self.sums += torch.stack([value.detach().float() for value in values])

    def _train_reader(self) -> tuple[Tensor, Tensor]:
        """What it reads in the originals, and its loss there."""
        read = self.reader(self.pcm)
        loss = F.cross_entropy(read, self.labels.flatten(1), weight=self.weights, ignore_index=IGNORED)
        loss.backward()
        bounded(list(self.reader.parameters()), 1.0)
        return read.detach(), loss

    def _train_critic(self, made: Tensor, start: Tensor) -> tuple[Tensor, list[tuple[Tensor, list[Tensor]]]]:
        both = torch.cat((self._judged(self.pcm, start), self._judged(made, start)))
        both = both * self._loudness(start).repeat(2, 1)
        half = self.plan.judged_clips
        judged = self.critic(both, self.codec.dtype)
        real = [(score[:half], [f[:half] for f in features]) for score, features in judged]
        fake = [(score[half:], [f[half:] for f in features]) for score, features in judged]
        loss = critic_loss(real, fake)
        loss.backward()
        bounded(list(self.critic.parameters()), 1.0)
        return loss, [(score.detach(), [f.detach() for f in features]) for score, features in real]

    def capture(self) -> None:
        """Warm up and capture both phases. Training state moves by a few steps on whatever the buffers hold."""
        stream = torch.cuda.Stream()
        for adversarial in (False, True):
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                for _ in range(3):
                    self._run(adversarial)
            torch.cuda.current_stream().wait_stream(stream)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                self._run(adversarial)
            self._graphs[adversarial] = graph

    def step(self, clips: CodecClips, adversarial: bool) -> None:
        pcm, labels = clips.draw(self.plan.clips)
        self.pcm.copy_(pcm)
        self.labels.copy_(labels)
        if adversarial in self._graphs:
            self._graphs[adversarial].replay()
        else:
            self._run(adversarial)

    def metrics(self, steps: int) -> dict[str, float]:
        """Means since the last call. Synchronises."""
        means = (self.sums / max(steps, 1)).tolist()
        self.sums.zero_()
        return dict(zip(METRICS, means, strict=True))

    def averaged_codec(self) -> Codec:
        """A copy of the codec with the averaged weights."""
        import copy

        twin = copy.deepcopy(self.codec)
        with torch.no_grad():
            for target, value in zip([p for p in twin.parameters() if p.requires_grad], self.averaged, strict=True):
                target.copy_(value)
        return twin


@contextmanager
def _judging_only(judge: nn.Module) -> Iterator[None]:
    """What it judges learns from it; it does not learn itself."""
    judge.requires_grad_(False)
    yield
    judge.requires_grad_(True)


def freeze_codes(codec: Codec) -> None:
    """Leave only what comes after the quantiser to be trained."""
    decoding = ("mimi.upsample.", "mimi.decoder_transformer.", "mimi.decoder.")
    for name, parameter in codec.named_parameters():
        parameter.requires_grad_(parameter.requires_grad and name.startswith(decoding))


def bounded(parameters: list[nn.Parameter], limit: float) -> Tensor:
    """Clip the joint gradient norm and return it; a gradient that is not finite becomes zero. No synchronisation."""
    gradients = [p.grad for p in parameters if p.grad is not None]
    norm = torch.stack(torch._foreach_norm(gradients)).norm()
    factor = torch.where(norm.isfinite(), (limit / (norm + 1e-6)).clamp(max=1.0), torch.zeros_like(norm))
    for gradient in gradients:
        gradient.nan_to_num_(0, 0, 0)
    torch._foreach_mul_(gradients, factor)
    return norm.nan_to_num(0, 0, 0)


def falling_rate(step: int, progress: float, warm_steps: int, final_share: float) -> float:
    """Linear rise over the first steps, then half a cosine down to `final_share` at the end of the run."""
    rise = min(1.0, (step + 1) / warm_steps)
    fall = final_share + (1 - final_share) * 0.5 * (1 + math.cos(math.pi * min(progress, 1.0)))
    return rise * fall


def profile(trainer: CodecTrainer, rows: int = 40) -> str:
    """Where the time of a step goes: a table of kernels over three steps, launched one by one."""
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as record:
        for _ in range(3):
            trainer._run(adversarial=True)
        torch.cuda.synchronize()
    return str(record.key_averages().table(sort_by="self_cuda_time_total", row_limit=rows, max_name_column_width=70))


@torch.no_grad()
def validate(trainer: CodecTrainer, clips: CodecClips, codec: Codec) -> dict[str, float]:
    """Mel distance, content accuracy (speech only) and codebook use on clean clips, with the given weights."""
    pcm, labels = clips.draw(trainer.plan.clips, clean=True)
    full = torch.full((len(pcm),), codec.config.n_q, device=pcm.device)
    result = codec.quantise(codec.encode(pcm), full, learn=False)
    made = codec.decode(result.latent)
    guess = codec.content(result.semantic).argmax(-1)
    speech = (labels != IGNORED) & (labels != 0)
    right = ((guess == labels) & speech).sum() / speech.sum().clamp(min=1)
    use = [len(result.codes[:, level].unique()) for level in range(codec.config.n_q)]
    return {
        "mel": trainer.mel(made, pcm).item(),
        "phonemes": right.item(),
        "codes_first": use[0],
        "codes_last": use[-1],
    }


def checked(trainer: CodecTrainer, clips: CodecClips, codec: Codec) -> str:
    """What `validate` finds, in a line."""
    return ", ".join(f"{name} {value:.3f}" for name, value in validate(trainer, clips, codec).items())


def train(
    trainer: CodecTrainer, source: Callable[[], CodecClips], seconds: float, folder: Path, *,
    critic_at_once: bool = False, save_every: float = 120.0, report: Callable[[str], None] = print,
) -> int:  # fmt: skip
    """Train for this long by the clock, saving as it goes; `source` is asked for clips now and then. -> steps"""
    began = saved = marked = time.monotonic()
    steps, since, clips = 0, 0, source()
    while (elapsed := time.monotonic() - began) < seconds:
        progress = elapsed / seconds
        adversarial = critic_at_once or progress >= trainer.plan.critic_from
        plan = trainer.plan
        share = falling_rate(steps, progress, plan.warm_steps, plan.final_share)
        for rate, full in zip(trainer.rates, (plan.rate, plan.critic_rate), strict=True):
            rate.fill_(full * share)
        trainer.step(clips, adversarial)
        steps, since = steps + 1, since + 1
        if since == 100:
            values = trainer.metrics(since)
            since, clips = 0, source()
            line = " ".join(f"{name} {value:.3f}" for name, value in values.items())
            report(f"{time.monotonic() - began:.0f} s, step {steps}, {100 / (time.monotonic() - marked):.1f}/s: {line}")
            marked = time.monotonic()
        if time.monotonic() - saved > save_every:
            save(trainer, folder, clips, report)
            saved = time.monotonic()
    save(trainer, folder, clips, report)
    return steps


def save(trainer: CodecTrainer, folder: Path, clips: CodecClips, report: Callable[[str], None]) -> None:
    """Write the averaged codec and the discriminator, each into its own file of 16-bit weights."""
    codec = trainer.averaged_codec()
    report(f"check: {checked(trainer, clips, codec)}")
    checkpoints.save_codec(codec, folder / "codec.safetensors")
    checkpoints.save_module(codec.content, folder / "content.safetensors")
    checkpoints.save_module(trainer.critic, folder / "critic.safetensors")


def capture_or_not(trainer: CodecTrainer, report: Callable[[str], None] = print) -> None:
    """Capture; when compiled parts fail, go on without compiling rather than lose the run."""
    began = time.monotonic()
    try:
        trainer.capture()
    except Exception:
        report(traceback.format_exc())
        trainer.encode, trainer.decode = trainer.codec.encode, trainer.codec.decode
        trainer.capture()
        report("compiling failed; the step is captured without it")
    torch.cuda.synchronize()
    report(f"captured after {time.monotonic() - began:.0f} s")
