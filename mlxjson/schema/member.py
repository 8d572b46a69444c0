"""Whether a JSON value belongs to a node, straight from the table (no grammar involved).

The order of an object's keys does not count here. Recursion is as deep as the value.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from mlxjson.schema.literals import decimal, key
from mlxjson.schema.numbers import is_multiple
from mlxjson.schema.shapes import (
    Array,
    Boolean,
    Contains,
    Literal,
    NodeId,
    Null,
    Number,
    Object,
    Program,
    Shape,
    String,
)

ShapesOf = Callable[[NodeId], tuple[Shape, ...]]


def accepts(program: Program, value: Any) -> bool:
    """Whether `value` (as json.loads gives it) is a document of the program."""
    return _in_node(program.nodes.__getitem__, program.root, value)


def belongs(shapes_of: ShapesOf, shape: Shape, value: Any) -> bool:
    """Whether `value` belongs to `shape`, with the shapes of a node from `shapes_of`."""
    if isinstance(shape, Literal):
        return bool(key(shape.value) == key(value))
    if isinstance(shape, Null):
        return value is None
    if isinstance(shape, Boolean):
        return isinstance(value, bool) and value in shape.values
    if isinstance(shape, String):
        return isinstance(value, str) and _string(shape, value)
    if isinstance(shape, Array):
        return isinstance(value, list) and _array(shapes_of, shape, value)
    if isinstance(shape, Object):
        return isinstance(value, dict) and _object(shapes_of, shape, value)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return False
    return _number(shape, decimal(value))


def _in_node(shapes_of: ShapesOf, node: NodeId, value: Any) -> bool:
    return any(belongs(shapes_of, shape, value) for shape in shapes_of(node))


def _number(shape: Number, value: Decimal) -> bool:
    low, high = shape.low, shape.high
    if low and not (value > low.value or (low.inclusive and value == low.value)):
        return False
    if high and not (value < high.value or (high.inclusive and value == high.value)):
        return False
    whole = value == value.to_integral_value()
    if (shape.integer and not whole) or (shape.fractional and whole):
        return False
    if shape.multiple_of is not None and not is_multiple(value, shape.multiple_of):
        return False
    return value not in shape.excluded


def _string(shape: String, value: str) -> bool:
    if len(value) < shape.min_length:
        return False
    if shape.max_length is not None and len(value) > shape.max_length:
        return False
    return shape.language is None or shape.language.accepts(value)


def _array(shapes_of: ShapesOf, shape: Array, value: list[Any]) -> bool:
    if len(value) < shape.min_items:
        return False
    if shape.max_items is not None and len(value) > shape.max_items:
        return False
    if shape.unique and len({key(item) for item in value}) < len(value):
        return False
    if shape.contains:
        return _contains(shapes_of, shape.contains, value)
    for item, node in zip(value, shape.prefix, strict=False):
        if not _in_node(shapes_of, node, item):
            return False
    later = value[len(shape.prefix) :]
    if shape.rest is None:
        return not later
    rest = shape.rest
    return all(_in_node(shapes_of, rest, item) for item in later)


def _contains(shapes_of: ShapesOf, shape: Contains, value: list[Any]) -> bool:
    """Items that could be either count as it suits best."""
    surely = perhaps = 0
    for item in value:
        matches = _in_node(shapes_of, shape.match, item)
        other = _in_node(shapes_of, shape.other, item)
        if not matches and not other:
            return False
        surely += matches and not other
        perhaps += matches and other
    return surely + perhaps >= shape.least and (shape.most is None or surely <= shape.most)


def _object(shapes_of: ShapesOf, shape: Object, value: dict[str, Any]) -> bool:
    if len(value) < shape.min_properties:
        return False
    if shape.max_properties is not None and len(value) > shape.max_properties:
        return False
    named = {entry.name: entry for entry in shape.properties}
    if any(entry.required and entry.name not in value for entry in shape.properties):
        return False
    return all(
        _in_node(shapes_of, named[name].node, part)
        if name in named
        else _other(shapes_of, shape, name, part)
        for name, part in value.items()
    )


def _other(shapes_of: ShapesOf, shape: Object, name: str, value: Any) -> bool:
    return any(
        _in_node(shapes_of, entry.node, value)
        for entry in shape.others
        if entry.names.accepts(name)
    )
