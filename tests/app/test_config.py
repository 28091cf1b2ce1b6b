"""The settings: rules, the user's file, and the page that explains them."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from app import config
from app.config import RULES, Config, Settings, load
from app.devices import DeviceRef
from app.errors import UserError
from app.paths import project_file
from app.presets import Presets
from app.rules import Number
from app.settings_file import LARGEST, read_settings, write_settings
from tests.rights import posix, read_only


@pytest.fixture
def own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place of the user's file, empty so far."""
    path = tmp_path / "config" / "config.yaml"
    monkeypatch.setattr(config, "user_config_file", lambda: path)
    return path


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def refusal(*overrides: str) -> str:
    with pytest.raises(UserError) as caught:
        load(overrides=overrides)
    return str(caught.value)


# ---------------------------------------------------------------- the program's own page


def test_page_and_program_hold_the_same_values(own_file: Path) -> None:
    assert load().config == Config()
    assert read_settings(project_file("config.yaml")).keys() == RULES.keys()


def test_page_explains_every_setting() -> None:
    """Each key stands under a comment with its exact range and the time at which a change takes effect."""
    comments: list[str] = []
    sections: list[str] = []
    explained = set()
    for line in project_file("config.yaml").read_text(encoding="utf-8").splitlines():
        if line.strip().startswith("#"):
            comments.append(line.strip().removeprefix("#").strip())
        elif line.strip():
            depth = (len(line) - len(line.lstrip())) // 2
            name = line.strip().split(":")[0]
            sections[depth:] = [name]
            key = ".".join(sections)
            if key in RULES:
                text = " ".join(comments)
                assert "Takes effect: " in text, key
                assert RULES[key].wanted in text, f"{key}: {RULES[key].wanted}"
                explained.add(key)
            comments = []
    assert explained == RULES.keys()


def test_program_without_its_page_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    short = write(tmp_path / "config.yaml", "model:\n  mode: auto\n")
    monkeypatch.setattr(config, "project_file", lambda name: short)
    with pytest.raises(UserError, match=r"lacks model\.source.*install Parley again"):
        load()


# ---------------------------------------------------------------- who wins


def test_command_line_wins_over_file_over_page(own_file: Path) -> None:
    write(own_file, "model:\n  mode: eager\n  threads: 3\n")
    settings = load(overrides=["model.mode=compiled", "model.mode=graph"])
    assert settings.config.model.mode == "graph"
    assert settings.config.model.threads == 3
    assert settings.config.model.device == "auto"


def test_named_file_must_exist_and_is_the_one_that_is_kept(own_file: Path, tmp_path: Path) -> None:
    write(own_file, "model:\n  mode: eager\n")
    with pytest.raises(UserError, match="no such file"):
        load(tmp_path / "nowhere.yaml")
    named = write(tmp_path / "named.yaml", "window:\n  theme: dark\n")
    settings = load(named)
    assert (settings.config.model.mode, settings.config.window.theme) == ("auto", "dark")
    assert settings.set("window.theme", "light") == ""
    assert settings.flush() == ""
    assert yaml.safe_load(named.read_text()) == {"window": {"theme": "light"}}
    assert yaml.safe_load(own_file.read_text()) == {"model": {"mode": "eager"}}


def test_short_form_of_a_device(own_file: Path) -> None:
    write(own_file, "audio:\n  input: Off\n  output: {name: 'No: 5', host_api: ALSA}\n")
    audio = load().config.audio
    assert (audio.input, audio.output) == (DeviceRef("Off"), DeviceRef("No: 5", "ALSA"))


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("model.mod=eager", '"model.mod". Did you mean "model.mode"?'),
        ("mode=eager", 'Did you mean "model.mode"?'),
        ("modle.mode=eager", 'Did you mean "model.mode"?'),
        ("smapling=1", 'Did you mean "sampling"?'),
        ("model=mini", "model is a section"),
        ("model.mode.x=1", "model.mode takes one value"),
        ("model.mode=graf", 'one of auto, graph, eager, compiled is needed. Did you mean "graph"?'),
        ("model.device=gpu", "auto, cpu, cuda, or cuda:N"),
        ("model.source=", "1 to 1024 characters"),
        ("persona.voice=a\x07b", "control character"),
        ("window.expert_sampling=1", "true or false"),
        ("audio.block_ms=80", "from 5 to 40 ms"),
        ("audio.block_ms=10.5", "a whole number"),
        ("audio.block_ms=true", "a whole number"),
        ("audio.block_ms=0x10", "a whole number"),
        ("audio.block_ms=1_0", "a whole number"),
        ("audio.block_ms=null", "a whole number"),
        ("sampling.temperature=0,8", "not a comma"),
        ("justaword", "needs a name and a value"),
        ("=5", 'no setting ""'),
    ],
)
def test_wrong_settings_are_refused_in_one_sentence(own_file: Path, override: str, said: str) -> None:
    sentence = refusal(override)
    assert said in sentence
    assert "\n" not in sentence


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", ".nan", ".inf", "-1", "99", "1e999", "٣"])
@pytest.mark.parametrize("key", ["sampling.temperature", "sampling.text_temperature"])
def test_temperatures_that_killed_sessions(own_file: Path, key: str, value: str) -> None:
    """User report U5: refused with the range."""
    assert "a number from 0 to 3" in refusal(f"{key}={value}")


