"""The bundled model's README: what it is and can talk about, how well, of what it was made, and what it cannot do.

The text is here, the figures come from `evaluation.json` (`python -m training figures`), sizes from the folder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from training import bars
from training.voices import OWN, OWN_NAMES

_TEMPLATE = """---
license: mit
---
# Mini

A small full-duplex speech model: it listens while it speaks, answers when you have finished, and stops when you talk
over it. It was trained from nothing on synthetic speech, has the architecture and the file format of the published
Moshi checkpoints at a three-hundredth of their size, and runs on a processor. {size}{limits}

## What it was taught to talk about

English, a closed domain of some 850 words. Its answers repeat the question's content, so that you hear what it
understood.

- greetings, thanks, goodbye; it remembers the name that you gave it within the talk
- who it is, from the persona text: a name, where it works, prices, opening and closing time
- whole numbers: "What is seven plus five?", counting up and down, which of two is bigger
- what comes before or after (days, months, letters, numbers), opposites, colours, capitals, animals
- "Say apple river"; short stories and jokes ("Tell me a story about a robot")
- of anything else it says that it did not understand

A persona text has the form of the examples it was trained on: `{persona}`
Voices ({voices}) are in `voices/`; without one the first speaks.

## How well

{measured}

{kinds}

{presets}

Cases: {conditions}

## What it cannot do

It knows nothing beyond the above and cannot chat freely. All its training speech is synthetic: with real voices,
accents, noise and distance it understands less than the table says. It remembers {memory} seconds. It can be sure and
wrong. Do not use it where a wrong answer matters.

## How it was made

| | |
|---|---|
| language model | {language} |
| codec | {codec} |
| tokenizer | SentencePiece, {pieces} pieces, learnt from the domain's own sentences |
| made by | the commands of `training/README.md`, seeds stated there |
| weights | large matrices in 8 bits, a scale for each row or 64 numbers; the codec's encoder and the rest in 16 |

Data: dialogues from a grammar with many phrasings, spoken by a neural synthesiser in hundreds of blended voices, with
rooms, noises, pauses, interruptions and echo made from random numbers. No recorded human speech is in it.

## Licences

The weights: MIT, as the program. What they were made with:

| what | whose | licence |
|---|---|---|
| voices of the training speech and of the voice prompts ({own}) | Kokoro-82M, hexgrad | Apache-2.0 |
| ONNX export of these weights | onnx-community | Apache-2.0 / MIT |
| pronunciations | misaki | Apache-2.0 |
| texts, grammar, stories, jokes, rooms and noises | this project | MIT |
| for measuring only: Whisper tiny.en, DistillMOS, Resemblyzer | OpenAI, Microsoft, Resemble AI | MIT, MIT, Apache-2.0 |

By its own card, part of what Kokoro-82M learnt from was speech of commercial synthesisers.
"""

PERSONA_EXAMPLE = "You are Lena. You work in a bakery. Coffee costs three dollars. You open at seven."


def write_card(folder: Path, figures: Mapping[str, Any]) -> None:
    """README.md of a model folder whose other files are there."""
    config = json.loads((folder / "config.json").read_text())
    codec = json.loads((folder / config["mimi_config_name"]).read_text())
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    values = {
        "size": f"{size / 2**20:.0f} MiB.",
        "limits": f"\n\n**{config['limits']}**" if config.get("limits") else "",
        "persona": PERSONA_EXAMPLE,
        "voices": ", ".join(OWN_NAMES),
        "own": ", ".join(OWN),
        "measured": bars.table(figures),
        "kinds": bars.by_kind(figures),
        "presets": bars.presets(figures),
        "conditions": figures.get("conditions", "none measured yet."),
        "memory": round(config["context"] / 12.5),
        "language": (
            f"{config['num_layers']} layers of {config['dim']}, depth {config['depformer_num_layers']} layers of "
            f"{config['depformer_dim']}, {config['dep_q']} own and {config['n_q'] - config['dep_q']} user codebooks of "
            f"{config['card']} codes, context {config['context']} frames"
        ),
        "codec": (
            f"Mimi's shape, 24 kHz, 12.5 frames a second; {codec['seanet']['n_filters']} filters, transformers of "
            f"{codec['transformer']['num_layers']} layers of {codec['transformer']['d_model']}"
        ),
        "pieces": config["text_card"],
    }
    text = _TEMPLATE.format(**values)
    while "\n\n\n" in text:  # of tables that are not there
        text = text.replace("\n\n\n", "\n\n")
    (folder / "README.md").write_text(text)
