"""What is fed with hostile input, and how: one function for each boundary, from a seeded random source.

Each takes (random, folder), makes one input and hands it to the program. Nothing may come out but a result or the
refusals of `REFUSALS`, one sentence long. `TARGETS` has them by name.
"""

from __future__ import annotations

import functools
import io
import json
import math
import pickle
import random as random_module
import struct
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import torch

from app import config, memory
from app.arguments import parse
from app.device_list import as_text, print_devices
from app.devices import DeviceLists, DeviceRef, found_devices, opening_rates, resolve
from app.download import sentence
from app.errors import UserError
from app.hub_answer import MOST_BYTES, OddAnswerError, listing_of, understood
from app.messages import PersonaChoice
from app.presets import Presets
from app.recording import read_recording
from app.settings_file import read_settings
from app.transcript import PieceJoiner, Transcript
from app.voice_archive import unpacked
from app.voices import VoiceFolder, read_voice
from engine import weights
from engine.config import LMConfig, MimiConfig, PromptCodes
from engine.errors import EngineError
from engine.persona import load_voice
from engine.sampling import SamplingValues
from engine.tensor_file import read_header
from engine.text import TextTokenizer
from tests.checkpoints import TINY_LM, TINY_MIMI, lm_config, mimi_config, tokenizer_bytes
from tests.fuzz import mutation
from ui.turns import Talk

REFUSALS = (UserError, EngineError)
ROOT = Path(__file__).resolve().parents[2]
VOICE_LM = LMConfig.from_dict({**TINY_LM, "context": 64})
Random = random_module.Random

# ---------------------------------------------------------------- settings and the command line

_WORDS = (
    *config.RULES, *(name.split(".")[0] for name in config.RULES), "model:", "  mode: eager", "audio.input: x", "graph",
    "sampling.temperature=0.7", "persona.text=\u05d0\u05d1", "&x", "*x", "!!python/object/apply:os.system", "- a", "? b",
    "--set", "--config", "talk", "doctor", "bench", "devices", "--input", "--output", "--json", "--frames", "--modes",
    "--seed", "--device", "cuda:1", "--voice", "--persona", "--precision", "--lead-silence", "--model", "--greedy",
    "--stereo", "--realtime", "--tokens-out", "--transcript", "--context-fill", "--no-paced", "--all", "--version",
)  # fmt: skip


@functools.cache
def _settings_seeds() -> tuple[bytes, ...]:
    return (
        (ROOT / "config.yaml").read_bytes()[:6000],
        b"model:\n  mode: eager\n  source: mini\nsampling:\n  temperature: 0.7\n  top_k: 50\n",
        'persona:\n  voice: NATF2.pt\n  text: "You are k\u00efnd.\\nAnd wise."\naudio:\n  input:\n    name: USB\n'.encode(),
        b"a: &a [x, x]\nb: [*a, *a, *a]\n? c\n: !!python/object/apply:os.system ['touch x']\n",
        b"{model: {mode: graph}, window: {text_size: 150}}\n--- \n...\n",
    )


def settings_file(random: Random, folder: Path) -> None:
    path = folder / "mine.yaml"
    if random.random() < 0.3:
        path.write_bytes(mutation.text(random, _WORDS).encode("utf-8", "surrogatepass"))
    else:
        path.write_bytes(mutation.bytes_like(random, _settings_seeds()))
    try:
        read_settings(path)
        config.load(path)
    finally:
        config.user_config_file = lambda: path  # type: ignore[assignment]
        config.load(None, forgiving=True)  # a window always opens


def overrides(random: Random, folder: Path) -> None:
    name = random.choice((*config.RULES, *_WORDS, mutation.text(random)))
    entry = random.choice((f"{name}={mutation.text(random)}", mutation.text(random, _WORDS), f"{name}"))
    config.parse_overrides([entry])


def window_values(random: Random, folder: Path) -> None:
    """What the window may set: any Python value for any name."""
    name = random.choice((*config.RULES, "audio.input", mutation.text(random)))
    config.check(name, random.choice((mutation.value(random), np.float32(0.5), np.int64(3), b"x", object())))