@pytest.mark.parametrize("value", ["0", "99999", "-5", "nan", "2.5", "9" * 5000])
@pytest.mark.parametrize("key", ["sampling.top_k", "sampling.text_top_k"])
def test_top_k_that_killed_sessions(own_file: Path, key: str, value: str) -> None:
    """User report U5: refused with the range."""
    assert "a whole number from 1 to 2048" in refusal(f"{key}={value}")


def test_extremes_need_the_expert_switch(own_file: Path) -> None:
    """User report C14, on the command line."""
    assert "window.expert_sampling" in refusal("sampling.text_top_k=1")
    settings = load(overrides=["sampling.text_top_k=1", "window.expert_sampling=true"])
    assert settings.config.sampling.text_top_k == 1
    assert load(overrides=["sampling.temperature=0"]).config.sampling.temperature == 0.0


def test_stored_extreme_is_lifted_with_a_note(own_file: Path) -> None:
    """User report C14: a stored 1 becomes 5, and the user is told."""
    write(own_file, "sampling:\n  text_top_k: 1\n")
    settings = load()
    assert settings.config.sampling.text_top_k == 5
    assert len(settings.notes) == 1
    assert "sampling.text_top_k was 1" in settings.notes[0]
    assert "5 is in force" in settings.notes[0]


def test_shortened_context_is_not_offered(own_file: Path) -> None:
    """User report L7: 750 frames turned to garble after a minute."""
    assert "the context it was trained with" in refusal("model.context=750")


