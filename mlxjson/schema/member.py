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
    return _TESTS[type(shape)](shapes_of, shape, value)


def _in_node(shapes_of: ShapesOf, node: NodeId, value: Any) -> bool:
    # Loops and a table, no generators: two frames for each level of a deep value.
    for shape in shapes_of(node):  # noqa: SIM110
        if _TESTS[type(shape)](shapes_of, shape, value):
            return True
    return False


def _literal(_: ShapesOf, shape: Literal, value: Any) -> bool:
    return bool(key(shape.value) == key(value))


def _null(_: ShapesOf, shape: Null, value: Any) -> bool:
    return value is None


def _boolean(_: ShapesOf, shape: Boolean, value: Any) -> bool:
    return isinstance(value, bool) and value in shape.values


def _number(_: ShapesOf, shape: Number, given: Any) -> bool:
    if isinstance(given, bool) or not isinstance(given, int | float | Decimal):
        return False
    value = decimal(given)
    if not value.is_finite():
        return False
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


def _string(_: ShapesOf, shape: String, value: Any) -> bool:
    if not isinstance(value, str) or len(value) < shape.min_length:
        return False
    if shape.max_length is not None and len(value) > shape.max_length:
        return False
    return shape.language is None or shape.language.accepts(value)


def _array(shapes_of: ShapesOf, shape: Array, value: Any) -> bool:
    if not isinstance(value, list) or len(value) < shape.min_items:
        return False
    if shape.max_items is not None and len(value) > shape.max_items:
        return False
    if shape.unique and len({key(item) for item in value}) < len(value):
        return False
    if shape.contains:
        return _contains(shapes_of, shape.contains, value)
    if shape.rest is None and len(value) > len(shape.prefix):
        return False
    for index, item in enumerate(value):
        node = shape.prefix[index] if index < len(shape.prefix) else shape.rest
        if node is None or not _in_node(shapes_of, node, item):
            return False
    return True


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


def _object(shapes_of: ShapesOf, shape: Object, value: Any) -> bool:
    if not isinstance(value, dict) or len(value) < shape.min_properties:
        return False
    if shape.max_properties is not None and len(value) > shape.max_properties:
        return False
    named = {entry.name: entry for entry in shape.properties}
    if any(entry.required and entry.name not in value for entry in shape.properties):
        return False
    for name, part in value.items():
        nodes = [named[name].node] if name in named else _other_nodes(shape, name)
        for node in nodes:
            if _in_node(shapes_of, node, part):
                break
        else:
            return False
    return True


def _other_nodes(shape: Object, name: str) -> list[NodeId]:
    return [entry.node for entry in shape.others if entry.names.accepts(name)]


_TESTS: dict[type, Callable[[ShapesOf, Any, Any], bool]] = {
    Null: _null,
    Boolean: _boolean,
    Number: _number,
    String: _string,
    Array: _array,
    Object: _object,
    Literal: _literal,
}
