"""The types of the short form, and the JSON Schema of each."""

import difflib
from typing import Any

_STRINGS = {
    "date": "date",
    "time": "time",
    "datetime": "date-time",
    "duration": "duration",
    "email": "email",
    "url": "uri",
    "uuid": "uuid",
    "ipv4": "ipv4",
    "ipv6": "ipv6",
    "hostname": "hostname",
}

KINDS: dict[str, Any] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "num": {"type": "number"},
    "bool": {"type": "boolean"},
    "null": {"type": "null"},
    "object": {"type": "object", "additionalProperties": True},
    "any": {},
    **{name: {"type": "string", "format": form} for name, form in _STRINGS.items()},
}

_ALSO = {
    "string": "str",
    "text": "str",
    "integer": "int",
    "number": "num",
    "float": "num",
    "decimal": "num",
    "boolean": "bool",
    "none": "null",
    "dict": "object",
    "date-time": "datetime",
    "uri": "url",
}


def is_kind(word: str) -> bool:
    """Whether a word names a type."""
    return word in KINDS or word in _ALSO


def schema_of_kind(word: str) -> dict[str, Any]:
    """The JSON Schema of a type. Raises: KeyError."""
    return dict(KINDS[_ALSO.get(word, word)])


def suggestion(word: str) -> str:
    """What an unknown type may have been meant to be."""
    known = [*KINDS, *_ALSO]
    near = difflib.get_close_matches(word.lower(), known, 1, 0.6)
    start = f"Did you mean '{near[0]}'? " if near else ""
    return f"{start}Types: {', '.join(KINDS)}."
