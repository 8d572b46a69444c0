"""Nodes whose values are no containers: constants, numbers, strings."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import partial
from typing import Any

from mlxjson.schema.emit import numbers
from mlxjson.schema.emit.literals import literal_text
from mlxjson.schema.emit.notation import either
from mlxjson.schema.emit.strings import string
from mlxjson.schema.emit.trie import constants
from mlxjson.schema.emit.writer import Writer
from mlxjson.schema.shapes import Boolean, Literal, NodeId, Null, Number, Shape, String

_LARGEST = Decimal("1.7e308")


def body(writer: Writer, node: NodeId, shapes: tuple[Shape, ...]) -> str:
    """A body for the values of `shapes`, scalar ones of `node`."""
    texts = [text for shape in shapes for text in _texts(writer, shape)]
    ways = [constants(texts)] if texts else []
    if not writer.closed:
        ways += _in_other_digits(shapes)
    for shape in shapes:
        ways += _ways(writer, node, shape)
    return either(ways)


def _texts(writer: Writer, shape: Shape) -> Iterator[str]:
    """The constants that are written in one way only."""
    if isinstance(shape, Null):
        yield "null"
    elif isinstance(shape, Boolean):
        yield from (("false", "true")[value] for value in sorted(shape.values, reverse=True))
    elif isinstance(shape, Literal) and _is_text(writer, shape.value):
        whole = shape.plain and _is_number(shape.value)
        value = int(shape.value) if whole else shape.value
        yield literal_text(value, writer.layout, None)


def _is_text(writer: Writer, value: Any) -> bool:
    """Whether a constant has one spelling only: numbers do in what is generated."""
    return not _is_number(value) or (writer.closed and _fits(value))


def _ways(writer: Writer, node: NodeId, shape: Shape) -> Iterator[str]:
    if isinstance(shape, Number):
        text, skipped = numbers.number(writer.rules, shape, writer.closed)
        for keyword in skipped:
            writer.leave(node, keyword, "too many digits or values for a grammar")
        if text:
            yield text
    elif isinstance(shape, String):
        leave = partial(writer.leave, node)
        yield string(writer.rules, shape, not writer.closed, writer.pointer(node), leave)


def _in_other_digits(shapes: Iterable[Shape]) -> Iterator[str]:
    """Constant numbers with noughts behind them: 1 is 1.0."""
    literals = [s for s in shapes if isinstance(s, Literal) and _is_number(s.value)]
    plain = {decimal(s.value) for s in literals if s.plain and _fits(s.value)}
    exact = {decimal(s.value) for s in literals if not s.plain and _fits(s.value)}
    if plain:
        yield constants(sorted(str(int(value)) for value in plain))
    wholes = sorted(str(int(value)) for value in exact if value == value.to_integral_value())
    others = sorted(
        format(value.normalize(), "f") for value in exact if value != value.to_integral_value()
    )
    if wholes:
        yield f'({constants(wholes)}) ("." "0"+)?'
    if others:
        yield f'({constants(others)}) "0"*'


def decimal(value: Any) -> Decimal:
    """A number of the schema as it is written there."""
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _fits(value: Any) -> bool:
    return decimal(value).is_finite() and abs(decimal(value)) < _LARGEST
