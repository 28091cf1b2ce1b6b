"""Text tokens to words and back: the checkpoint's SentencePiece model."""

from __future__ import annotations

from pathlib import Path

import sentencepiece

from engine.config import LMConfig
from engine.errors import EngineError

WORD_MARK = "\u2581"


class TextTokenizer:
    """Ids 0 (end of padding) and the padding id stand for no text (lm.md 1)."""

    def __init__(self, path: Path, config: LMConfig):
        """Raises EngineError when the file is no SentencePiece model or has more pieces than the model has tokens."""
        try:
            self._processor = sentencepiece.SentencePieceProcessor(model_file=str(path))
        except (OSError, RuntimeError) as error:
            raise EngineError(
                f"{path.name} is not a readable SentencePiece tokenizer; get the model's file again."
            ) from error
        self._size = self._processor.vocab_size()
        if self._size > config.text_card:
            raise EngineError(
                f"{path.name} has {self._size} pieces where the model knows {config.text_card}: not its tokenizer."
            )
        self._silent = (0, config.existing_text_padding_id)

    def piece(self, token: int) -> str:
        """Raw piece (bytes appear as <0x..>) with its word mark as a space; "" for padding and unknown ids."""
        if token in self._silent or not 0 <= token < self._size:
            return ""
        return str(self._processor.id_to_piece(token)).replace(WORD_MARK, " ")

    def tokens(self, text: str) -> list[int]:
        """No begin or end token is added. Half a character, as clipboards may hold, counts as an unknown one."""
        whole = text.encode("utf-8", errors="replace").decode("utf-8")
        return list(self._processor.encode(whole))
