"""The text vocabulary of the bundled model: a small SentencePiece model with the special ids of the published one."""

from __future__ import annotations

import io
import random
from pathlib import Path

import sentencepiece

from training.grammar import Speakers

PIECES = 1024
END_OF_PADDING, PADDING = 0, 3
TAG = "<system>"


def make(path: Path, pronounceable: list[str], seed: int = 1, dialogues: int = 6000) -> None:
    """Learn pieces from replies and persona prompts (numbers to 100), with a share of common words so that names and
    things never seen are spelled in pieces rather than bytes. Ids 0 to 3 are as in the published tokenizer."""
    rng = random.Random(seed)
    lines: list[str] = []
    for limit in (20, 100):
        speakers = Speakers(rng, limit=limit)
        for _ in range(dialogues):
            dialogue = speakers.dialogue(4)
            lines += [turn.reply for turn in dialogue.turns]
            if dialogue.prompt:
                lines.append(f"{TAG} {dialogue.prompt} {TAG}")
    lines += [word.capitalize() if rng.random() < 0.5 else word for word in rng.sample(pronounceable, 1500)]
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=PIECES, model_type="bpe", byte_fallback=True,
        user_defined_symbols=[TAG],
        unk_id=END_OF_PADDING, bos_id=1, eos_id=2, pad_id=PADDING, num_threads=1, shuffle_input_sentence=False,
        input_sentence_size=0, split_digits=True, max_sentence_length=4096, minloglevel=2,
    )  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(model.getvalue())


class Vocabulary:
    """Words to ids."""

    def __init__(self, path: Path):
        self._processor = sentencepiece.SentencePieceProcessor(model_file=str(path))

    def ids(self, text: str) -> list[int]:
        return list(self._processor.encode(text))

    def persona_ids(self, prompt: str) -> list[int]:
        """A persona prompt between its tags, as the engine wraps it; nothing for an empty one."""
        return self.ids(f"{TAG} {prompt} {TAG}") if prompt else []

    def text(self, ids: list[int]) -> str:
        return str(self._processor.decode([i for i in ids if i not in (END_OF_PADDING, PADDING)]))
