"""How a task is told to a chat model.

The fixed part (instructions, schema) stands in the system message, so that runs with the same
schema share a prompt prefix; the document stands alone in the user message. Of the layouts tried
on extraction texts this one got most fields right (`mlxjson bench --quality`). It is stable: the
starter's adapter is trained on exactly these messages.
"""

import json
from collections.abc import Sequence
from typing import Any

from mlxjson.constraint import Choice, Constraint, JsonObject, JsonSchema, Regex

Message = dict[str, str]

_EXTRACT = "Answer with one JSON document that follows this JSON Schema, and nothing else:"
_JSON = "Answer with one JSON document, and nothing else."
_MATCH = "Answer with nothing but a text that matches this regular expression as a whole:"
_CHOOSE = "Answer with exactly one of these options, and nothing else:"

# What only governs the schema itself, or is forced anyway, teaches the model nothing.
_LEFT_OUT = frozenset({"$schema", "$id", "$comment", "additionalProperties"})
_NAMED = frozenset({"properties", "$defs", "definitions", "patternProperties"})


def gen_messages(text: str, schema: Any | None = None, system: str | None = None) -> list[Message]:
    """Messages that ask for a document of `schema` (None: any JSON, or not to be told)."""
    return _messages(system, told(JsonSchema(True if schema is None else schema)), text)


def choice_messages(
    text: str, options: Sequence[str] | None, system: str | None = None
) -> list[Message]:
    """Messages that ask for one of `options` (None: not to be told)."""
    return _messages(system, None if options is None else told(Choice(tuple(options))), text)


def pattern_messages(text: str, pattern: str | None, system: str | None = None) -> list[Message]:
    """Messages that ask for a text matching `pattern` (None: not to be told)."""
    return _messages(system, None if pattern is None else told(Regex(pattern)), text)


def plain_messages(text: str, system: str | None = None) -> list[Message]:
    """Messages that say nothing about the form of the answer."""
    return _messages(system, None, text)


def told(constraint: Constraint) -> str | None:
    """What is said of the form of the answer; None where nothing is."""
    match constraint:
        case JsonObject() | JsonSchema(schema=True):
            return _JSON
        case JsonSchema(schema=schema):
            return f"{_EXTRACT}\n{told_schema(schema)}"
        case Choice(options):
            return "\n".join((_CHOOSE, *(f"- {option}" for option in options)))
        case Regex(pattern):
            return f"{_MATCH} {pattern}"
        case _:
            return None


def with_told(messages: Sequence[Message], constraint: Constraint) -> list[Message]:
    """A conversation whose system message also says the form of the answer."""
    said = told(constraint)
    if said is None:
        return list(messages)
    if messages and messages[0]["role"] == "system":
        first = {**messages[0], "content": f"{messages[0]['content']}\n\n{said}"}
        return [first, *messages[1:]]
    return [{"role": "system", "content": said}, *messages]


def joined(messages: Sequence[Message]) -> str:
    """A conversation as one text, for a model that gets its prompt as it stands."""
    return "\n\n".join(message["content"] for message in messages)


def told_schema(schema: Any) -> str:
    """The schema as the model reads it: one line of JSON, without what teaches it nothing."""
    return json.dumps(_trimmed(schema), ensure_ascii=False)


def _trimmed(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_trimmed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _by_name(value) if key in _NAMED else _trimmed(value)
        for key, value in schema.items()
        if key not in _LEFT_OUT
    }


def _by_name(schemas: Any) -> Any:
    """Schemas under names of the user's own, of which none is left out."""
    if not isinstance(schemas, dict):
        return schemas
    return {name: _trimmed(schema) for name, schema in schemas.items()}


def _messages(system: str | None, said: str | None, text: str) -> list[Message]:
    fixed = "\n\n".join(part for part in (system, said) if part)
    head = [{"role": "system", "content": fixed}] if fixed else []
    return [*head, {"role": "user", "content": text}]
