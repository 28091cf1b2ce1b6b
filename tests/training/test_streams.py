"""Talks with true timing become the sequences that the engine's own prompts and rings would hold."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest
import torch

from engine.config import LMConfig, MimiConfig, PromptCodes
from engine.persona import build_prompt, voice_from_codes
from training import vocabulary
from training.bank import Bank, Entry
from training.codec import Codec
from training.script import Line, Script
from training.streams import FRAME, FRAME_RATE, Studio, delayed, heard_frames, render, text_frames
from training.talks import RATE, Composer, Manners, Piece, Word
from training.vocabulary import PADDING
from training.voices import own_voice

TINY_CODEC = MimiConfig(
    n_filters=4, dimension=16, num_heads=2, num_layers=1, dim_feedforward=32, context=8, codebook_dim=8, n_q=8, bins=32
)
TINY_LM = LMConfig(dim=32, num_layers=1, num_heads=2, text_card=1024, card=32, depformer_dim=16, depformer_num_heads=2,
                   depformer_num_layers=1, context=200)  # fmt: skip


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> vocabulary.Vocabulary:
    path = Path(tmp_path_factory.mktemp("vocabulary")) / "tokenizer.model"
    made_up = [f"{a}{b}{c}{d}" for a in "bcdfghklmn" for b in "aeiou" for c in "rstvwplmnd" for d in "aeiouyxz"]
    vocabulary.make(path, made_up, dialogues=150)
    return vocabulary.Vocabulary(path)


def _world() -> tuple[Script, Bank]:
    """Two exchanges; the lines lie one after another on the tape, each a tone of its own."""
    texts = [
        ("what is one plus one?", 5),
        ("One plus one is two.", 0),
        ("count to four", 5),
        ("One, two, three, four.", 0),
    ]
    lines = [Line(text, ("x",), voice, "user" if voice else "own") for text, voice in texts]
    tape: list[torch.Tensor] = []
    entries: list[Entry] = []
    for index, line in enumerate(lines):
        count = len(line.text.split())
        length = RATE // 2 * count
        entries.append(Entry(sum(len(t) for t in tape), length, tuple(0.05 + 0.5 * w for w in range(count))))
        tone = 0.2 * torch.sin(torch.arange(length) * (0.05 + 0.05 * index))
        tape.append((tone * 32767).to(torch.int16))
    joined = torch.cat(tape)
    script = Script([own_voice(i) for i in range(4)] * 2, lines, [
        ("You are Max. You open at nine.", 5,
         [(0, "One plus one is two.", "sum"), (2, "One, two, three, four.", "count")])
    ])  # fmt: skip
    return script, Bank(joined, torch.zeros(len(joined) // 600, dtype=torch.uint8), entries, 3)


def test_special_ids_are_the_published_ones(words: vocabulary.Vocabulary) -> None:
    assert words.ids("<system>")[0] > 3
    assert words.text([0, 3, *words.ids("Seven plus five is twelve."), 3]) == "Seven plus five is twelve."
    assert words.text(words.ids("Zxqé")) == "Zxqé"  # nothing is beyond spelling


def test_words_come_when_they_are_said(words: vocabulary.Vocabulary) -> None:
    stream = text_frames([Word(0.5, "Hello."), Word(1.21, "One")], words, 30)
    first, second = int(0.5 * FRAME_RATE), int(1.21 * FRAME_RATE)
    pieces = words.ids("Hello.")
    assert stream[first : first + len(pieces)] == pieces
    assert stream[first - 1] == 0 and stream[second - 1] == 0
    assert stream[second : second + len(words.ids("One"))] == words.ids("One")
    assert sum(token != 3 for token in stream) == len(pieces) + len(words.ids("One")) + 2


def test_crowded_words_wait_their_turn(words: vocabulary.Vocabulary) -> None:
    stream = text_frames([Word(0.0, "One"), Word(0.01, "two"), Word(0.02, "three")], words, 20)
    assert [t for t in stream if t > 3] == words.ids("One") + words.ids("two") + words.ids("three")


def test_turns_follow_each_other_without_overlap_unless_interrupted() -> None:
    script, bank = _world()
    composer = Composer(script, bank.entries, Manners(barge_in=0, hesitation=0, nobody=0, interlude=0, late_reply=0))
    for seed in range(20):
        talk = composer.talk(random.Random(seed), 40)
        assert len(talk.exchanges) == 2
        (_, _, _, asked, begins), (_, _, _, asked_next, _) = talk.exchanges
        earliest, latest = composer.manners.reply_after
        assert earliest <= begins - asked <= latest + 1e-3
        reply = talk.own[0]
        assert talk.user[1].at >= reply.at + reply.length and asked_next > asked
        assert [w.text for w in talk.words] == "One plus one is two. One, two, three, four.".split()


def test_some_replies_come_late() -> None:
    """So that the model still answers once it has taken the end of a question for a pause."""
    script, bank = _world()
    composer = Composer(script, bank.entries, Manners(barge_in=0, nobody=0, late_reply=0.5))
    talks = [composer.talk(random.Random(seed), 40) for seed in range(20)]
    waited = [begins - asked for talk in talks for _, _, _, asked, begins in talk.exchanges]
    (soonest, prompt), (late, latest) = composer.manners.reply_after, composer.manners.late_reply_after
    assert all(soonest <= wait <= prompt + 1e-3 or late <= wait <= latest + 1e-3 for wait in waited)
    assert 0.2 < sum(wait >= late for wait in waited) / len(waited) < 0.8


def test_loose_turns_fill_the_talk_and_bound_ones_keep_their_order() -> None:
    """What hangs on the persona or on what was said before comes in its dialogue's order; sums may come at any time."""
    script, bank = _world()
    prompt, user, (sum_, count) = script.dialogues[0]
    script.dialogues = [
        (prompt, user, [(*sum_[:2], "user name"), (*count[:2], "user name")]),
        (prompt, user, [sum_, count]),
    ]
    composer = Composer(script, bank.entries, Manners(nobody=0, barge_in=0, hesitation=0, interlude=0.5))
    lengths = set()
    for seed in range(30):
        talk = composer.talk(random.Random(seed), 60)
        kinds = [kind for _, _, kind, _, _ in talk.exchanges]
        names = [text for text, _, kind, _, _ in talk.exchanges if kind == "user name"]
        assert names in ([], ["what is one plus one?", "count to four"])
        assert len(talk.user) == len(talk.own) == len(kinds) >= 5
        lengths.add(kinds.index("user name") if names else -1)
    assert len(lengths) > 2