def command_line(random: Random, folder: Path) -> None:
    try:
        parse([mutation.text(random, _WORDS) if random.random() < 0.5 else random.choice(_WORDS)
               for _ in range(random.randrange(7))])  # fmt: skip
    except SystemExit as end:
        assert end.code in (0, 2)
        if end.code:
            raise UserError("refused") from None


# ---------------------------------------------------------------- sound files


@functools.cache
def _sound_seeds() -> tuple[bytes, ...]:
    made = []
    tone = np.sin(np.arange(2400) / 8).astype(np.float32) * 0.3
    for form, subtype in (
        ("WAV", "PCM_16"), ("WAV", "PCM_24"), ("WAV", "FLOAT"), ("WAV", "IMA_ADPCM"), ("WAVEX", "PCM_16"), ("RF64", "PCM_16"),
        ("W64", "PCM_16"), ("FLAC", "PCM_16"), ("OGG", "VORBIS"), ("AIFF", "PCM_16"), ("AU", "PCM_16"), ("CAF", "PCM_16"),
    ):  # fmt: skip
        for sound in (tone, np.stack([tone, -tone], axis=1)):
            file = io.BytesIO()
            soundfile.write(file, sound, random_module.Random(form).choice((8000, 24000, 44100)), subtype, format=form)
            made.append(file.getvalue())
    return tuple(made)


def sound_file(random: Random, folder: Path) -> None:
    path = folder / random.choice(("a.wav", "a.flac", "a.ogg"))
    path.write_bytes(mutation.bytes_like(random, _sound_seeds()))
    recording = (read_voice if random.random() < 0.2 else read_recording)(path)
    pcm = recording if isinstance(recording, np.ndarray) else recording.pcm
    assert np.isfinite(pcm).all()
    assert pcm.dtype == np.float32


# ---------------------------------------------------------------- stored voices


class _Call:
    """Pickles as a call of anything."""

    def __init__(self, target: Any, *arguments: Any) -> None:
        self.call = (target, arguments)

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return self.call


def _hostile_pickle(random: Random, folder: Path) -> bytes:
    """Programs of the pickle machine that call, import, or ask for much memory."""
    marker = str(folder.parent / "code-was-run").encode()
    name = random.choice((
        b"os\nsystem", b"posix\nsystem", b"builtins\neval", b"builtins\nexec", b"builtins\n__import__", b"subprocess\nPopen",
        b"builtins\nbytearray", b"builtins\ngetattr", b"builtins\nopen", b"torch\nload", b"torch.hub\nload", b"torch\nzeros",
        b"torch._utils\n_rebuild_tensor_v2", b"collections\nOrderedDict", b"codecs\nencode", b"_codecs\nencode",
        b"torch\nFloatStorage", b"pathlib\nPath", b"runpy\nrun_path", b"shutil\nrmtree", b"pip\nmain",
    ))  # fmt: skip
    argument = random.choice((
        b"S'touch " + marker + b"'\n", b"S'open(\"" + marker + b"\", \"w\")'\n", b"I1000000000000\n", b"(I1000000\nI1000000\nt",
        b"N", b"I0\n", b"S'" + marker + b"'\nS'w'\n",
    ))  # fmt: skip
    return random.choice((
        b"\x80\x02c" + name + b"\n(" + argument + b"tR.",
        b"c" + name + b"\n" + argument + b"\x85R.",
        b"(" + argument + b"i" + name + b"\n.",
        b"\x80\x02(c" + name + b"\n" + argument + b"o.",
        b"\x80\x02c" + name + b"\n)\x81}X\x01\x00\x00\x00a" + argument + b"sb.",
        b"\x80\x04\x8c\x02os\x8c\x06system\x93" + argument + b"\x85R.",
        b"\x80\x02}r\xff\xff\xff\x7f.", b"\x80\x02\x8e" + struct.pack("<Q", 2**40) + b".", b"\x80\x02\x82\x01.",
        b"\x80\x02" + b"(" * 20000 + b".", b"\x80\x02" + b"]" * 5000 + b"a" * 4999 + b".",
        b"\x80\x02\x8b" + struct.pack("<i", 2**31 - 1) + b".", b"I" + b"9" * 5000 + b"\n.",
        b"\x80\x02ccollections\nOrderedDict\n)R}(X\x0b\x00\x00\x00__class__\x00\x00c" + name + b"\nub.",
    ))  # fmt: skip


