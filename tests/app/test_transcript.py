"""Pieces to characters, characters to words, words to turns, and the JSON form."""

from __future__ import annotations

import json

import pytest

from app.transcript import FORMAT, PieceJoiner, Transcript


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ([" Hel", "lo"], [" Hel", "lo"]),
        (["<0xC3>", "<0xA9>"], ["", "é"]),
        (["<0xE2>", "", "<0x82>", "", "<0xAC>"], ["", "", "", "", "€"]),  # padding between the bytes
        (["<0xF0>", "<0x9F>", "<0x98>", "<0x80>"], ["", "", "", "😀"]),
        (["<0xC3>", " next"], ["", "\ufffd next"]),  # a character that never ends
        (["<0x0A>"], ["\n"]),
        (["<0xff>", "a"], ["\ufffd", "a"]),  # a byte that begins no character
        (["<0xC3"], ["<0xC3"]),  # text that only looks like a byte
    ],
)
def test_pieces_become_characters(pieces: list[str], text: list[str]) -> None:
    joiner = PieceJoiner()
    assert [joiner.feed(piece) for piece in pieces] == text


def test_incomplete_character_is_left_over_once() -> None:
    joiner = PieceJoiner()
    joiner.feed("<0xC3>")
    assert joiner.finish() == "\ufffd"
    assert joiner.finish() == ""
    assert joiner.feed("<0xC3>") + joiner.feed("<0xA9>") == "é"


def filled(*spoken: tuple[float, str]) -> Transcript:
    transcript = Transcript()
    for time_s, text in spoken:
        transcript.add(time_s, text)
    return transcript


def test_words_begin_with_their_first_letter_and_end_with_their_last() -> None:
    transcript = filled((0.08, " Hel"), (0.16, "lo"), (0.4, " "), (0.48, "you"), (0.56, "."))
    words = [(round(w.start_s, 2), round(w.end_s, 2), w.text) for w in transcript.words()]
    assert words == [(0.08, 0.24, "Hello"), (0.48, 0.64, "you.")]


def test_several_words_in_one_text() -> None:
    assert [w.text for w in filled((0.0, "one two"), (0.08, " three\nfour")).words()] == ["one", "two", "three", "four"]


def test_long_pause_begins_a_turn() -> None:
    transcript = filled((0.0, " Hi"), (0.16, " there"), (1.2, " still"), (3.0, " new"))
    assert [turn.text for turn in transcript.turns()] == ["Hi there still", "new"]
    assert transcript.text() == "Hi there still\nnew"


def test_json_form() -> None:
    made = filled((1.04, " Hallo"), (1.12, " Wörld")).to_json("mini", 12.4)
    assert json.loads(json.dumps(made, ensure_ascii=False)) == {
        "format": FORMAT,
        "model": "mini",
        "duration_s": 12.4,
        "turns": [
            {
                "speaker": "model",
                "start_s": 1.04,
                "end_s": 1.2,
                "text": "Hallo Wörld",
                "words": [
                    {"start_s": 1.04, "end_s": 1.12, "text": "Hallo"},
                    {"start_s": 1.12, "end_s": 1.2, "text": "Wörld"},
                ],
            }
        ],
    }


def test_silence_has_no_turns() -> None:
    assert Transcript().to_json("mini", 0.0)["turns"] == []