def test_a_barge_in_breaks_the_reply_off_soon_and_drops_its_rest() -> None:
    script, bank = _world()
    composer = Composer(script, bank.entries, Manners(barge_in=1, hesitation=0, nobody=0, interlude=0))
    said = []
    for seed in range(10):
        talk = composer.talk(random.Random(seed), 40)
        reply, question = talk.own[0], talk.user[1]
        overlap = (reply.at + reply.length - question.at) / RATE
        assert 0 < overlap < 0.4 and len(talk.exchanges) == 2
        said.append(sum(word.at < (reply.at + reply.length) / RATE for word in talk.words))
        assert reply.fade_out or said[-1] == 5  # so late that its rest was said
    assert min(said) < 4


def test_hesitations_put_a_gap_into_the_question_and_nobody_answers_in_it() -> None:
    script, bank = _world()
    composer = Composer(script, bank.entries, Manners(barge_in=0, hesitation=1, nobody=0, interlude=0))
    talk = composer.talk(random.Random(1), 40)
    first, second = talk.user[:2]
    gap = (second.at - first.at - first.length) / RATE
    assert 0.2 < gap < 1.25
    assert talk.own[0].at > second.at + second.length


def test_two_hesitations_cut_a_question_in_three_that_are_whole_together() -> None:
    script, bank = _world()
    manners = Manners(barge_in=0, hesitation=1, hesitation_twice=1, nobody=0, interlude=0)
    counts = set()
    for seed in range(20):
        talk = Composer(script, bank.entries, manners).talk(random.Random(seed), 40)
        pieces = [piece for piece in talk.user if piece.at < talk.own[0].at]
        counts.add(len(pieces))
        for before, after in itertools.pairwise(pieces):
            assert before.source + before.length == after.source and before.fade_out and after.fade_in
            assert 0.2 < (after.at - before.at - before.length) / RATE < 1.25
        entry = next(entry for entry in bank.entries if entry.start == pieces[0].source)
        assert sum(piece.length for piece in pieces) == entry.length
        assert not pieces[0].fade_in and not pieces[-1].fade_out
    assert 3 in counts


def test_a_talk_that_is_too_short_for_the_reply_has_no_question_left_open() -> None:
    script, bank = _world()
    composer = Composer(script, bank.entries, Manners(barge_in=0, hesitation=0, nobody=0, interlude=0))
    talk = composer.talk(random.Random(0), 7.0)
    assert len(talk.user) == len(talk.own) == len(talk.exchanges) <= 1


def test_a_user_s_word_is_heard_once_it_has_been_said() -> None:
    """Also after a pause inside the question, and never for a question that was taken back."""
    script, bank = _world()
    for manners in (Manners(nobody=0, hesitation=0, interlude=0), Manners(nobody=0, hesitation=1, interlude=0)):
        talk = Composer(script, bank.entries, manners).talk(random.Random(1), 40)
        assert [w.text for w in talk.heard] == "what is one plus one? count to four".split()
        last = talk.user[-1]
        assert talk.heard[-1].at == pytest.approx((last.at + last.length) / RATE)
        first = talk.user[0].at / RATE
        assert talk.heard[0].at > first + 0.5 and [w.at for w in talk.heard] == sorted(w.at for w in talk.heard)
    short = Composer(script, bank.entries, Manners(barge_in=0, hesitation=0, nobody=0, interlude=0))
    for seed in range(10):
        talk = short.talk(random.Random(seed), 7.0)
        assert len(talk.heard) == sum(len(text.split()) for text, *_ in talk.exchanges)


