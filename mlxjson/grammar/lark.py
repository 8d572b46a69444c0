"""JSON Schemas inside Lark grammars: `%json {…}` becomes a grammar of our own making.

xgrammar converts them itself, but drops keywords without a word and hangs on nested ones.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from mlxjson.errors import ConstraintError
from mlxjson.grammar.bounds import at
from mlxjson.grammar.sources import LarkSource

# What can hold the letters "%json" without meaning it, and the directive.
_PIECES = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/(?:[^/\\\n]|\\.)+/|(%json\b)')

ToEbnf = Callable[[Any], str]


def with_schemas(source: LarkSource, to_ebnf: ToEbnf | None) -> LarkSource:
    """`source` with every `%json {…}` replaced by the grammar that `to_ebnf` makes of the schema.

    The lines below keep their numbers.

    Raises:
        ConstraintError: the schema is no JSON, or `to_ebnf` is None or refuses it.
    """
    text, done, named = "", 0, list(source.named)
    lines = 0
    for start, end, schema in _schemas(source):
        if to_ebnf is None:
            raise at(source, start, "%json is not supported here")
        name = f"json_{len(named) + 1}"
        named.append((name, to_ebnf(schema)))
        text += _with_lines(source.text[done:start], lines) + f"@{name} "
        lines = source.text.count("\n", start, end)
        done = end
    return replace(source, text=text + _with_lines(source.text[done:], lines), named=tuple(named))


def _with_lines(text: str, lines: int) -> str:
    """`text` with `lines` empty lines after its first: a rule has to stay on one line."""
    first, newline, rest = text.partition("\n")
    return first + newline * (lines + 1) + rest


def _schemas(source: LarkSource) -> Iterator[tuple[int, int, Any]]:
    """Start, end and value of every `%json` directive."""
    place = 0
    while found := _PIECES.search(source.text, place):
        place = found.end()
        if found[1]:
            schema, place = _value(source, place)
            yield found.start(), place, schema


def _value(source: LarkSource, place: int) -> tuple[Any, int]:
    while source.text[place : place + 1].isspace():
        place += 1
    try:
        return json.JSONDecoder().raw_decode(source.text, place)
    except json.JSONDecodeError as error:
        raise at(source, error.pos, f"%json: {error.msg}") from None
    except RecursionError:
        raise ConstraintError("%json: nested too deeply", where=source.name) from None