def test_file_is_refused_with_its_line(own_file: Path) -> None:
    write(own_file, "model:\n  mode: eager\nsampling:\n  top_k: lots\n")
    with pytest.raises(UserError, match=rf"{re.escape(str(own_file))}, line 4: sampling\.top_k is \"lots\""):
        load()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"model:\n\tmode: eager\n", "line 2: a tab"),
        (b"a: 1\nb: 2\na: 3\n", 'line 3: "a" was already given in line 1'),
        (b"model:\n  mode: eager\nmodel.mode: graph\n", '"model.mode" was already given'),
        (b"a: &x 1\nb: *x\n", "line 1: .*anchors"),
        (b"a: !!python/object/apply:os.system [id]\n", "a tag"),
        (b"- model\n", "a list"),
        (b"a: [1, 2]\n", "a list"),
        (b"--- {}\n--- {}\n", "line 2: a second document"),
        (b"just words\n", "settings are a table"),
        (b"a: {b: {c: {d: {e: 1}}}}\n", "too deeply"),
        (b"a: 'open\n", "not YAML"),
        (b"a: b: c\n", 'a ":" stands'),
        (b"a: 1\nb: \xff\n", "line 2: this is not UTF-8"),
        ("a: 1".encode("utf-16"), "UTF-16"),
        (b"a: \x00", "not text"),
        (b"#" * (LARGEST + 1), "larger than 64 kB"),
        (b"[" * 20000, "a list"),
        (b"{" * 20000, "name of a setting"),
    ],
)
def test_broken_files_are_refused_in_one_sentence(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "broken.yaml"
    path.write_bytes(content)
    with pytest.raises(UserError, match=said) as caught:
        read_settings(path)
    assert "\n" not in str(caught.value)


def test_anchors_that_multiply_cost_nothing(tmp_path: Path) -> None:
    pairs = zip("abcdefgh", "bcdefghi", strict=True)
    bomb = "a: &a x\n" + "".join(f"{c}: &{c} [{','.join([f'*{p}'] * 9)}]\n" for p, c in pairs)
    with pytest.raises(UserError, match="anchors"):
        read_settings(write(tmp_path / "bomb.yaml", bomb))


def test_folders_and_pipes_are_no_settings_files(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not a file"):
        read_settings(tmp_path)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(UserError, match="not a file"):  # opening it would wait for ever
        read_settings(pipe)


def test_harmless_oddities_are_read(tmp_path: Path, own_file: Path) -> None:
    own_file.parent.mkdir()
    own_file.write_bytes(
        b"\xef\xbb\xbfmodel:\r\n  threads: 1e1\r\npersona:\r\n  voice: 2024-01-01\r\nsampling:\r\n"
        b"window: {expert_sampling: on}\r\n"
    )
    found = load().config
    assert found.model.threads == 10
    assert found.persona.voice == "2024-01-01"
    assert found.window.expert_sampling is True


# ---------------------------------------------------------------- a window must open all the same


def test_forgiving_keeps_what_is_good_and_says_what_is_not(own_file: Path) -> None:
    write(own_file, "model:\n  mode: eager\n  precision: float8\naudio:\n  max_lag_ms: 99999\n  margin_ms: plenty\n")
    with pytest.raises(UserError):
        load()
    settings = load(forgiving=True)
    assert settings.config.model.mode == "eager"
    assert settings.config.model.precision == "auto"
    assert settings.config.audio.max_lag_ms == 2000
    assert settings.config.audio.margin_ms == Config().audio.margin_ms
    assert [("line 3" in n, "line 5" in n, "line 6" in n) for n in settings.notes] == [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    assert "2000 is in force instead" in settings.notes[1]
    named = [
        note.endswith("At the first change the file as it is now is kept as config.yaml.bak.")
        for note in settings.notes
    ]
    assert named == [False, False, True], "once, of the file and not of each value"
    assert settings.set("window.theme", "dark") == ""
    assert settings.flush() == ""
    assert "precision: float8" in own_file.with_name("config.yaml.bak").read_text()
    assert load(forgiving=True).notes == ()


def test_an_extreme_that_is_lifted_names_the_copy_too(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.yaml", "sampling: {text_top_k: 1}\n")
    (note,) = load(path).notes
    assert note.endswith("is kept as mine.yaml.bak.")


def test_forgiving_survives_a_file_that_is_no_yaml_and_keeps_a_copy_of_it(own_file: Path) -> None:
    write(own_file, "model: {mode: eager\n")
    settings = load(forgiving=True)
    assert settings.config == Config()
    assert len(settings.notes) == 1
    assert settings.notes[0].endswith(
        "settings are in force. At the first change the file as it is now is kept as config.yaml.bak."
    )
    assert settings.set("window.theme", "dark") == ""
    assert settings.flush() == ""
    assert load().config.window.theme == "dark"
    assert own_file.with_name("config.yaml.bak").read_text() == "model: {mode: eager\n"


def test_forgiving_does_not_reach_a_file_that_was_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="precision"):
        load(write(tmp_path / "named.yaml", "model: {precision: float8}\n"), forgiving=True)


# ---------------------------------------------------------------- changing and saving


def test_file_holds_only_the_differences(own_file: Path) -> None:
    settings = load(overrides=["model.mode=eager"])
    assert settings.set("window.text_size", 130) == ""
    assert settings.set("audio.input", DeviceRef("Headset", "ALSA")) == ""
    assert settings.set("sampling.top_k", 100) == ""
    assert settings.set("sampling.top_k", None) == ""
    assert settings.flush() == ""
    assert yaml.safe_load(own_file.read_text()) == {
        "window": {"text_size": 130},
        "audio": {"input": {"name": "Headset", "host_api": "ALSA"}},
    }
    again = load().config
    assert again.audio.input == DeviceRef("Headset", "ALSA")
    assert again.model.mode == "auto"  # --set lasts for one run


def test_value_set_in_the_window_outlives_the_command_line(own_file: Path) -> None:
    settings = load(overrides=["model.mode=eager"])
    assert settings.set("model.mode", "compiled") == ""
    assert settings.get("model.mode") == "compiled"
    assert settings.flush() == ""
    assert load().config.model.mode == "compiled"


def test_refused_change_leaves_everything_as_it_was(own_file: Path) -> None:
    settings = load()
    assert "from 90 to 200" in settings.set("window.text_size", 1000)
    assert "true or false" in settings.set("window.expert_sampling", 1)
    assert "whole number" in settings.set("window.text_size", True)
    assert "usual" in settings.set("sampling.text_top_k", 1)
    assert "no setting" in settings.set("window.txt_size", 100)
    assert "device" in settings.set("audio.input", 5)
    assert settings.config == Config()
    assert settings.flush() == ""
    assert not own_file.exists()


@pytest.mark.parametrize("value", [np.float32(0.5), np.float64(0.5), np.array(0.5)])
def test_numpy_numbers_become_plain_ones(own_file: Path, value: object) -> None:
    """User report G24."""
    settings = load()
    assert settings.set("sampling.temperature", value) == ""
    assert settings.set("sampling.top_k", np.int64(7)) == ""
    assert settings.set("window.expert_sampling", np.bool_(True)) == ""
    kept = settings.config
    assert type(kept.sampling.temperature) is float
    assert kept.sampling.temperature == 0.5
    assert type(kept.sampling.top_k) is int
    assert kept.window.expert_sampling is True


@pytest.mark.parametrize("name", ["with spaces", "Ünï cödé 漢字", "~", "deep/er/still"])
def test_settings_are_saved_in_any_folder(tmp_path: Path, name: str) -> None:
    """User report U13: saved, or an error; never silence."""
    path = tmp_path / name / "config.yaml"
    settings = Settings(_shipped(), config.Loaded({}), {}, path)
    assert settings.set("window.theme", "dark") == ""
    assert settings.flush() == ""
    assert yaml.safe_load(path.read_text()) == {"window": {"theme": "dark"}}
    assert [p.name for p in path.parent.iterdir()] == ["config.yaml"]


def _shipped() -> dict[str, object]:
    return as_read(project_file("config.yaml"))


def as_read(path: Path) -> dict[str, object]:
    return {key: RULES[key].read(leaf.text, leaf.quoted) for key, leaf in read_settings(path).items()}


def test_settings_that_cannot_be_saved_hold_and_say_so(tmp_path: Path) -> None:
    """User report U13: the folder cannot be made, because a file has its name."""
    (tmp_path / "config").write_text("in the way")
    settings = Settings(_shipped(), config.Loaded({}), {}, tmp_path / "config" / "config.yaml")
    assert settings.set("window.theme", "dark") == ""
    assert settings.config.window.theme == "dark"
    assert "could not be saved" in settings.flush()
    assert "until the program ends" in settings.save_trouble


@posix
def test_read_only_folder_says_so(tmp_path: Path) -> None:
    """User report U13."""
    settings = Settings(_shipped(), config.Loaded({}), {}, tmp_path / "config.yaml")
    with read_only(tmp_path):
        assert settings.set("window.theme", "dark") == ""
        assert "could not be saved" in settings.flush()
    assert settings.config.window.theme == "dark"
    assert list(tmp_path.iterdir()) == []


def test_failed_save_leaves_the_old_file_whole(own_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(own_file, "window:\n  theme: dark\n")
    settings = load()

    def no_space(source: object, target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", no_space)
    assert settings.set("window.text_size", 200) == ""
    assert "no space left" in settings.flush()
    assert own_file.read_text() == "window:\n  theme: dark\n"
    assert [p.name for p in own_file.parent.iterdir()] == ["config.yaml"]


def test_saving_follows_a_link(own_file: Path, tmp_path: Path) -> None:
    real = write(tmp_path / "elsewhere" / "real.yaml", "window:\n  theme: dark\n")
    own_file.parent.mkdir()
    own_file.symlink_to(real)
    settings = load()
    assert settings.set("window.theme", "light") == ""
    assert settings.flush() == ""
    assert own_file.is_symlink()
    assert yaml.safe_load(real.read_text()) == {"window": {"theme": "light"}}


def test_every_setting_can_be_read_back(own_file: Path) -> None:
    settings = load()
    for key in RULES:
        assert settings.set(key, settings.get(key)) == "", key
    assert settings.config == Config()


@given(st.text(max_size=80), st.one_of(st.none(), st.floats(0, 1.5)))
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, text: str, temperature: float | None
) -> None:
    """Any text that the rules allow comes back exactly, whatever YAML would make of it."""
    path = tmp_path_factory.mktemp("round") / "config.yaml"
    try:
        values = {"persona.text": config.check("persona.text", text)}
    except UserError:
        return
    values["sampling.temperature"] = temperature
    write_settings(path, values, "# header\n")
    assert as_read(path) == values


def test_rules_and_defaults_fit_together() -> None:
    for key, value in Settings(_shipped(), config.Loaded({}), {}, Path("unused"))._values().items():
        assert config.check(key, value) == value
        rule = RULES[key]
        if isinstance(rule, Number):
            assert rule.usual(value) == value, key


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.timeout(20)
def test_a_pipe_in_the_place_of_the_file_holds_nobody_up(own_file: Path) -> None:
    own_file.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(own_file)
    settings = load(forgiving=True)
    assert "is not a file" in settings.notes[0]
    assert settings.set("window.text_size", 110) == ""
    assert "is not a file: move it away" in settings.flush()
    assert settings.get("window.text_size") == 110


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.timeout(20)
def test_a_pipe_in_the_place_of_the_personas_holds_nobody_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "personas.json")
    presets = Presets(tmp_path / "personas.json")
    assert "that is not a file" in presets.trouble
    assert "Move it away" in presets.save("Ann", "", "kind").result(10)
