"""Headless talks with a scripted engine: files in, files out, exit statuses, refusals."""

from __future__ import annotations

import json
import os
import signal
import tempfile
import threading
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from app import interrupts
from app import talk as talk_module
from app.errors import UserError
from app.messages import ModelSpec, PersonaChoice, Sampling
from app.paths import user_log_folder
from app.recogniser import NoRecogniserError
from app.talk import run_talk
from app.talk_options import TalkOptions
from app.talk_report import model_line
from app.transcript import Word
from engine.errors import EngineError
from tests.app.fake_engine import FakeEngine, FakeLoader, FakeVoices, info_of, sleep_ms

FRAME_S = 0.08


@pytest.fixture
def options(tmp_path: Path) -> TalkOptions:
    """1.0 s of a tone: 13 frames, the last one half empty."""
    pcm = (0.5 * np.sin(np.arange(24000) * 0.1)).astype(np.float32)
    soundfile.write(tmp_path / "in.wav", pcm, 24000, subtype="FLOAT")
    return TalkOptions(tmp_path / "in.wav", tmp_path / "out.wav")


def talk(options: TalkOptions, engine: FakeEngine | Exception | None = None, **more: Any) -> int:
    loader = FakeLoader(engine or FakeEngine(), forever=more.pop("forever", False), advance=sleep_ms)
    return run_talk(
        options,
        load_engine=loader,
        voices=FakeVoices(),
        thread_context=nullcontext,
        sleep=more.pop("sleep", lambda seconds: sleep_ms(1.0)),
        recogniser=more.pop("recogniser", no_recogniser),
    )


def no_recogniser(model: str) -> Any:
    raise NoRecogniserError("None is installed.")


def test_reply_has_the_length_and_the_place_of_the_input(options: TalkOptions) -> None:
    """The scripted engine answers each frame with its half, but for the first, which is silent."""
    assert talk(options) == 0
    heard, _ = soundfile.read(options.input, dtype="float32")
    reply, rate = soundfile.read(options.output, dtype="float32")
    assert rate == 24000
    assert soundfile.info(options.output).subtype == "PCM_16"
    assert len(reply) == 24000
    assert not reply[:1920].any()
    assert np.abs(reply[1920:] - heard[1920:] / 2).max() < 1e-4


@pytest.mark.parametrize("rate", [44100, 48000, 8000])
def test_reply_lasts_as_long_as_an_input_of_any_rate(options: TalkOptions, rate: int) -> None:
    """User report V8: 3.01 s are 38 frames."""
    soundfile.write(options.input, np.zeros((round(3.01 * rate), 2), np.float32), rate)
    tokens = options.output.with_name("tokens.json")
    assert talk(replace(options, tokens_out=tokens)) == 0
    assert soundfile.info(options.output).duration == pytest.approx(3.01, abs=1 / 8000)
    assert len(json.loads(tokens.read_text())) == 38


def test_one_sample_is_one_frame(options: TalkOptions) -> None:
    soundfile.write(options.input, np.zeros(1, np.float32), 48000)
    assert talk(options) == 0
    assert soundfile.info(options.output).frames == 1


def test_tokens_have_one_entry_for_each_frame(options: TalkOptions, tmp_path: Path) -> None:
    """Null before the first output, plain numbers after it; `user` always."""
    assert talk(replace(options, tokens_out=tmp_path / "t.json"), FakeEngine(text={3: 100})) == 0
    entries = json.loads((tmp_path / "t.json").read_text())
    assert len(entries) == 13
    assert entries[0] == {"user": list(range(8)), "text": None, "own": None}
    assert entries[3] == {"user": list(range(3, 11)), "text": 100, "own": list(range(8))}
    assert entries[4]["text"] == 3


def test_transcript_has_words_with_times_in_utf8(options: TalkOptions, tmp_path: Path) -> None:
    engine = FakeEngine(text={2: 100, 4: 101, 5: 102, 7: 103, 8: 104})
    assert talk(replace(options, transcript=tmp_path / "t.json"), engine) == 0
    text = (tmp_path / "t.json").read_text(encoding="utf-8")
    assert "worldé" in text
    made = json.loads(text)
    assert made["duration_s"] == 1.0
    assert [(w["start_s"], w["end_s"], w["text"]) for w in made["turns"][0]["words"]] == [
        (0.16, 0.24, "hello"),
        (0.32, 0.72, "worldé"),
    ]


