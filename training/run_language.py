"""One run of language model training from the command line, ending in a model folder that the program loads."""

from __future__ import annotations

import argparse
import dataclasses
import json
import time
import traceback
from pathlib import Path

import torch

from engine.config import LMConfig
from training import checkpoints, language
from training.bank import Bank
from training.codec import MINI as CODEC
from training.codec import Codec
from training.export import write_model
from training.feeding import Batch, Feeder, Maker
from training.language import TrainedLanguage
from training.script import Script
from training.streams import Studio
from training.talks import Composer
from training.train_language import LanguagePlan, LanguageTrainer, Pool, train
from training.vocabulary import Vocabulary

EAR = "ear.safetensors"  # a head of training only, beside the model; of use to a run that goes on


def run(options: argparse.Namespace) -> None:
    device = torch.device(options.device)
    on_gpu = device.type == "cuda"
    torch.manual_seed(options.seed)
    if on_gpu:
        torch.backends.cuda.matmul.allow_tf32 = True
        torch.cuda.set_device(device.index or 0)  # captures run on the current device
    dtype = torch.bfloat16 if on_gpu else torch.float32
    model = _language(options.sizes, options.start, dtype)
    studio = _studio(options, model.config, options.device, options.seed, 0)
    plan = dataclasses.replace(
        LanguagePlan(), talks=options.talks, frames=options.frames, pool=options.pool, rate=options.rate,
        renew=min(16, options.pool), renew_every=options.renew_every,
    )  # fmt: skip
    feeder = _feeder(options, model.config, plan.renew) if options.feed else None
    pool = Pool(studio, plan, _say, feeder)
    trainer = LanguageTrainer(model, plan, device, options.compile and on_gpu)
    if on_gpu:
        _capture(trainer)
    seconds = options.seconds if options.until is None else options.until - time.time()
    codec_f32 = checkpoints.load_codec(options.codec, CODEC, labels=2)
    steps = train(trainer, pool, seconds, lambda: _save(options, trainer, codec_f32, studio), report=_say)
    if feeder is not None:
        feeder.close()
    _say(f"{steps} steps")


def _studio(options: argparse.Namespace, config: LMConfig, device: str, seed: int, which: int) -> Studio:
    """On bank number `which` (they are taken in turn). Codes must be those that the program will hear, so the codec
    runs in float32 whatever the model's type."""
    which %= len(options.bank)
    codec = checkpoints.load_codec(options.codec, CODEC, labels=2).to(device).eval()
    bank = Bank.load(_present(options.bank[which], options.wait), torch.device(device))
    composer = Composer(Script.load(options.script[which]), bank.entries)
    return Studio(bank, composer, codec, Vocabulary(options.tokenizer), config, seed)


def _feeder(options: argparse.Namespace, config: LMConfig, count: int) -> Feeder:
    """Other processes get the plain values of the options: the command's function has no name that they know."""
    values = argparse.Namespace(**{name: value for name, value in vars(options).items() if name != "run"})
    return Feeder(_maker, (values, config), options.feed, count, options.seed)


def _maker(options: argparse.Namespace, config: LMConfig, device: str, seed: int) -> Maker:
    """What a process that feeds this one runs: sequences of the run's length, drawn with a seed of its own, which also
    chooses its bank."""
    torch.manual_seed(seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    studio = _studio(options, config, device, seed, seed)

    def make(count: int) -> Batch:
        return studio.sequences(count, options.frames + 1).batch

    return make


def _capture(trainer: LanguageTrainer) -> None:
    """Capture the step; a run is worth more than its speed, so it goes on without compiling, then without capture."""
    for loss, said in ((trainer.loss, "captured"), (trainer.language.loss, "captured without compiling")):
        trainer.loss = loss
        try:
            trainer.capture()
        except RuntimeError:
            _say(traceback.format_exc())
            continue
        _say(said)
        return
    _say("the step is not captured: launched one by one")


def _say(line: str) -> None:
    print(line, flush=True)


def _present(path: Path, wait: float) -> Path:
    limit = time.monotonic() + wait
    while not path.is_file():
        if time.monotonic() > limit:
            raise FileNotFoundError(f"There is no bank {path}.")
        time.sleep(0.5)
    return path


def _language(sizes: Path | None, start: Path | None, dtype: torch.dtype) -> TrainedLanguage:
    """The bundled sizes, or those of a JSON file; weights fresh or from a checkpoint file."""
    config = language.MINI if sizes is None else LMConfig.from_dict(json.loads(sizes.read_text()))
    model = TrainedLanguage(config, dtype)
    if start is not None:
        model.model.load_state_dict(checkpoints.load_language(start, config).state_dict())
        if (ear := start.with_name(EAR)).is_file():
            checkpoints.load_module(model.ear, ear)
    return model


def _save(options: argparse.Namespace, trainer: LanguageTrainer, codec: Codec, studio: Studio) -> None:
    write_model(options.out, trainer.language, codec, options.tokenizer, studio.fillers)
    checkpoints.save_module(trainer.language.ear, options.out / EAR)
