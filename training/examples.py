"""Examples of every sort: the messages that the commands send, and the answer they should get."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from mlxjson.prompt import Message, choice_messages, gen_messages
from training import choices, schemas
from training.compose import Document, compose
from training.kindfile import kinds_of
from training.pools import locale
from training.splits import TRAIN
from training.values import Sheet

CHOICES_SHARE = 0.36
_TASKS = [
    "Extract the data.",
    "Extract the following fields from the text.",
    "Fill in the form from this text:",
    "Read this and answer in JSON.",
    "What does the text say?",
    "Get the details out of this message.",
    "Convert to JSON:",
    "Parse this:",
    "Text:",
    "Input:",
    "Please extract all fields.",
    "Here is a document.",
    "Pull the values out of this note.",
    "Give me the structured data for:",
    "Document:",
    "Summarise as JSON.",
    "Who, what, when?",
    "Structure this.",
]
_SYSTEMS = [
    "You extract data from documents.",
    "Be exact.",
    "You are a careful clerk.",
    "Copy values as they stand in the text.",
    "You are a helpful assistant.",
    "Use null for what is not stated.",
    "You turn text into data.",
    "Answer from the text only.",
    "You work for an archive.",
    "Do not guess.",
]


@dataclass
class Example:
    """`messages` are sent, `answer` comes back; `meta` says what it was made from."""

    messages: list[Message]
    answer: str
    sort: str
    text: str = ""
    schema: Any = None
    gold: Any = None
    options: list[str] = field(default_factory=list)
    frame: str = ""
    kind: str = ""


def dumped(value: Any, layout: str) -> str:
    """JSON as the tool lays it out: `spaced`, `compact` or `indent`."""
    match layout:
        case "compact":
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        case "indent":
            return json.dumps(value, ensure_ascii=False, indent=2)
    return json.dumps(value, ensure_ascii=False)


def _document(split: str, rng: Random, held_out: bool) -> tuple[Document, Any, Any]:
    while True:
        document = compose(rng.choice(kinds_of(split, held_out)), Sheet(rng, split, locale(rng)))
        asked = schemas.ask(document)
        if asked and 20 <= len(document.text) <= 2600 and len(json.dumps(asked[0])) <= 3400:
            return document, *asked


def extraction(split: str, rng: Random, held_out: bool = False) -> Example:
    """A document, a schema and the answer; `held_out` takes the families kept from training."""
    document, schema, gold = _document(split, rng, held_out)
    text, system = document.text, None
    if split == TRAIN:
        roll = rng.random()
        task = rng.choice(_TASKS)
        text = f"{task}\n\n{text}" if roll < 0.1 else f"{text}\n\n{task}" if roll < 0.15 else text
        system = rng.choice(_SYSTEMS) if rng.random() < 0.06 else None
    layout = (
        rng.choices(["spaced", "compact", "indent"], [0.86, 0.08, 0.06])[0]
        if split == TRAIN
        else "spaced"
    )
    return Example(
        gen_messages(text, schema, system),
        dumped(gold, layout),
        "extraction",
        text,
        schema,
        gold,
        [],
        document.frame,
        document.kind.name,
    )


def classification(split: str, rng: Random) -> Example:
    """A text and labels; the answer is the bare label, now and then a JSON string."""
    made = choices.labelled(split, rng)
    system = rng.choice(_SYSTEMS) if split == TRAIN and rng.random() < 0.05 else None
    as_field = split == TRAIN and rng.random() < 0.15
    if as_field:
        schema = {
            "type": "object",
            "properties": {
                rng.choice(["label", "class", "category", "answer", "result"]): {
                    "enum": made.options
                }
            },
        }
        answer = dumped({next(iter(schema["properties"])): made.gold}, "spaced")
        return Example(
            gen_messages(made.text, schema, system),
            answer,
            "extraction",
            made.text,
            schema,
            None,
            [],
            "",
            made.family,
        )
    return Example(
        choice_messages(made.text, made.options, system),
        made.gold,
        "choice",
        made.text,
        None,
        made.gold,
        made.options,
        "",
        made.family,
    )


def train_stream(seed: int, choices_share: float = CHOICES_SHARE) -> Iterator[Example]:
    """Training examples without end; the same arguments give the same stream.

    `choices_share` in [0, 1] of them are classification.
    """
    rng = Random(seed)
    while True:
        chosen = rng.random() < choices_share
        yield classification(TRAIN, rng) if chosen else extraction(TRAIN, rng)