def test_stereo_has_the_user_left_and_the_model_right(options: TalkOptions) -> None:
    assert talk(replace(options, stereo=True)) == 0
    heard, _ = soundfile.read(options.input, dtype="float32")
    both, _ = soundfile.read(options.output, dtype="float32")
    assert both.shape == (24000, 2)
    assert np.abs(both[:, 0] - heard).max() < 1e-4
    assert np.abs(both[1920:, 1] - heard[1920:] / 2).max() < 1e-4


def test_lead_silence_lengthens_the_output(options: TalkOptions) -> None:
    """User report C12: 1 s in front."""
    assert talk(replace(options, lead_silence=1.0, stereo=True)) == 0
    both, _ = soundfile.read(options.output, dtype="float32")
    assert len(both) == 48000
    assert not both[:24000, 0].any()
    assert both[24000:, 0].any()


def test_voice_sampling_and_mode_reach_the_engine(options: TalkOptions) -> None:
    """User report U1: everything asked for is what the engine got."""
    engine = FakeEngine()
    asked = replace(
        options,
        model=ModelSpec("mini", mode="compiled"),
        sampling=Sampling(0.0, None, 0.0, None, 42),
        persona=PersonaChoice("NATF2", "Be kind."),
    )
    assert talk(asked, engine) == 0
    assert engine.mode == "compiled"
    assert (engine.sampling.temperature, engine.sampling.text_temperature, engine.sampling.top_k) == (0.0, 0.0, 250)
    assert ("reset", 42) in engine.calls
    assert ("prime", ("prompt", "NATF2", "Be kind.")) in engine.calls
    assert engine.unloaded


def test_without_persona_there_is_no_prompt_phase(options: TalkOptions) -> None:
    engine = FakeEngine()
    assert talk(options, engine) == 0
    assert not [call for call in engine.calls if call[0] == "prime"]


