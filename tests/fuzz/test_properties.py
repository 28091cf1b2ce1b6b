"""What holds for any value, looked for by hypothesis: settings come back as written, words and sizes stay whole."""

from __future__ import annotations

import collections
import json
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app import config
from app.devices import DeviceRef, found_devices, plain_name, resolve
from app.errors import UserError
from app.recording import RecordingReader, read_recording
from app.rules import RefusedError, shown
from app.settings_file import read_settings, write_settings
from app.transcript import PieceJoiner, Transcript
from engine.config import LMConfig
from engine.errors import EngineError
from engine.persona import TAG, prompt_frames, wrap_text
from engine.voice_file import ForbiddenError, VoiceFileError, read_tensors

quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


@quick
@given(st.dictionaries(st.sampled_from(sorted(config.RULES)), json_values, max_size=6))
def test_what_is_set_is_what_is_read_again(tmp_path: Path, wanted: dict[str, object]) -> None:
    """User report U13: any text, such as one in Hebrew or one that YAML would take for something else."""
    path = tmp_path / "mine.yaml"
    path.unlink(missing_ok=True)
    kept = {}
    for key, value in wanted.items():
        try:
            kept[key] = config.check(key, value)
        except UserError:
            continue
    write_settings(path, kept, "# header\n")
    read = {key: config.RULES[key].read(leaf.text, leaf.quoted) for key, leaf in read_settings(path).items()}
    assert read == kept


@quick
@given(st.sampled_from(sorted(config.RULES)), st.text(max_size=60))
def test_a_typed_value_is_taken_or_refused_in_one_line(key: str, text: str) -> None:
    try:
        assert set(config.parse_overrides([f"{key}={text}"])) == {key}
    except UserError as refusal:
        assert len(str(refusal).splitlines()) == 1
        assert key in str(refusal)


@quick
@given(st.text(max_size=400))
def test_a_refused_value_is_shown_short_and_on_one_line(text: str) -> None:
    assert len(shown(text)) <= 40
    assert shown(text).isprintable()


@quick
@given(st.sampled_from(sorted(config.RULES)), json_values)
def test_a_checked_value_passes_again(key: str, value: object) -> None:
    try:
        once = config.RULES[key].check(value)
    except RefusedError:
        return
    assert config.RULES[key].check(once) == once


@quick
@given(st.text(max_size=300))
def test_a_persona_stands_between_its_tags_once(text: str) -> None:
    """User report V12, with `<system>` inside the text too."""
    wrapped = wrap_text(text)
    assert wrap_text(wrapped) == wrapped
    if wrapped:
        assert wrapped.startswith(TAG)
        assert wrapped.endswith(TAG)
        assert text.strip() in wrapped
    else:
        assert not text.strip()


@quick
@given(st.integers(0, 4000), st.integers(0, 10_000))
def test_a_longer_text_never_takes_less_memory(voice: int, tokens: int) -> None:
    assert prompt_frames(voice, tokens + 1) > prompt_frames(voice, tokens)


@quick
@given(st.text(max_size=40))
def test_characters_spelled_in_bytes_come_together(text: str) -> None:
    joiner = PieceJoiner()
    whole = text.encode("utf-8", errors="replace").decode("utf-8")
    said = [joiner.feed(f"<0x{byte:02X}>") for byte in whole.encode("utf-8")]
    assert "".join(said) + joiner.finish() == whole


@quick
@given(st.lists(st.tuples(st.floats(0, 1e6), st.text(max_size=10)), max_size=20))
def test_a_transcript_is_always_json(pieces: list[tuple[float, str]]) -> None:
    transcript = Transcript()
    for time_s, piece in sorted(pieces):
        transcript.add(time_s, piece)
    again = json.loads(json.dumps(transcript.to_json("model", 1.0)))
    assert [turn["text"] for turn in again["turns"]] == [turn.text for turn in transcript.turns()]


@quick
@given(st.text(max_size=60), st.integers(0, 9), st.integers(0, 9))
def test_a_device_is_found_again_under_another_number(name: str, card: int, other: int) -> None:
    """User report A3."""
    assert plain_name(f"{name} (hw:{card},0)") == plain_name(f"{name} (hw:{other},0)")


@quick
@given(st.lists(st.text(min_size=1, max_size=20), unique_by=plain_name, max_size=6), st.data())
def test_a_chosen_device_is_that_one_or_the_default(names: list[str], data: st.DataObject) -> None:
    devices = [
        {"name": name, "hostapi": 0, "index": number, "max_input_channels": 1, "max_output_channels": 0,
         "default_samplerate": 48000.0} for number, name in enumerate(names)
    ]  # fmt: skip
    found = found_devices(devices, [{"name": "ALSA", "default_input_device": 0, "default_output_device": -1}], "input")
    wanted = data.draw(st.sampled_from([*names, "another"]))
    resolved = resolve(found, DeviceRef(wanted, "ALSA"))
    assert (resolved is None) == (not names)
    if resolved is not None:
        assert resolved.fallback == (plain_name(wanted) not in {plain_name(name) for name in names})


@quick
@given(
    st.dictionaries(st.sampled_from(["dim", "context", "n_q", "dep_q", "delays", "card", "causal", "x"]), json_values)
)
def test_a_model_configuration_is_taken_or_refused(values: dict[str, object]) -> None:
    try:
        made = LMConfig.from_dict(values)
    except EngineError as refusal:
        assert len(str(refusal).splitlines()) == 1
        return
    assert len(made.delays) == made.streams


@quick
@given(st.binary(max_size=600))
def test_any_bytes_are_no_voice(tmp_path: Path, content: bytes) -> None:
    """User report S1."""
    (tmp_path / "voice.pt").write_bytes(content)
    with pytest.raises((VoiceFileError, ForbiddenError)):
        read_tensors(tmp_path / "voice.pt", 1 << 20)


def test_a_recording_of_many_channels_or_hours_takes_little_memory(tmp_path: Path) -> None:
    """A thousand channels are read in small blocks, and a few kilobytes that unpack to hours are refused."""
    import tracemalloc

    wide, long = tmp_path / "wide.wav", tmp_path / "long.flac"
    soundfile.write(wide, np.zeros((3000, 1024), np.float32), 48000)
    with soundfile.SoundFile(long, "w", 1000, 1, "PCM_16") as file:
        for _ in range(8):
            file.write(np.zeros(1000 * 1000, np.int16))
    tracemalloc.start()
    try:
        assert read_recording(wide).channels == 1024
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
        with pytest.raises(UserError, match="longer than 120 minutes"):
            collections.deque(RecordingReader(long).blocks(), maxlen=0)
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
        with pytest.raises(UserError, match="longer than 10 minutes"):
            read_recording(long)
        assert tracemalloc.get_traced_memory()[1] < 256 << 20
    finally:
        tracemalloc.stop()
