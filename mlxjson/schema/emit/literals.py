"""Constants of `enum` and `const` as JSON text."""

import json
from decimal import Decimal
from typing import Any

from mlxjson.constraint import Layout
from mlxjson.schema.emit.notation import Lit
from mlxjson.schema.emit.space import Level, space

_LEAST = -40  # digits behind the point


def string_text(value: str) -> str:
    """A string as JSON. Escaped is what must be, and lone surrogates, which UTF-8 can't say."""
    text = json.dumps(value, ensure_ascii=False)
    if text.isascii():
        return text
    return "".join(f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in text)


def number_text(value: float | Decimal) -> str:
    """A number as it stood in its source, but with an exponent only where that is shorter."""
    if isinstance(value, Decimal):
        plain = value.is_finite() and _LEAST <= value.as_tuple().exponent <= 0  # type: ignore[operator]
        return format(value, "f") if plain else str(value)
    return json.dumps(value)


def literal_text(value: Any, layout: Layout, level: Level) -> str:
    """A constant in the layout at hand; `flexible` constants are spaced."""
    if isinstance(value, str):
        return string_text(value)
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, list):
        entries = [literal_text(each, layout, _inner(level)) for each in value]
        return _container(entries, "[]", layout, level)
    if isinstance(value, dict):
        colon = ":" if layout is Layout.COMPACT else ": "
        entries = [
            string_text(name) + colon + literal_text(each, layout, _inner(level))
            for name, each in value.items()
        ]
        return _container(entries, "{}", layout, level)
    return number_text(value)


def _inner(level: Level) -> Level:
    return None if level is None else level + 1


def _container(entries: list[str], ends: str, layout: Layout, level: Level) -> str:
    if not entries:
        return ends
    between = space(Layout.SPACED if layout is Layout.FLEXIBLE else layout, level)
    comma = "".join(part for part in between.comma if isinstance(part, Lit))
    return ends[0] + between.opening + comma.join(entries) + between.closing + ends[1]