def test_realtime_hears_every_frame(options: TalkOptions) -> None:
    soundfile.write(options.input, np.zeros(24000 // 4, np.float32), 24000)
    engine = FakeEngine()
    assert talk(replace(options, realtime=True), engine) == 0
    assert len(engine.heard) == 4


def test_table_and_untrained_notice_are_printed(options: TalkOptions, capsys: pytest.CaptureFixture[str]) -> None:
    talk(options, FakeEngine(trained=False, text={2: 100}))
    out, noted = capsys.readouterr()
    assert noted.count("These weights are untrained") == 1, "before the talk"
    assert "weights are untrained" not in out, "and not once more"
    for stage in ("encode", "temporal", "depth", "decode", "host", "total"):
        assert stage in out
    assert "13 frames, 1.0 s of talk" in out
    assert "of 13" in out
    assert "0.16 s  hello" in out
    assert str(options.output) in out
    talk(options, FakeEngine(trained=True))
    assert "These weights are untrained" not in "".join(capsys.readouterr())


def test_what_a_trained_model_says_that_it_cannot_do_is_printed(
    options: TalkOptions, capsys: pytest.CaptureFixture[str]
) -> None:
    talk(options, FakeEngine(limits="It only sings [bold]songs[/bold]."))
    printed = "".join(capsys.readouterr())
    assert printed.count("Note: It only sings [bold]songs[/bold].") == printed.count("It only sings") == 1


def refused(options: TalkOptions, words: str, engine: FakeEngine | Exception | None = None) -> None:
    before = sorted(p.name for p in options.input.parent.iterdir())
    with pytest.raises(UserError, match=words):
        talk(options, engine)
    assert sorted(p.name for p in options.input.parent.iterdir()) == before, "a refusal leaves nothing behind"


def test_bad_outputs_are_refused_before_the_work(options: TalkOptions, tmp_path: Path) -> None:
    refused(replace(options, output=options.input), "is the input itself")
    refused(replace(options, transcript=options.input), "is the input itself")
    refused(replace(options, transcript=options.output), "two outputs")
    refused(replace(options, tokens_out=tmp_path / "absent" / "t.json"), "no folder")
    refused(replace(options, output=tmp_path), "is a folder")
    refused(replace(options, input=tmp_path / "absent.wav"), "no sound file")
    os.link(options.input, tmp_path / "link.wav")
    refused(replace(options, output=tmp_path / "link.wav"), "is the input itself")


def test_outputs_replace_nothing_that_the_talk_reads(options: TalkOptions, tmp_path: Path) -> None:
    voice = tmp_path / "voice.wav"
    soundfile.write(voice, np.zeros(24000, np.float32), 24000)
    refused(replace(options, output=voice, persona=PersonaChoice(str(voice))), "is the voice itself")
    refused(replace(options, transcript=voice, persona=PersonaChoice(str(voice))), "is the voice itself")
    model = tmp_path / "model"
    (model / "voices").mkdir(parents=True)
    for name in ("config.json", "model.safetensors", "tokenizer.model", "voices/a.flac"):
        (model / name).write_bytes(b"x")
        refused(replace(options, tokens_out=model / name, model=ModelSpec(str(model))), "is a file of the model")
    (model / "reply.json").write_bytes(b"{}")
    assert talk(replace(options, tokens_out=model / "reply.json", model=ModelSpec(str(model)))) == 0
    refused(replace(options, persona=PersonaChoice("n" * 300)), "is not in the voice folder")


def test_bad_wishes_are_refused_in_a_sentence(options: TalkOptions) -> None:
    refused(options, "The file is damaged", EngineError("The file is damaged."))
    refused(replace(options, persona=PersonaChoice("gone")), "gone is not in the voice folder")
    refused(replace(options, model=ModelSpec(mode="graph")), "needs an NVIDIA GPU")
    refused(replace(options, sampling=Sampling(top_k=99999)), "99999")
    broken = FakeEngine(prepare_errors={"compiled": EngineError("No C compiler.")})
    refused(replace(options, model=ModelSpec(mode="compiled")), "No C compiler", broken)


def test_engine_that_fails_on_the_way_leaves_what_was_answered(
    options: TalkOptions, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = FakeEngine()
    engine.on_prime = lambda: engine.fail_at.update({5: EngineError("The GPU is gone; start it again.")})
    assert talk(replace(options, persona=PersonaChoice("NATF2")), engine) == 1
    assert soundfile.info(options.output).frames == 5 * 1920
    assert "The GPU is gone; start it again. What was answered in 0.4 of 1.0 s is written." in capsys.readouterr().out


def test_details_of_an_unexpected_error_go_to_the_log(options: TalkOptions, capfd: pytest.CaptureFixture[str]) -> None:
    """A program without a log handler would print the traceback to the terminal."""
    with pytest.raises(UserError, match=r"unexpected error \(ImportError: no such name\); the log has its details"):
        talk(options, ImportError("no such name"))
    assert "Traceback" not in "".join(capfd.readouterr())
    assert "ImportError: no such name" in (user_log_folder() / "parley.log").read_text(encoding="utf-8")
    reports = [path.read_text(encoding="utf-8") for path in (user_log_folder() / "crashes").glob("crash-*.txt")]
    assert any("ImportError: no such name" in text and "parley talk (load)" in text for text in reports)


def interrupt_when(ready: Callable[[], bool]) -> Callable[[float], None]:
    """A `sleep` during which somebody presses Ctrl-C, once."""
    pressed: list[bool] = []

    def sleep(seconds: float) -> None:
        if ready() and not pressed:
            pressed.append(True)
            raise KeyboardInterrupt
        sleep_ms(1.0)

    return sleep


def test_interrupt_writes_what_there_is(options: TalkOptions, capsys: pytest.CaptureFixture[str]) -> None:
    engine = FakeEngine(advance=sleep_ms, costs=[0.0] * 6 + [30.0])
    tokens = options.output.with_name("t.json")
    # the warm-up takes the first six steps
    status = talk(replace(options, tokens_out=tokens), engine, sleep=interrupt_when(lambda: engine.steps >= 10))
    frames = len(json.loads(tokens.read_text()))
    assert status == 130
    assert 4 <= frames < 13
    assert soundfile.info(options.output).frames == frames * 1920
    assert f"Interrupted after {frames * FRAME_S:.1f} of 1.0 s" in capsys.readouterr().out


@pytest.mark.parametrize("impatient", [False, True])
def test_interrupt_ends_the_talk_though_the_engine_hangs(
    options: TalkOptions, monkeypatch: pytest.MonkeyPatch, impatient: bool
) -> None:
    """A model on a network folder that does not answer, or a build that nothing can stop. Whoever presses Ctrl-C once
    more while the rest is done does not make PyTorch abort the process under its running thread."""
    monkeypatch.setattr("app.talk.CLOSE_S", 0.05)
    if impatient:

        def third(*_: object) -> int:
            raise KeyboardInterrupt

        monkeypatch.setattr(talk_module, "_finish", third)
    answered, told = threading.Event(), list[int]()

    def hang(*_: Any, **__: Any) -> Any:
        answered.wait(60)
        raise EngineError("It answers at last.")

    status = 0
    try:
        status = run_talk(
            options,
            load_engine=hang,
            voices=FakeVoices(),
            thread_context=nullcontext,
            sleep=interrupt_when(lambda: True),
            engine_busy=told.append,
        )
    except KeyboardInterrupt:
        status = 130 if impatient else 1  # as the command line has it
    finally:
        answered.set()
    assert status == 130
    assert told == [130]
    assert not options.output.exists()


def test_interrupt_while_loading_writes_nothing(options: TalkOptions, capsys: pytest.CaptureFixture[str]) -> None:
    assert talk(options, forever=True, sleep=interrupt_when(lambda: True)) == 130
    assert not options.output.exists()
    assert "nothing was written" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="its signals end a process at once")
def test_interrupt_while_the_recording_is_read_ends_at_once(
    options: TalkOptions, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    read = talk_module.RecordingReader.blocks

    def interrupted(self: Any) -> Any:
        os.kill(os.getpid(), signal.SIGTERM)
        return read(self)

    monkeypatch.setattr(talk_module.RecordingReader, "blocks", interrupted)
    with pytest.raises(KeyboardInterrupt):
        talk(options)
    assert not options.output.exists()
    assert capfd.readouterr().err == ""


@pytest.mark.skipif(os.name == "nt", reason="its signals end a process at once")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_while_the_outputs_are_written_loses_none(
    options: TalkOptions, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = getattr(signal, name)
    options = replace(options, transcript=options.output.with_name("w.json"))
    before = signal.signal(number, signal.default_int_handler)  # as the command line has it
    write = talk_module.write_pieces

    def interrupted(path: Path, channels: int, pieces: Any) -> None:
        os.kill(os.getpid(), number)
        write(path, channels, pieces)
        os.kill(os.getpid(), number)

    monkeypatch.setattr(talk_module, "write_pieces", interrupted)
    try:
        assert talk(options) == 130
        assert signal.getsignal(number) is signal.default_int_handler
    finally:
        signal.signal(number, before)
    assert soundfile.info(options.output).frames == 24000
    assert json.loads((options.output.with_name("w.json")).read_text())["duration_s"] == 1.0


@pytest.mark.skipif(os.name == "nt", reason="its signals end a process at once")
def test_a_key_that_is_held_down_loses_nothing(options: TalkOptions, monkeypatch: pytest.MonkeyPatch) -> None:
    write = talk_module.write_pieces

    def interrupted(path: Path, channels: int, pieces: Any) -> None:
        for _ in range(20):
            os.kill(os.getpid(), signal.SIGINT)
        write(path, channels, pieces)

    monkeypatch.setattr(talk_module, "write_pieces", interrupted)
    monkeypatch.setattr(interrupts, "SAVING_S", 60.0)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert talk(options) == 130
    finally:
        signal.signal(signal.SIGINT, before)
    assert soundfile.info(options.output).frames == 24000


@pytest.mark.skipif(os.name == "nt", reason="its signals end a process at once")
def test_a_third_signal_ends_a_disk_that_hangs(options: TalkOptions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "SAVING_S", 0.0)

    def hangs(path: Path, channels: int, pieces: Any) -> None:
        for _ in range(3):
            os.kill(os.getpid(), signal.SIGINT)
        raise AssertionError("nobody was interrupted")

    monkeypatch.setattr(talk_module, "write_pieces", hangs)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background have it ignored
    try:
        with pytest.raises(KeyboardInterrupt):
            talk(options)
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_folder_that_goes_away_in_the_talk_costs_no_word(
    options: TalkOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The reply is kept elsewhere, which is said, and the other outputs are written where they belong."""
    spare, folder = tmp_path / "spare", tmp_path / "folder"
    spare.mkdir()
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spare))
    engine = FakeEngine(text={3: 100, 5: 101, 6: 102})
    step = engine.step

    def taken_away(pcm: np.ndarray) -> Any:
        if folder.exists() and engine.steps > 8:
            folder.rmdir()
        return step(pcm)

    engine.step = taken_away  # type: ignore[method-assign, assignment]
    words = options.output.with_name("w.json")
    assert talk(replace(options, output=folder / "out.wav", transcript=words), engine) == 1
    assert "hello" in words.read_text()
    (kept,) = spare.rglob("out.wav")
    assert soundfile.info(kept).frames == 24000
    told = capsys.readouterr()
    assert str(kept) in told.err
    assert "cannot be written" in told.err
    assert "Reply:" not in told.out
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    folder.mkdir()
    engine = FakeEngine()
    step = engine.step
    engine.step = taken_away  # type: ignore[method-assign, assignment]
    assert talk(replace(options, output=folder / "out.wav"), engine) == 1
    assert "Nothing could be kept elsewhere either." in capsys.readouterr().err


# ---------------------------------------------------------------- the recording's words


class Writer:
    """Writes "so" for every utterance; `fails` is raised instead."""

    def __init__(self, fails: Exception | None = None) -> None:
        self.fails, self.models, self.closed = fails, [], 0  # type: ignore[var-annotated]

    def __call__(self, model: str) -> Writer:
        self.models.append(model)
        return self

    def words(self, pcm: np.ndarray) -> list[Word]:
        if self.fails is not None:
            raise self.fails
        return [Word(0.1, 0.3, "so")]

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def spoken(options: TalkOptions, tmp_path: Path) -> TalkOptions:
    """6 s with a burst from 3.2 s on, and words of the model's at 0.24 s."""
    pcm = np.random.default_rng(1).normal(0, 0.0005, 6 * 24000).astype(np.float32)
    pcm[round(3.2 * 24000) : 4 * 24000] += 0.1
    soundfile.write(options.input, pcm, 24000, subtype="FLOAT")
    return replace(options, transcript=tmp_path / "words.json", lead_silence=1.0)


def test_the_recordings_words_stand_in_the_transcript_with_their_times(
    spoken: TalkOptions, capsys: pytest.CaptureFixture[str]
) -> None:
    writer = Writer()
    assert talk(replace(spoken, recogniser_model="a folder"), FakeEngine(text={3: 100}), recogniser=writer) == 0
    assert spoken.transcript is not None
    turns = json.loads(spoken.transcript.read_text())["turns"]
    assert [(turn["speaker"], turn["text"]) for turn in turns] == [("model", "hello"), ("user", "so")]
    start_s = turns[1]["start_s"]
    assert 3.9 < start_s < 4.3, "1 s of lead silence, a burst at 3.2 s, and a lead of 0.24 s before it"
    assert turns[1]["words"] == [{"start_s": start_s, "end_s": pytest.approx(start_s + 0.2), "text": "so"}]
    assert (writer.models, writer.closed) == (["a folder"], 1)
    assert "You: so" in capsys.readouterr().out


@pytest.mark.parametrize("change", [{"user_words": False}, {"transcript": None}])
def test_without_the_wish_or_a_transcript_no_recogniser_starts(spoken: TalkOptions, change: dict[str, Any]) -> None:
    writer = Writer()
    assert talk(replace(spoken, **change), recogniser=writer) == 0
    assert writer.models == []


def test_without_a_recogniser_the_transcript_has_the_models_words_and_nothing_is_said(
    spoken: TalkOptions, capsys: pytest.CaptureFixture[str]
) -> None:
    assert talk(spoken, FakeEngine(text={3: 100})) == 0
    assert spoken.transcript is not None
    assert [turn["speaker"] for turn in json.loads(spoken.transcript.read_text())["turns"]] == ["model"]
    captured = capsys.readouterr()
    assert "speech recogniser" not in captured.out + captured.err


def test_a_recogniser_that_stops_costs_only_the_rest_of_its_words(
    spoken: TalkOptions, capsys: pytest.CaptureFixture[str]
) -> None:
    writer = Writer(UserError("The speech recogniser stopped (it ended)."))
    assert talk(spoken, recogniser=writer) == 0
    assert soundfile.info(spoken.output).frames == 7 * 24000
    assert "Note: The speech recogniser stopped" in capsys.readouterr().err
    assert writer.closed == 1


# ---------------------------------------------------------------- long and damaged recordings


def test_a_recording_that_ends_early_is_answered_and_that_is_said(
    options: TalkOptions, capsys: pytest.CaptureFixture[str]
) -> None:
    content = options.input.read_bytes()
    options.input.write_bytes(content[: len(content) // 2])
    assert talk(options) == 0
    assert soundfile.info(options.output).duration == pytest.approx(0.5, abs=0.01)
    for said in capsys.readouterr():  # the report and the terminal
        assert said.count("in.wav is damaged or cut off: 0.5 s of the 1.0 s that it should last could be read.") == 1


def test_samples_that_are_no_numbers_are_answered_as_silence_and_counted(
    options: TalkOptions, capsys: pytest.CaptureFixture[str]
) -> None:
    pcm = np.full(24000, 0.25, np.float32)
    pcm[6000], pcm[6001] = np.nan, np.inf
    soundfile.write(options.input, pcm, 24000, "FLOAT")
    assert talk(replace(options, stereo=True)) == 0
    sound, _ = soundfile.read(options.output, dtype="float32")
    assert np.flatnonzero(sound[:, 0] == 0.0).tolist() == [6000, 6001]
    for said in capsys.readouterr():
        assert said.count("in.wav holds 2 of 24000 samples that are not numbers, the first at 0.25 s: they were ") == 1


def test_a_long_talk_is_kept_in_a_file(options: TalkOptions, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is held in memory as a whole, neither what is heard nor what is answered, and nothing is left behind."""
    monkeypatch.setattr("app.sound_spool.IN_MEMORY", 10_000)
    monkeypatch.setattr("app.audio.PIECE", 5_000)
    monkeypatch.setattr("app.sound_spool.PIECE", 5_000)
    assert talk(replace(options, stereo=True)) == 0
    sound, _ = soundfile.read(options.output, dtype="float32")
    heard, _ = soundfile.read(options.input, dtype="float32")
    assert np.abs(sound[:, 0] - heard).max() < 1e-4
    assert np.abs(sound[1920:, 1] - heard[1920:] / 2).max() < 1e-4
    assert sorted(path.name for path in options.output.parent.iterdir()) == ["in.wav", "out.wav"]


def test_the_report_says_why_the_precision_was_chosen_and_how_far_it_agrees() -> None:
    info = info_of(FakeEngine(), ModelSpec("m"))
    line = "Model: fake on a scripted processor (cpu), float32, graph mode"
    assert model_line(info, "graph") == line
    reasons = replace(info, precision_reason="float32: it needs 1.0 GiB.", agreement="All tokens are the same.")
    assert model_line(reasons, "graph") == f"{line}\nPrecision float32: it needs 1.0 GiB.\nAll tokens are the same."
