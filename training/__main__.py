"""`python -m training COMMAND`: every step from packages to the bundled model, each repeatable from its seed.

Only parses arguments and calls; each command's work is in the module that its function names. Heavy imports are late,
so that text-only commands need no torch.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from training.cases import add_options as add_case_options


def _pack_voices(options: argparse.Namespace) -> None:
    from training.pack_voices import pack

    print(pack(options.packages, options.out))


def _script(options: argparse.Namespace) -> None:
    from training.pronounce import Pronouncer
    from training.script import write

    wheel = next(options.packages.glob("misaki-0.9.4-*.whl"))
    sizes = {name: getattr(options, name) for name in ("users", "dialogues", "replies", "varied")}
    script = write(options.out, Pronouncer(wheel), options.seed, sizes, options.held_out, options.limit,
                   (options.turns[0], options.turns[1]))  # fmt: skip
    print(f"{len(script.voices)} voices, {len(script.lines)} lines, {len(script.dialogues)} dialogues")


def _bank(options: argparse.Namespace) -> None:
    from training import bank, kokoro
    from training.script import Script

    began = time.monotonic()
    speaker = kokoro.load(options.voices, options.device)
    print(f"voices loaded after {time.monotonic() - began:.0f} s", flush=True)
    built = bank.build(
        Script.load(options.script), speaker, options.seed, lambda line: print(line, flush=True),
        early=lambda part: part.save(bank.early_path(options.out)),
    )  # fmt: skip
    built.save(options.out)
    print(f"{built.seconds / 3600:.2f} h of speech in {time.monotonic() - began:.0f} s", flush=True)


def _train_codec(options: argparse.Namespace) -> None:
    from training import run_codec

    _refuse_odd_numbers(options)
    run_codec.run(options)


def _refuse_odd_numbers(options: argparse.Namespace) -> None:
    if len(options.script) != len(options.bank):
        raise ValueError(
            f"--script names {len(options.script)} files and --bank {len(options.bank)}: each script needs its bank."
        )


def _evaluate_codec(options: argparse.Namespace) -> None:
    from training import evaluate_codec

    evaluate_codec.run(options)


def _vocabulary(options: argparse.Namespace) -> None:
    from training.pronounce import Pronouncer
    from training.vocabulary import make

    make(options.out, Pronouncer(next(options.packages.glob("misaki-0.9.4-*.whl"))).common_words())


def _train_language(options: argparse.Namespace) -> None:
    from training import run_language

    _refuse_odd_numbers(options)
    run_language.run(options)


def _clips(options: argparse.Namespace) -> None:
    from training.evaluate_codec import write_clips

    write_clips(options.script, options.voices, options.out)


def _evaluate_talk(options: argparse.Namespace) -> None:
    from training import evaluate_talk

    evaluate_talk.run(options)


def _evaluate_manners(options: argparse.Namespace) -> None:
    from training import evaluate_manners

    evaluate_manners.run(options)


def _human_clips(options: argparse.Namespace) -> None:
    from training.human_clips import write_human

    print(f"{write_human(options.sounds, options.out)} questions")


def _say(options: argparse.Namespace) -> None:
    from training import kokoro
    from training.pronounce import Pronouncer
    from training.say import say

    pronouncer = Pronouncer(next(options.packages.glob("misaki-0.9.4-*.whl")))
    silence = options.before, options.after
    print(f"{say(options.text, options.voice, kokoro.load(options.voices), pronouncer, options.out, *silence):.1f} s")


def _figures(options: argparse.Namespace) -> None:
    from training import figures

    figures.run(options)


def _export(options: argparse.Namespace) -> None:
    from training import bundle

    bundle.run(options)


def _named_folder(text: str) -> tuple[str, Path]:
    name, equals, folder = text.partition("=")
    if not (name and equals and folder):
        raise argparse.ArgumentTypeError(f"{text} does not name a folder; write int4=FOLDER")
    return name, Path(folder)


def _device(text: str) -> str:
    """A device of this computer, by its name: said here, before minutes of reading and far from any traceback."""
    if text == "cpu":
        return text
    import torch

    kind, _, number = text.partition(":")
    if kind != "cuda" or (":" in text and not number.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text} is no device: cpu, cuda or cuda:N is needed")
    cards = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if int(number or 0) >= cards:
        raise argparse.ArgumentTypeError(f"{text} is not here: PyTorch sees {cards} graphics cards on this computer")
    return text


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m training", description="How the bundled model was made.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: object, text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text)
        added.set_defaults(run=run)
        return added

    pack = command("pack-voices", _pack_voices, "repack the voice model from the downloaded packages into one file")
    pack.add_argument("--packages", type=Path, required=True)
    pack.add_argument("--out", type=Path, required=True)
    script = command("script", _script, "write the list of everything that has to be spoken")
    script.add_argument("--packages", type=Path, required=True)
    script.add_argument("--out", type=Path, required=True)
    script.add_argument("--seed", type=int, default=1)
    for name, size in (("users", 400), ("dialogues", 2600), ("replies", 1500), ("varied", 4200)):
        script.add_argument(f"--{name}", type=int, default=size)
    script.add_argument("--turns", type=int, nargs=2, default=(3, 6), help="fewest and most turns in a dialogue")
    script.add_argument("--limit", type=int, default=20, help="largest number in arithmetic and counting")
    script.add_argument("--held-out", action="store_true", help="test voices, phrasings and names only")
    bank = command("bank", _bank, "speak a script")
    bank.add_argument("--script", type=Path, required=True)
    bank.add_argument("--voices", type=Path, required=True)
    bank.add_argument("--out", type=Path, required=True)
    bank.add_argument("--seed", type=int, default=1)
    bank.add_argument("--device", type=_device, default="cpu", help="cpu, cuda or cuda:N")
    codec = command("train-codec", _train_codec, "train the codec from nothing or from a checkpoint")
    codec.add_argument("--script", type=Path, nargs="+", required=True, help="one or more")
    codec.add_argument("--bank", type=Path, nargs="+", required=True, help="as many; they take turns")
    codec.add_argument("--wait", type=float, default=0, help="seconds to wait for the bank to appear")
    codec.add_argument("--start", type=Path, help="folder of a checkpoint to go on from")
    codec.add_argument("--out", type=Path, required=True)
    codec.add_argument("--seconds", type=float, default=60)
    codec.add_argument("--until", type=float, help="train until this Unix time instead")
    codec.add_argument("--seed", type=int, default=1)
    codec.add_argument("--clips", type=int, default=32)
    codec.add_argument("--frames", type=int, default=32)
    codec.add_argument("--device", type=_device, default="cpu", help="cpu, cuda or cuda:N")
    codec.add_argument("--compile", action="store_true")
    codec.add_argument("--profile", action="store_true", help="print where the time of a step goes, then end (GPU)")
    codec.add_argument("--critic-from", type=float, default=0.2, help="share of the run after which the critic joins")
    codec.add_argument("--rate", type=float, default=6e-4)
    codec.add_argument("--decoder-only", action="store_true", help="keep the codes, as a language model needs them")
    vocabulary = command("vocabulary", _vocabulary, "learn the text pieces")
    vocabulary.add_argument("--packages", type=Path, required=True)
    vocabulary.add_argument("--out", type=Path, required=True)
    model = command("train-language", _train_language, "train the language model; writes a whole model folder")
    model.add_argument("--script", type=Path, nargs="+", required=True, help="one or more")
    model.add_argument("--bank", type=Path, nargs="+", required=True, help="as many; processes that --feed take turns")
    model.add_argument("--wait", type=float, default=0, help="seconds to wait for each bank to appear")
    model.add_argument("--codec", type=Path, required=True)
    model.add_argument("--tokenizer", type=Path, required=True)
    model.add_argument("--sizes", type=Path, help="JSON of other sizes than the bundled model's")
    model.add_argument("--start", type=Path, help="model.safetensors to go on from")
    model.add_argument("--out", type=Path, required=True)
    model.add_argument("--seconds", type=float, default=60)
    model.add_argument("--until", type=float, help="train until this Unix time instead")
    model.add_argument("--seed", type=int, default=1)
    model.add_argument("--talks", type=int, default=24, help="sequences in a batch")
    model.add_argument("--frames", type=int, default=1024, help="frames in a sequence, prompt phases included")
    model.add_argument("--pool", type=int, default=1024)
    model.add_argument("--renew-every", type=int, default=8)
    model.add_argument("--rate", type=float, default=8e-4)
    model.add_argument("--feed", nargs="*", type=_device, default=(), metavar="DEVICE",
                       help="devices on which other processes make sequences, such as cuda:1 cuda:1")  # fmt: skip
    model.add_argument("--compile", action="store_true", help="compile the loss first, which takes a minute (GPU)")
    model.add_argument("--device", type=_device, default="cpu", help="cpu, cuda or cuda:N")
    clips = command("clips", _clips, "speak test utterances for evaluate-codec from a held-out script")
    clips.add_argument("--script", type=Path, required=True)
    clips.add_argument("--voices", type=Path, required=True)
    clips.add_argument("--out", type=Path, required=True)
    judge = command("evaluate-codec", _evaluate_codec, "word error and predicted MOS of decoded speech, on the CPU")
    judge.add_argument("--codec", type=Path, required=True)
    judge.add_argument("--clips", type=Path, required=True)
    judge.add_argument("--recogniser", type=Path, required=True, help="folder of a faster-whisper model")
    judge.add_argument("--limit", type=int, default=0)
    judge.add_argument("--out", type=Path, help="folder for the decoded sounds and a JSON of the figures")
    talk = command("evaluate-talk", _evaluate_talk, "hold the talks of a held-out script and judge every reply")
    add_case_options(talk)
    talk.add_argument("--recogniser", type=Path)
    talk.add_argument("--second-recogniser", type=Path)
    manners = command(
        "evaluate-manners", _evaluate_manners, "quiet in noise, patient at pauses, silent when talked over"
    )
    add_case_options(manners)
    manners.add_argument("--minutes", type=int, default=10, help="minutes of each background")
    manners.add_argument("--cases", type=int, default=60, help="pauses, and interruptions")
    manners.add_argument("--human", type=Path, help="questions by a recorded voice, from human-clips")
    manners.add_argument("--recogniser", type=Path)
    human = command("human-clips", _human_clips, "splice questions of a recorded human voice from telephone prompts")
    human.add_argument("--sounds", type=Path, required=True, help="the folder that has digits/ and letters/ in it")
    human.add_argument("--out", type=Path, required=True)
    say = command("say", _say, "speak one sentence into a sound file")
    say.add_argument("--text", required=True)
    say.add_argument("--voice", required=True, help="a voice of the synthesiser, such as bf_isabella")
    say.add_argument("--packages", type=Path, required=True)
    say.add_argument("--voices", type=Path, required=True)
    say.add_argument("--out", type=Path, required=True)
    say.add_argument("--before", type=float, default=0.8, help="seconds of silence")
    say.add_argument("--after", type=float, default=4.0)
    figures = command("figures", _figures, "the table of what all evaluations in a folder came to")
    figures.add_argument("--out", type=Path, required=True)
    figures.add_argument("--preset", type=_named_folder, action="append", default=[], metavar="NAME=FOLDER",
                         help="results of evaluate-talk in another precision; may be repeated")  # fmt: skip
    figures.add_argument("--conditions", default="", help="a sentence on how it was measured, for the model card")
    export = command("export", _export, "make the bundled folder of a trained one: 8 bits, voices, model card")
    export.add_argument("--model", type=Path, required=True, help="a folder that train-language wrote")
    export.add_argument("--out", type=Path, required=True)
    export.add_argument("--script", type=Path, help="with --bank: where the voice prompts are cut from")
    export.add_argument("--bank", type=Path)
    export.add_argument("--limits", default="", help="a sentence on what it cannot do, which the program will show")
    export.add_argument("--evaluation", type=Path, help="evaluation.json for the model card")
    return parser


def main() -> int:
    options = _parser().parse_args()
    try:
        options.run(options)
    except (ValueError, FileNotFoundError) as trouble:
        print(f"training: {trouble}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
