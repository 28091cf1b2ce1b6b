"""The command line: what it accepts, how it ends, and what it hands on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

from app import arguments, cli, config, recogniser, recogniser_process
from app.arguments import all_overrides, build_parser, config_file
from app.config import RULES
from app.device_list import as_text, print_devices
from app.devices import DeviceLists, DeviceRef, DeviceRow
from app.errors import UserError
from app.messages import ModelSpec, PersonaChoice, Sampling
from app.talk_options import TalkOptions
from engine.errors import EngineError

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def nothing_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "user_config_file", lambda: tmp_path / "none" / "config.yaml")
    monkeypatch.setattr(cli, "user_log_folder", lambda: tmp_path / "logs")


@pytest.fixture
def speech(tmp_path: Path) -> Path:
    path = tmp_path / "speech.wav"
    path.write_bytes(b"RIFF")
    return path


@pytest.fixture
def talked(monkeypatch: pytest.MonkeyPatch) -> list[TalkOptions]:
    """What `parley talk` would have run."""
    ran: list[TalkOptions] = []
    stand_in = types.ModuleType("app.talk")
    stand_in.run_talk = lambda options, engine_busy: ran.append(options) or 0  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "app.talk", stand_in)
    return ran


def refused(capsys: pytest.CaptureFixture[str], *typed: str) -> str:
    """The sentence with which a command is refused, with status 2, whether by the parser or by the command."""
    try:
        status: object = cli.main(typed)
    except SystemExit as end:
        status = end.code
    out, err = capsys.readouterr()
    assert status == 2
    assert out == ""
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err


# ---------------------------------------------------------------- help and shape


def test_help_is_quick_and_complete() -> None:
    """Neither torch nor Qt nor a sound library is imported for it."""
    code = (
        "import sys\nfrom app.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit as end:\n    assert end.code == 0\n"
        "heavy = {'torch', 'PySide6', 'sounddevice', 'engine', 'soundfile'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    for word in ("talk", "models", "devices", "doctor", "bench", "--config", "--set", "--version"):
        assert word in done.stdout


@pytest.mark.parametrize("command", arguments.COMMANDS)
def test_every_command_explains_every_flag(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main([command, "--help"])
    assert end.value.code == 0
    shown = capsys.readouterr().out
    parser = build_parser()._subparsers._group_actions[0].choices[command]  # type: ignore[union-attr,index]
    for action in parser._actions:
        assert action.help, action.dest
        assert (action.option_strings or [action.metavar])[-1] in shown


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith("parley ")


def test_settings_flags_may_stand_before_and_after_the_command() -> None:
    typed = ["--set", "a=1", "--config", "x", "doctor", "--set", "b=2", "--config", "y"]
    options = arguments.parse(typed)
    assert all_overrides(options) == ["a=1", "b=2"]
    assert config_file(options) == Path("y")
    assert config_file(arguments.parse(["--config", "x", "doctor"])) == Path("x")
    assert all_overrides(arguments.parse(["--set", "a=1"])) == ["a=1"]


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["tlak"], 'no command "tlak", only talk, models, devices, doctor, bench. Did you mean "talk"'),
        (["talk"], "--input, --output"),
        (["talk", "--input", "a.wav"], "--output"),
        (["talk", "--fast"], "required"),
        (["doctor", "--fast"], "--fast"),
        (["doctor", "--js"], "--js"),  # no guessing of shortened flags
        (
            ["talk", "--mode", "grph"],
            '--mode is "grph", where one of auto, graph, eager, compiled is needed. Did you mean',
        ),
        (["talk", "--precision", "fp7"], "auto, float32, bfloat16"),
        (["talk", "--device", "gpu"], "auto, cpu, cuda, or cuda:N"),
        (["talk", "--window", "x"], "upstream, personaplex"),
        (["talk", "--seed", "-1"], "--seed"),
        (["talk", "--seed", "1.5"], "a whole number"),
        (["talk", "--lead-silence", "nan"], '--lead-silence is "nan", where a number from 0 to 60 s is needed'),
        (["talk", "--lead-silence", "61"], "from 0 to 60"),
        (["talk", "--persona", "a\x00b"], "control character"),
        (["talk", "--persona", "x" * 4001], "4001 characters"),
        (["talk", "--input", ""], "a file's name"),
        (["bench", "--modes", "graph,warp"], "where one of graph, eager, compiled, compiled-plain, "),
        (["bench", "--modes", ""], "is needed"),
        (["bench", "--precision", "int3"], "--precision"),
        (["bench", "--frames", "0"], "from 1 to 100000"),
        (["bench", "--frames", "1e99"], "from 1 to 100000"),
        (["bench", "--context-fill", "1.5"], "from 0 to 1"),
        (["bench", "--model", "random:8b"], 'random:7b, random:tiny is needed. Did you mean "random:7b"?'),
        (["--set", "model.mod=eager", "bench"], 'Did you mean "model.mode"?'),
        (["bench", "--set", "model.threads=many"], "from 0 to 256"),
        (["--config", "/nowhere/config.yaml", "devices"], "cannot be read"),
    ],
)
def test_wrong_words_are_refused_in_one_sentence(
    capsys: pytest.CaptureFixture[str], typed: list[str], said: str
) -> None:
    assert said in refused(capsys, *typed)


def test_input_must_be_a_readable_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], talked: list[TalkOptions]
) -> None:
    output = str(tmp_path / "reply.wav")
    assert "does not exist" in refused(capsys, "talk", "--input", str(tmp_path / "none.wav"), "--output", output)
    (tmp_path / "empty.wav").touch()
    assert "is empty" in refused(capsys, "talk", "--input", str(tmp_path / "empty.wav"), "--output", output)
    assert "is a folder" in refused(capsys, "talk", "--input", str(tmp_path), "--output", output)
    assert "a device or a pipe" in refused(capsys, "talk", "--input", "/dev/null", "--output", output)
    assert talked == []


def test_a_name_that_begins_with_a_dash_is_told_how_to_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, "talk", "--input", "-in.wav", "--output", "out.wav")
    assert "--input needs a value; one that begins with - is written --input=VALUE" in said


@pytest.mark.skipif(os.name == "nt", reason="a folder in use cannot be deleted there")
def test_a_folder_deleted_under_the_program_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """PyTorch would end the process; the window, for which no file name was typed, goes home instead."""
    home, gone = tmp_path / "home", tmp_path / "gone"
    home.mkdir()
    gone.mkdir()
    monkeypatch.setenv("HOME", str(home))
    opened: list[str] = []
    monkeypatch.setattr(cli, "_window", lambda _: opened.append(os.getcwd()) or 0)  # type: ignore[func-returns-value]
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert "does not exist any more" in refused(capsys, "doctor")
    assert cli.main([]) == 0
    assert opened == [str(home)]


def test_outputs_must_be_possible(
    tmp_path: Path, speech: Path, capsys: pytest.CaptureFixture[str], talked: list[TalkOptions]
) -> None:
    """User report U13: what cannot be written is refused before the work, not after it."""
    typed = ["talk", "--input", str(speech), "--output"]
    assert "must end in .wav" in refused(capsys, *typed, str(tmp_path / "reply.mp3"))
    assert "is a folder" in refused(capsys, *typed, str(tmp_path))
    assert "does not exist" in refused(capsys, *typed, str(tmp_path / "none" / "reply.wav"))
    good = [*typed, str(tmp_path / "reply.wav")]
    assert "--transcript" in refused(capsys, *good, "--transcript", str(tmp_path / "none" / "t.json"))
    assert "--tokens-out" in refused(capsys, *good, "--tokens-out", str(tmp_path))
    assert "a device or a pipe" in refused(capsys, *good, "--tokens-out", "/dev/null")
    assert talked == []


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_folder_is_refused(tmp_path: Path, speech: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """User report U13."""
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    assert "read-only" in refused(capsys, "talk", "--input", str(speech), "--output", str(locked / "reply.wav"))


def test_no_file_is_given_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str], talked: list[TalkOptions]) -> None:
    speech = tmp_path / "speech.wav"
    speech.write_bytes(b"RIFF")
    same = tmp_path / "." / "speech.wav"
    sentence = refused(capsys, "talk", "--input", str(speech), "--output", str(same))
    assert "--input and --output are the same file" in sentence
    settings = tmp_path / "c.yaml"
    settings.write_text("persona: {}\n")
    files = ("--input", str(speech), "--output", str(tmp_path / "o.wav"), "--transcript", str(settings))
    assert "--config and --transcript are the same file" in refused(capsys, "talk", "--config", str(settings), *files)
    assert settings.read_text() == "persona: {}\n"
    link = tmp_path / "link.wav"
    link.symlink_to(speech)
    assert "same file" in refused(capsys, "talk", "--input", str(speech), "--output", str(link))
    words = ["--transcript", str(tmp_path / "x.json"), "--tokens-out", str(tmp_path / "x.json")]
    sentence = refused(capsys, "talk", "--input", str(speech), "--output", str(tmp_path / "reply.wav"), *words)
    assert "--transcript and --tokens-out" in sentence
    assert talked == []


# ---------------------------------------------------------------- what is handed on


def test_talk_with_nothing_but_files(tmp_path: Path, speech: Path, talked: list[TalkOptions]) -> None:
    assert cli.main(["talk", "--input", str(speech), "--output", str(tmp_path / "reply.WAV")]) == 0
    assert talked == [TalkOptions(speech, tmp_path / "reply.WAV")]


def test_talk_with_every_flag(tmp_path: Path, speech: Path, talked: list[TalkOptions]) -> None:
    words, tokens, reply = (tmp_path / name for name in ("words.json", "tokens.json", "reply.wav"))
    typed = ["talk", "--input", str(speech), "--output", str(reply), "--stereo", "--transcript", str(words),
             "--tokens-out", str(tokens), "--model", "some/model", "--voice", "NATF0", "--persona", "You are: \"Ada\"",
             "--mode", "eager", "--precision", "float32", "--device", "cuda:1", "--window", "personaplex",
             "--kv", "int8", "--compile", "max-autotune", "--greedy", "--seed", "42424242", "--realtime",
             "--lead-silence", "1.5"]  # fmt: skip
    assert cli.main(typed) == 0
    assert talked == [
        TalkOptions(
            input=speech,
            output=reply,
            model=ModelSpec(
                "some/model", "cuda:1", "float32", "eager", "personaplex", kv="int8", compile="max-autotune"
            ),
            sampling=Sampling(temperature=0.0, text_temperature=0.0, seed=42424242),
            persona=PersonaChoice("NATF0", 'You are: "Ada"'),
            transcript=words,
            tokens_out=tokens,
            stereo=True,
            realtime=True,
            lead_silence=1.5,
        )
    ]


def test_flags_win_over_settings_and_empty_means_none(tmp_path: Path, speech: Path, talked: list[TalkOptions]) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "model: {mode: compiled, threads: 3}\npersona: {voice: NATM1, text: Be kind.}\nsampling: {top_k: 100}\n"
    )
    typed = ["--config", str(file), "talk", "--input", str(speech), "--output", str(tmp_path / "reply.wav")]
    assert cli.main([*typed, "--mode", "eager", "--voice", "", "--set", "sampling.text_top_k=30"]) == 0
    options = talked[0]
    assert (options.model.mode, options.model.threads) == ("eager", 3)
    assert options.persona == PersonaChoice("", "Be kind.")
    assert (options.sampling.top_k, options.sampling.text_top_k) == (100, 30)


def test_bench_takes_model_and_precision_from_the_settings(tmp_path: Path) -> None:
    typed = [
        "bench",
        "--set",
        "model.source=some/model",
        "--set",
        "model.precision=bfloat16",
        "--set",
        "model.mode=eager",
    ]
    options = arguments.parse(typed)
    wanted = cli.bench_options(options, cli._settings(options))
    assert (wanted.model, wanted.precisions, wanted.modes, wanted.paced) == ("some/model", ("bfloat16",), (), True)
    typed = ["bench", "--model", "random:7b", "--modes", "eager,graph,eager", "--precision", "float32,auto"]
    typed += ["--no-paced", "--context-fill", "0", "--frames", "10", "--device", "cpu", "--kv", "int8"]
    options = arguments.parse(typed)
    wanted = cli.bench_options(options, cli._settings(options))
    assert (wanted.model, wanted.modes, wanted.precisions) == ("random:7b", ("eager", "graph"), ("float32", "auto"))
    assert (wanted.paced, wanted.context_fill, wanted.frames, wanted.device) == (False, 0.0, 10, "cpu")
    assert wanted.kv == "int8"


def test_flags_follow_the_settings_rules() -> None:
    """A flag can never accept what the setting of the same meaning refuses."""
    parser = build_parser()._subparsers._group_actions[0].choices["talk"]  # type: ignore[union-attr,index]
    named = {action.dest: action for action in parser._actions}
    for flag, key in (
        ("mode", "model.mode"),
        ("precision", "model.precision"),
        ("window", "model.window"),
        ("kv", "model.kv"),
    ):
        for name in RULES[key].names:  # type: ignore[attr-defined]
            assert named[flag].type(name) == name
            assert name in named[flag].help


# ---------------------------------------------------------------- the window


def test_window_without_a_display_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("app.desktop.missing_libraries", lambda *_: {})
    if not sys.platform.startswith("linux"):
        pytest.skip("other systems always have a display")
    sentence = refused(capsys)
    assert "no display" in sentence
    assert "parley talk" in sentence


def test_window_opens_with_a_broken_file_of_the_user(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("model: {precision: float8}\n")
    monkeypatch.setattr(config, "user_config_file", lambda: file)
    monkeypatch.setattr("app.desktop.window_problem", lambda: None)
    opened: list[config.Settings] = []
    stand_in = types.ModuleType("app.main")
    stand_in.run_window = lambda settings: opened.append(settings) or 0  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "app.main", stand_in)
    assert cli.main([]) == 0
    assert opened[0].config.model.precision == "auto"
    assert "model.precision" in capsys.readouterr().err


# ---------------------------------------------------------------- how it ends


@pytest.mark.parametrize(
    ("error", "status"),
    [(UserError("Say it."), 2), (EngineError("Say it."), 2), (KeyboardInterrupt(), 130), (RuntimeError("Secret."), 1)],
)
def test_exit_status(
    error: BaseException,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    def fail(options: object) -> int:
        raise error

    monkeypatch.setattr(cli, "run", fail)
    assert cli.main(["doctor"]) == status
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err
    if status == 2:
        assert err == "Say it.\n"
    logs = list((tmp_path / "logs").glob("*.log"))
    assert len(logs) == (1 if status == 1 else 0)
    if logs:
        assert err.count("\n") == 1
        assert str(logs[0]) in err
        assert "Traceback" in logs[0].read_text()
        assert "Secret." in logs[0].read_text()


def test_log_goes_elsewhere_when_its_folder_cannot_be_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr(cli, "user_log_folder", lambda: tmp_path / "file" / "logs")
    monkeypatch.setattr(cli.tempfile, "gettempdir", lambda: str(tmp_path))
    log = cli.write_log(RuntimeError("x"), "talk")
    assert log is not None
    assert log.parent == tmp_path
    monkeypatch.setattr(cli.tempfile, "gettempdir", lambda: str(tmp_path / "file"))
    assert cli.write_log(RuntimeError("x"), "talk") is None


def test_reader_that_leaves_is_no_failure_of_ours() -> None:
    """`parley --help | head -c 1`: no traceback, no message."""
    code = (
        "import sys\nfrom app import cli\ncli.run = lambda o: [print('x' * 1000) for _ in range(10000)]\n"
        "sys.exit(cli.main(['doctor']))"
    )
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr is not None
    complaint = process.stderr.read()
    assert process.wait(timeout=30) == 1
    assert complaint == b""


# ---------------------------------------------------------------- devices

ROWS = DeviceLists(
    inputs=(DeviceRow("Headset", "ALSA", 1, 44100.0, True), DeviceRow("Headset", "OSS", 1, 44100.0, duplicate=True)),
    outputs=(DeviceRow("Speakers", "ALSA", 2, 48000.0),),
)


def test_devices_are_listed_by_the_names_of_the_settings(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_devices(every=False, as_json=False, lists=ROWS) == 0
    shown = capsys.readouterr().out
    assert "* Headset  [ALSA, 1 channel, 44100 Hz, default]" in shown
    assert "Speakers  [ALSA, 2 channels, 48000 Hz]" in shown
    assert "OSS" not in shown
    assert "1 more" in shown
    assert "OSS" in as_text(ROWS, every=True)
    assert '"audio.input.name=Headset"' in shown
    name = config.load(overrides=["audio.input.name=Headset"]).config.audio.input
    assert name == DeviceRef("Headset")


def test_devices_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_devices(every=True, as_json=True, lists=ROWS) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [row["host_api"] for row in listed["inputs"]] == ["ALSA", "OSS"]


def test_no_devices_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UserError, match="Nothing"):
        print_devices(every=False, as_json=False, lists=DeviceLists(note="Nothing is here."))
    assert print_devices(every=False, as_json=True, lists=DeviceLists(note="Nothing is here.")) == 2
    assert json.loads(capsys.readouterr().out)["note"] == "Nothing is here."


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no /dev")
def test_paths_that_the_system_will_not_look_at_or_must_not_lose_are_refused(tmp_path: Path) -> None:
    """The standard output may be a file, and is one behind a link that root could replace."""
    endless = tmp_path / ("a" * 300 + ".wav")
    with pytest.raises(UserError, match="too long"):
        arguments.check_output(endless, "--output")
    with pytest.raises(UserError, match="too long"):
        arguments.check_input(endless)
    for device in ("/dev/stdout", "/dev/../dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/dev/new.json"):
        with pytest.raises(UserError, match="a device or a pipe"):
            arguments.check_output(Path(device), "--transcript")


def test_the_recognisers_process_is_this_program_with_a_word_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recogniser_process, "main", lambda arguments: len(arguments) + 40)
    assert cli.main([recogniser.PROCESS_WORD, "folder"]) == 41


def test_an_error_whose_report_cannot_be_made_is_a_sentence_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise LookupError("nobody foresaw it")

    monkeypatch.setattr(cli, "run", fails)
    monkeypatch.setattr(cli, "write_log", fails)
    assert cli.main(["devices"]) == 1
    said = capsys.readouterr().err
    assert said == (
        "Parley stopped because of an error of its own (LookupError); its details could not be written anywhere.\n"
    )