@functools.cache
def _voice_contents() -> dict[str, Any]:
    frames, c = 10, VOICE_LM
    cache = torch.full((1, c.streams, c.max_delay + 3), 1)
    return {"embeddings": torch.zeros(frames - 1, 1, 1, c.dim, dtype=torch.bfloat16), "cache": cache}


@functools.cache
def _voice_seed() -> bytes:
    file = io.BytesIO()
    torch.save(_voice_contents(), file)
    return file.getvalue()


def stored_voice(random: Random, folder: Path) -> None:
    path = folder / "voice.pt"
    path.unlink(missing_ok=True)
    kind = random.randrange(5)
    if kind == 0:
        path.write_bytes(mutation.bytes_like(random, (_voice_seed(),)))
    elif kind == 1:
        _rewritten(random, path, lambda data: mutation.bytes_like(random, (data,)))
    elif kind == 2:
        _rewritten(random, path, lambda data: _hostile_pickle(random, folder))
    elif kind == 3:
        path.write_bytes(_hostile_pickle(random, folder))
    else:
        content: Any = dict(_voice_contents())
        content[random.choice(("embeddings", "cache", "x"))] = random.choice((
            mutation.value(random), torch.zeros(random.randrange(5), 1, 1, VOICE_LM.dim), torch.full((9, 1, 1, 8), math.nan),
            torch.zeros(1).expand(10**6), torch.randint(-9, 9000, (1, VOICE_LM.streams, VOICE_LM.max_delay + 3)),
            torch.zeros(3, 1, 1, VOICE_LM.dim, dtype=torch.complex64), torch.zeros(2, 2).to_sparse(), _Call(print, "x"),
        ))  # fmt: skip
        torch.save(random.choice((content, list(content.items()), content, None, 3)), path)
    load_voice(path, VOICE_LM)


def _rewritten(random: Random, path: Path, change: Callable[[bytes], bytes]) -> None:
    """The same archive with another pickle, or another storage."""
    with zipfile.ZipFile(io.BytesIO(_voice_seed())) as source, zipfile.ZipFile(path, "w") as target:
        names = source.namelist()
        wanted = random.choice((*(name for name in names if name.endswith("data.pkl")), *names))
        for name in names:
            data = source.read(name)
            target.writestr(name, change(data) if name == wanted else data)


def voice_archive(random: Random, folder: Path) -> None:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=random.choice(("w:gz", "w:gz", "w"))) as archive:
        for _ in range(random.randrange(4)):
            member = tarfile.TarInfo(
                random.choice(("voices/a.pt", "../x.pt", "/x.pt", "a\\..\\x", mutation.text(random)[:90]))
            )
            member.size = random.randrange(300)
            member.type = random.choice(
                (tarfile.REGTYPE, tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.CHRTYPE)
            )
            member.linkname = "/etc/passwd"
            if not set(member.name) & {"\0", "\ud800"} and member.name.isprintable():
                archive.addfile(member, io.BytesIO(bytes(300)))
    data = made.getvalue()
    path = folder / "voices.tgz"
    path.write_bytes(mutation.bytes_like(random, (data,)) if random.random() < 0.7 else data)
    unpacked(path, folder / "unpacked")


# ---------------------------------------------------------------- weights and configurations


@functools.cache
def _header_seed() -> dict[str, Any]:
    return {
        "__metadata__": {"format": "pt"},
        "emb.0.weight": {"dtype": "F32", "shape": [4, 4], "data_offsets": [0, 64]},
        "text_emb.weight": {"dtype": "BF16", "shape": [8], "data_offsets": [64, 80]},
        "out_norm.alpha": {"dtype": "I8", "shape": [1, 1, 16], "data_offsets": [80, 96]},
    }