def test_rendering_lays_sound_where_it_belongs() -> None:
    _, bank = _world()
    track = render([[Piece(1000, 0, 500)], []], bank.tape, 3000)
    assert track[0, :1000].abs().max() == 0 and track[0, 1500:].abs().max() == 0
    torch.testing.assert_close(track[0, 1000:1500], bank.tape[:500].float() / 32768)
    assert track[1].abs().max() == 0


def test_delays_put_initial_tokens_first_and_acoustic_codes_one_later() -> None:
    frames = torch.arange(4).expand(1, TINY_LM.streams, 4)
    columns = delayed(frames, TINY_LM)[0]
    assert columns[0].tolist() == [1024, 1, 2, 3]
    assert columns[1].tolist() == [32, 1, 2, 3]
    assert columns[2].tolist() == [32, 32, 1, 2]


def test_sequences_begin_with_the_engine_s_own_prompt(words: vocabulary.Vocabulary) -> None:
    """The columns of voice, silence, persona and silence equal those that `engine.persona` builds of the same parts."""
    script, bank = _world()
    torch.manual_seed(0)
    studio = Studio(
        bank,
        Composer(script, bank.entries, Manners(nobody=0, interlude=0)),
        Codec(TINY_CODEC, 3),
        words,
        TINY_LM,
        seed=4,
    )
    frames = 190
    made = studio.sequences(3, frames)
    assert made.columns.shape == (3, 17, frames) and made.weights.shape == (3, frames - 1, 2)
    assert made.columns.min() >= 0
    for row in range(3):
        length = made.prompts[row]
        persona = words.persona_ids(made.talks[row].prompt)
        voice_frames = length - 12 - len(persona)
        ring = made.columns[row].long()
        shift = torch.tensor(TINY_LM.delays)[1 : 1 + TINY_LM.own]
        voice = torch.stack([ring[1 + k, shift[k] : shift[k] + voice_frames] for k in range(TINY_LM.own)], 1)
        fillers = PromptCodes(tuple(studio.fillers.silence.tolist()), tuple(studio.fillers.sine.tolist()))
        given = None
        if voice_frames:
            voice[0] = studio.voice_prompts[0][0, :, 0]  # frame 0 never shows: the initial tokens stand over it
            given = voice_from_codes(TINY_LM, voice.tolist())
        expected = build_prompt(TINY_LM, fillers, given, persona)
        assert expected is not None
        assert torch.equal(expected.tokens[:, :length], ring[:, :length])
        assert made.weights[row, : length - 1].max() == 0  # what is given is not predicted
        assert made.weights[row, length:].min() > 0
        assert (made.heard[row, :length] == PADDING).all() and (made.heard[row, length:] != PADDING).any()
    words_said = [t for t in made.columns[0, 0, made.prompts[0] :].tolist() if t > 3]
    assert words.text(words_said).startswith("One plus")


def test_a_word_is_to_be_spelled_soon_after_it_has_been_said(words: vocabulary.Vocabulary) -> None:
    """A name never met takes several frames, and the word after it waits until it is whole."""
    said = [Word(0.5, "what"), Word(0.9, "Xylo,"), Word(0.95, "plus"), Word(3.0, "seven?")]
    stream = heard_frames(said, words, 60)
    what, name, plus, seven = (words.ids(word.text.strip(",?")) for word in said)
    assert len(name) > 1
    assert stream[8 : 8 + len(what)] == what and stream[7] == PADDING
    after = 13 + len(name)
    assert stream[13:after] == name and stream[after : after + len(plus)] == plus
    assert stream[39 : 39 + len(seven)] == seven
    assert heard_frames(said, words, 14) == stream[:14]


def test_the_user_side_carries_the_user_and_the_own_side_the_reply(words: vocabulary.Vocabulary) -> None:
    """Own codes of a talk are those of its own track encoded alone."""
    script, bank = _world()
    torch.manual_seed(0)
    codec = Codec(TINY_CODEC, 3)
    studio = Studio(bank, Composer(script, bank.entries, Manners(nobody=0, interlude=0)), codec, words, TINY_LM, seed=4)
    frames = 150
    made = studio.sequences(2, frames)
    track = render([made.talks[1].own], bank.tape, frames * FRAME)
    codes = codec.codes(track)[0]
    start = made.prompts[1]
    assert torch.equal(made.columns[1, 1, start:].long(), codes[0, : frames - start])
    assert torch.equal(made.columns[1, 2, start + 1 :].long(), codes[1, : frames - start - 1])
