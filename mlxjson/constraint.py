"""What may be said: plain data, with no engine in it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Layout(StrEnum):
    """Where white space stands in the JSON: see `--layout`."""

    SPACED = "spaced"
    COMPACT = "compact"
    INDENT = "indent"
    FLEXIBLE = "flexible"


@dataclass(frozen=True, slots=True)
class JsonSchema:
    """A document that validates against `schema` (a parsed JSON Schema, object or boolean)."""

    schema: Any
    layout: Layout = Layout.SPACED


@dataclass(frozen=True, slots=True)
class JsonObject:
    """Any JSON object."""

    layout: Layout = Layout.SPACED


@dataclass(frozen=True, slots=True)
class Choice:
    """Exactly one of `options`."""

    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Regex:
    """A text that `re.fullmatch(pattern, text)` accepts."""

    pattern: str


@dataclass(frozen=True, slots=True)
class Ebnf:
    """A text of the GBNF-like grammar `source`, whose start rule is `root`.

    `name` stands in error messages, before line and column.
    """

    source: str
    name: str = "the grammar"


@dataclass(frozen=True, slots=True)
class Lark:
    """A text of the Lark grammar `source`, whose start rule is `start`; `name` as in `Ebnf`."""

    source: str
    name: str = "the grammar"


@dataclass(frozen=True, slots=True)
class Free:
    """Anything: no constraint."""


Constraint = JsonSchema | JsonObject | Choice | Regex | Ebnf | Lark | Free