def weights_header(random: Random, folder: Path) -> None:
    path = folder / "model.safetensors"
    header = json.dumps(_header_seed()).encode()
    if random.random() < 0.5:
        header = json.dumps(mutation.table(random, _header_seed())).encode("utf-8", "surrogatepass")
    length = (
        len(header) if random.random() < 0.8 else random.choice((0, 2**63, 2**64 - 1, 8 << 20, len(header) + 5, 2**32))
    )
    data = struct.pack("<Q", length) + header + bytes(random.choice((96, 96, 0, 95, 97)))
    if random.random() < 0.3:
        data = mutation.bytes_like(random, (data,))
    path.write_bytes(data)
    file = read_header(path)
    assert all(entry.start + entry.size <= len(data) for entry in file.entries.values())
    files = weights.ModelFiles(folder, path, path, path)
    if random.random() < 0.5:
        weights.check_lm(files, VOICE_LM)


def model_config(random: Random, folder: Path) -> None:
    path = folder / "config.json"
    text = json.dumps(
        mutation.table(random, {**lm_config(), "lm_gen_config": {"temp": 0.8, "top_k": 5}, "mimi_name": "a"})
    )
    data = text.encode("utf-8", "surrogatepass")
    path.write_bytes(mutation.bytes_like(random, (data,)) if random.random() < 0.3 else data)
    for name in (weights.MODEL_NAME, weights.MIMI_NAME, weights.TOKENIZER_NAME, "a"):
        (folder / name).touch()
    files = weights.find(folder)
    assert all(path.parent == folder for path in (files.model, files.mimi, files.tokenizer))
    lm = LMConfig.from_dict(files.config)
    PromptCodes.from_dict(files.config, lm)
    SamplingValues.from_config(files.lm_gen_config)
    memory.estimate(lm, MimiConfig(), "bfloat16")


def codec_config(random: Random, folder: Path) -> None:
    values = mutation.table(random, mimi_config() if random.random() < 0.8 else dict(TINY_MIMI))
    memory.estimate(LMConfig(), MimiConfig.from_dict(values), "float32")


@functools.cache
def _tokenizer_seeds() -> tuple[bytes, ...]:
    return (tokenizer_bytes(), (ROOT / "assets" / "mini" / weights.TOKENIZER_NAME).read_bytes()[:9000])


def tokenizer_file(random: Random, folder: Path) -> None:
    path = folder / "tokenizer.model"
    path.write_bytes(mutation.bytes_like(random, _tokenizer_seeds()))
    tokenizer = TextTokenizer(path, LMConfig())
    for token in (-1, 0, 3, 40, 10**9):
        tokenizer.piece(token)
    tokenizer.tokens("hello <system> \u05d0 \U0001f680")


# ---------------------------------------------------------------- words


class _PersonaEngine:
    """As much of an engine as a persona text needs."""

    lm_config = LMConfig()
    prompt_codes = PromptCodes()

    def __init__(self, tokenizer: TextTokenizer) -> None:
        self.text_tokens = tokenizer.tokens


@functools.cache
def _persona_engine() -> _PersonaEngine:
    return _PersonaEngine(TextTokenizer(ROOT / "assets" / "mini" / weights.TOKENIZER_NAME, LMConfig()))


