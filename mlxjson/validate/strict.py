"""Strict JSON at the speed of the json module: its C reader, with hooks for what it lets by."""

import json
from decimal import Decimal
from functools import partial
from typing import Any, NoReturn

from mlxjson.validate.scan import Span, number, scan


def parse(text: str, *, exact: bool = False) -> Any:
    """The value of a strict JSON text.

    Refused: keys given twice, NaN and Infinity, numbers not finite in float64, lone surrogates,
    raw control characters, text after the end, nesting beyond 5,000 levels. With `exact`, numbers
    with a fraction or exponent are Decimal instead of float. Raises JsonError with the place.
    """
    if _may_hold_surrogates(text):
        return scan(text, exact=exact)
    try:
        return (_EXACT if exact else _PLAIN).decode(text)
    except (ValueError, OverflowError, RecursionError):
        return scan(text, exact=exact)


def spans(text: str) -> dict[str, Span]:
    """Where each value stands: JSON Pointer to (start, end) character offsets, end exclusive.

    Raises JsonError where `text` is not strict JSON.
    """
    record: dict[str, Span] = {}
    scan(text, record=record)
    return record


def _may_hold_surrogates(text: str) -> bool:
    if "\\ud" in text or "\\uD" in text:
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("duplicate key")
    return members


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _integer(literal: str) -> Any:
    return int(literal) if len(literal) < 300 else number(literal, True)


def _fraction(literal: str, exact: bool) -> float | Decimal | int:
    return number(literal, exact)


def _decoder(exact: bool) -> json.JSONDecoder:
    return json.JSONDecoder(
        object_pairs_hook=_members,
        parse_int=_integer,
        parse_float=partial(_fraction, exact=exact),
        parse_constant=_refuse,
    )


_EXACT = _decoder(True)
_PLAIN = _decoder(False)
