"""The bank's labels, word times and resampling, on made-up durations."""

from __future__ import annotations

from pathlib import Path

import torch

from training import kokoro
from training.bank import (
    IGNORED,
    SILENCE,
    UNIT,
    Bank,
    Entry,
    assembled,
    phoneme_classes,
    resample,
    unit_labels,
    word_units,
)

VOCABULARY = {" ": 16, ".": 4, "a": 43, "b": 44, "k": 53, "ˈ": 156, "ː": 158}
CLASSES = phoneme_classes(VOCABULARY)


def test_marks_belong_to_their_neighbours() -> None:
    assert CLASSES == {"a": 1, "b": 2, "k": 3}
    #          pad  ˈ  a  ː  space k  .  pad
    units = [2, 1, 3, 1, 1, 2, 2, 3]
    labels = unit_labels("ˈaː k.", units, CLASSES).tolist()
    assert labels == [SILENCE] * 2 + [1] * 5 + [IGNORED] + [3] * 2 + [SILENCE] * 5
    assert len(labels) == sum(units)


def test_words_start_where_their_first_phoneme_does() -> None:
    units = [4, 3, 1, 2, 2, 5]  # pad, b, space, k, ., pad
    assert word_units("b k.", units) == [4, 8]


def test_resampling_moves_a_tone_and_keeps_its_level() -> None:
    at = torch.arange(24_000) / 24_000
    tone = torch.sin(2 * torch.pi * 1000 * at)
    for rate in (0.86, 1.17):
        made = resample(tone, rate)
        assert abs(len(made) - 24_000 / rate) < 2
        spectrum = torch.fft.rfft(made[2000:-2000] * torch.hann_window(len(made) - 4000)).abs()
        peak = int(spectrum.argmax()) * 24_000 / (len(made) - 4000)
        assert abs(peak - 1000 * rate) < 3
        assert abs(made[2000:-2000].std() / tone.std() - 1) < 0.01
    assert resample(tone, 1.0) is tone


def test_speeding_up_folds_nothing_back() -> None:
    at = torch.arange(24_000) / 24_000
    high = torch.sin(2 * torch.pi * 11_500 * at)  # would land at 13.5 kHz, above half of the rate
    assert resample(high, 1.17)[1000:-1000].std() < 0.05 * high.std()


def test_a_saved_bank_comes_back(tmp_path: Path) -> None:
    bank = Bank(
        torch.arange(1200, dtype=torch.int16), torch.zeros(2, dtype=torch.uint8), [Entry(0, 600, (0.0, 0.1))], 4
    )
    bank.save(tmp_path / "bank.pt")
    again = Bank.load(tmp_path / "bank.pt", torch.device("cpu"))
    assert torch.equal(again.tape, bank.tape) and again.entries == bank.entries and again.classes == 4
    torch.testing.assert_close(again.sound(0), bank.tape[:600].float() / 32768)
    assert not list(tmp_path.glob("*.partial"))


def test_a_line_ends_soon_after_its_last_audible_moment() -> None:
    """The last phoneme of an utterance is given time in which it is silent already."""
    units = [2, 4, 4, 12, 3]  # pad, b, a, k, pad
    audio = torch.zeros(sum(units) * UNIT)
    audio[2 * UNIT : 13 * UNIT] = torch.randn(11 * UNIT) * 0.1
    audio[13 * UNIT :] = 1e-4
    sound, labels, words = assembled(["bak"], [kokoro.Spoken(audio, units)], 1.0, CLASSES)
    assert len(sound) == len(labels) * UNIT == (13 + 3) * UNIT and words == [2 * UNIT / 24_000]
    twice = [kokoro.Spoken(audio, units)] * 2
    sound, labels, _ = assembled(["bak", "bak"], twice, 1.0, CLASSES)
    assert len(sound) == (25 + 16) * UNIT, "between its sentences a line has the pause that the synthesiser gave it"


def test_what_is_spoken_together_is_of_one_length() -> None:
    """Drawn out by more silence an utterance sounds on to its end."""
    lengths = dict(enumerate([70, 71, 90, 72, 73, 70, 91, 92, 93, 200, 70]))
    found = list(kokoro.batches(lengths, 24_000))
    assert sorted(job for rows in found for job in rows) == sorted(lengths)
    assert [sorted(lengths[job] for job in rows) for rows in found] == [
        [70, 70, 70, 71, 72],
        [73],
        [90, 91, 92],
        [93],
        [200],
    ]
    small = list(kokoro.batches(lengths, 150))
    assert all(max(lengths[job] for job in rows) * len(rows) <= 150 for rows in small if len(rows) > 1)
    assert sorted(job for rows in small for job in rows) == sorted(lengths)