def persona_text(random: Random, folder: Path) -> None:
    text = mutation.text(
        random, ("You are kind.", "<system>", "<system> a <system>", "</s>", "\u05e9\u05dc\u05d5\u05dd")
    )
    if random.random() < 0.05:
        text = (text or "a word ") * (20000 // (len(text) or 7) + 1)
    voices = VoiceFolder(folder / "voices", folder / "cache")
    if random.random() < 0.02:  # past the settings: 10,000 tokens and more
        text = "\u05d0\U0001f680 a word <system> " * 2500
        assert len(_persona_engine().text_tokens(text)) > 10_000
    else:
        config.check("persona.text", text)
    persona = voices.persona(_persona_engine(), PersonaChoice("", text))
    assert persona.frames <= LMConfig().context


def unchecked_persona(random: Random, folder: Path) -> None:
    """The same past the settings, as another program might hand it in; and as the name of a voice."""
    voices = VoiceFolder(folder / "voices", folder / "cache")
    text = mutation.text(random) * random.choice((1, 1, 1, 400))
    if random.random() < 0.5:
        voices.find(text)
    else:
        voices.persona(_persona_engine(), PersonaChoice("", text))


def spoken_pieces(random: Random, folder: Path) -> None:
    joiner, transcript = PieceJoiner(), Transcript()
    for number in range(random.randrange(40)):
        piece = random.choice((f"<0x{random.randrange(256):02X}>", "", " a", mutation.text(random)))
        transcript.add(number * 0.08, joiner.feed(piece))
    transcript.add(9.0, joiner.finish())
    json.dumps(transcript.to_json("m", 9.0))


# ---------------------------------------------------------------- what comes over the network


def hub_answer(random: Random, folder: Path) -> None:
    """The list of a repository's files, which decides what is fetched and how much of it."""
    from huggingface_hub.hf_api import ModelInfo

    file = {"rfilename": "config.json", "size": 7, "blobId": "a" * 40, "lfs": {"sha256": "b" * 64, "size": 7}}
    seed = {"id": "a/b", "sha": "c" * 40, "siblings": [file], "tags": [], "lastModified": "2026-11-29T01:02:03.000Z"}
    if random.random() < 0.6:
        entry = mutation.table(random, file)
        seed["siblings"] = random.choice(([file, entry], [entry], mutation.value(random)))
    made = seed if random.random() < 0.5 else mutation.table(random, seed)
    data = json.dumps(made).encode("utf-8", "surrogatepass")
    if random.random() < 0.3:
        data = mutation.bytes_like(random, (data,))
    try:
        listing = understood(
            lambda: listing_of(ModelInfo(**json.loads(data))), lambda error: isinstance(error, OSError)
        )
    except OddAnswerError as odd:
        raise UserError(str(sentence(odd, "a/b"))) from odd
    assert all(0 <= file.size <= MOST_BYTES and isinstance(name, str) for name, file in listing.files.items())
    assert len(listing.revision) <= 100 and not set(listing.revision) & set("/\\\r\n ")


# ---------------------------------------------------------------- what the program wrote itself, and reads again


def persona_file(random: Random, folder: Path) -> None:
    """The personas with names, as any program may have changed them; what was taken can be kept again."""
    path = folder / "personas.json"
    seed = {"format": "parley-personas/1", "personas": [{"name": "Ann", "voice": "NATF2", "text": "You are kind."}]}
    if random.random() < 0.5:
        entry = {
            part: random.choice((mutation.text(random), mutation.value(random), "a"))
            for part in ("name", "voice", "text")
        }
        seed["personas"] = [
            *seed["personas"],
            random.choice((entry, mutation.table(random, entry), mutation.value(random))),
        ]
    made = seed if random.random() < 0.5 else mutation.table(random, seed)
    data = json.dumps(made).encode("utf-8", "surrogatepass")
    path.write_bytes(mutation.bytes_like(random, (data,)) if random.random() < 0.4 else data)
    presets = Presets(path)
    before = path.read_bytes()
    refusal = presets.save("Bob", mutation.text(random), mutation.text(random)).result(30)
    if presets.trouble:
        assert path.read_bytes() == before, "a file that could not be read stays as it is"
        raise UserError(presets.trouble)
    if refusal:
        raise UserError(refusal)
    assert Presets(path).all() == presets.all()


class _Window:
    """As much of a window and its transcript as a place needs."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def restoreGeometry(self, geometry: object) -> None:
        pass

    def put_back(self, talks: Sequence[Talk]) -> None:
        for talk in talks:
            self.lines.append(f"{talk.heading}, {talk.began:%H:%M}, {talk.unsaved}")
            for turn in talk.turns:
                self.lines.append(f"{int(turn.start_s // 60)}:{turn.speaker}:{turn.text}:{turn.words()}")


def window_place(random: Random, folder: Path) -> None:
    """The message from one process of the program to the next: where it lies, and what is in it."""
    from app import relaunch
    from ui.place import put_back

    seed = {
        "form": "parley-place/2",
        "geometry": "00ff",
        "talks": [
            {"heading": "Talk", "began": "2026-11-30T08:15:00", "turns": [["model", 0.5, 0.9, "a", [[0.5, "a"]]]]}
        ],
    }
    if random.random() < 0.5:
        speaker, text = random.choice(("model", "user")), mutation.text(random)
        pieces = [[mutation.value(random), text], [1.5, "b"]]
        turn = random.choice(([speaker, mutation.value(random), 2, text, pieces], mutation.value(random)))
        began = random.choice(("2026-11-30T08:15:00", mutation.value(random)))
        turns = [["user", 1, 1.2, "b", [[1, "b"]]], turn]
        seed["talks"] = [{"heading": mutation.value(random), "began": began, "turns": turns}]
    made = seed if random.random() < 0.5 else mutation.table(random, seed)
    data = json.dumps(made).encode("utf-8", "surrogatepass")
    path = folder / random.choice(("place-1.json", "place-1.json", "other.json"))
    path.write_bytes(mutation.bytes_like(random, (data,)) if random.random() < 0.4 else data)
    place = relaunch.take({relaunch.PLACE: str(path) if random.random() < 0.9 else mutation.text(random)})
    window = _Window()
    if not put_back(place, window, window):  # type: ignore[arg-type]
        assert window.lines == [], "half a place"
        raise UserError("this is no place")


# ---------------------------------------------------------------- devices


def device_lists(random: Random, folder: Path) -> None:
    names = (
        "USB Headset",
        "default",
        "hdmi:CARD=x",
        "Headset (hw:1,0)",
        "",
        "\udce9",
        "\u202eabc",
        "n" * 5000,
        "a\nb\0c",
    )
    apis = [
        {"name": random.choice(("ALSA", "MME", "Windows WASAPI", "JACK Audio Connection Kit", "\udcff", "")),
         "default_input_device": random.randrange(-2, 12), "default_output_device": random.randrange(-2, 12)}
        for _ in range(random.randrange(1, 4))
    ]  # fmt: skip
    devices = [
        {"name": random.choice((*names, mutation.text(random))), "hostapi": random.randrange(-1, 5), "index": number,
         "max_input_channels": random.choice((0, 1, 2, 64, -1, 2**31 - 1)),
         "max_output_channels": random.choice((0, 1, 2, 64, -1)),
         "default_samplerate": random.choice((0.0, -1.0, 44100.0, 48000.0, 1e12, float("nan"), float("inf"), 8000.0))}
        for number in range(random.randrange(12))
    ]  # fmt: skip
    rows = {}
    for direction in ("input", "output"):
        found = found_devices(devices, apis, direction)
        resolved = resolve(found, DeviceRef(mutation.text(random, names), "ALSA"))
        assert (resolved is None) == (not found)
        assert all(math.isfinite(rate) and rate > 0 for device in found for rate in opening_rates(device.row))
        rows[direction] = tuple(device.row for device in found)
    lists = DeviceLists(1, rows["input"], rows["output"], note="None.")
    as_text(lists, True)
    print_devices(True, random.random() < 0.5, lists)


TARGETS: dict[str, Callable[[Random, Path], None]] = {
    function.__name__: function
    for function in (
        settings_file, overrides, window_values, command_line, sound_file, stored_voice, voice_archive, weights_header,
        model_config, codec_config, tokenizer_file, persona_text, unchecked_persona, spoken_pieces, hub_answer,
        persona_file, window_place, device_lists,
    )
}  # fmt: skip

assert pickle.DEFAULT_PROTOCOL >= 2
