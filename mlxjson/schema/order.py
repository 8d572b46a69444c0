"""An instance with the keys of its objects in the order in which the grammar writes them.

An object of JSON has no order, a grammar has. Where several shapes are possible the order is that
of the first one to which the object belongs; where it belongs to none, that of the shape which
knows most of its keys.
"""

from decimal import Decimal
from typing import Any

from mlxjson.regular import Language
from mlxjson.schema.emit.objects import Keys, keys_of
from mlxjson.schema.literals import key as identity
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
    Property,
    Shape,
    String,
)

Outcome = tuple[Any, bool]  # the value arranged, and whether it belongs


def arrange(program: Program, value: Any) -> Any:
    """`value`, as json.loads gives it, with its keys in the order of `program`'s grammar."""
    return Arranger(program).arrange(value)


class Arranger:
    """Arranges the instances of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._keys: dict[int, Keys] = {}
        self._done: dict[tuple[NodeId, int], Outcome] = {}

    def arrange(self, value: Any) -> Any:
        """See `arrange`."""
        self._done.clear()
        return self._node(self.program.root, value)[0]

    def _node(self, node: NodeId, value: Any) -> Outcome:
        if not isinstance(value, list | dict):
            shapes = self.program.nodes[node]
            return value, any(belongs(shape, value) for shape in shapes)
        mark = (node, id(value))
        if mark not in self._done:
            self._done[mark] = value, False
            self._done[mark] = self._union(node, value)
        return self._done[mark]

    def _union(self, node: NodeId, value: Any) -> Outcome:
        best, known = value, -1
        for shape in self.program.nodes[node]:
            found = self._shape(shape, value)
            if found is None:
                continue
            if found[1]:
                return found
            count = self._known(shape, value)
            if count > known:
                best, known = found[0], count
        return best, False

    def _known(self, shape: Shape, value: Any) -> int:
        if not isinstance(shape, Object):
            return 0
        return sum(entry.name in value for entry in self._keys_of(shape).properties)

    def _shape(self, shape: Shape, value: Any) -> Outcome | None:
        """None where the shape is of another type."""
        if isinstance(shape, Literal) and type(shape.value) is type(value):
            return (shape.value, True) if identity(shape.value) == identity(value) else None
        if isinstance(shape, Array) and isinstance(value, list):
            return self._array(shape, value)
        if isinstance(shape, Object) and isinstance(value, dict):
            return self._object(shape, value)
        return None

    def _array(self, shape: Array, value: list[Any]) -> Outcome:
        high = shape.max_items
        fits = len(value) >= shape.min_items and (high is None or len(value) <= high)
        if shape.contains is not None:
            return self._contains(shape.contains, value, fits)
        items = []
        for index, entry in enumerate(value):
            node = shape.prefix[index] if index < len(shape.prefix) else shape.rest
            item, good = (entry, False) if node is None else self._node(node, entry)
            fits = fits and good
            items.append(item)
        return items, fits

    def _contains(self, contains: Contains, value: list[Any], fits: bool) -> Outcome:
        """Items that could be either count as matches for as long as more are wanted."""
        matching = [self._node(contains.match, entry) for entry in value]
        other = [self._node(contains.other, entry) for entry in value]
        must = sum(m[1] and not o[1] for m, o in zip(matching, other, strict=True))
        wanted = max(0, contains.least - must)
        items = []
        for match, rest in zip(matching, other, strict=True):
            take = match[1] and (not rest[1] or wanted > 0)
            wanted -= take and rest[1]
            must += take and rest[1]
            fits = fits and (match[1] or rest[1])
            items.append(match[0] if take else rest[0])
        most = contains.most
        return items, fits and wanted <= 0 and (most is None or must <= most)

    def _keys_of(self, shape: Object) -> Keys:
        if id(shape) not in self._keys:
            self._keys[id(shape)] = keys_of(self.program.nodes, shape, False)
        return self._keys[id(shape)]

    def _object(self, shape: Object, value: dict[str, Any]) -> Outcome:
        keys = self._keys_of(shape)
        arranged: dict[str, Any] = {}
        high = shape.max_properties
        fits = len(value) >= shape.min_properties and (high is None or len(value) <= high)
        for known in keys.properties:
            if known.name in value:
                arranged[known.name], good = self._node(known.node, value[known.name])
                fits = fits and good
            else:
                fits = fits and not known.required
        for name, entry in value.items():
            if name not in arranged:
                arranged[name], good = self._other(keys, shape.properties, name, entry)
                fits = fits and good
        return arranged, fits

    def _other(self, keys: Keys, named: tuple[Property, ...], name: str, value: Any) -> Outcome:
        for pattern in keys.others:
            if all(name != entry.name for entry in named) and accepts(pattern.names, name):
                return self._node(pattern.node, value)
        return value, False


def accepts(language: Language, text: str) -> bool:
    """Whether `text` is a word of `language`."""
    return language == Language.everything() or language.accepts(text)


def belongs(shape: Shape, value: Any) -> bool:
    """Whether a scalar belongs to `shape`."""
    if isinstance(shape, Literal):
        return bool(identity(shape.value) == identity(value))
    if value is None:
        return isinstance(shape, Null)
    if isinstance(value, bool):
        return isinstance(shape, Boolean) and value in shape.values
    if isinstance(value, str):
        return isinstance(shape, String) and _is_word(shape, value)
    return isinstance(shape, Number) and _in_range(shape, value)


def _is_word(shape: String, value: str) -> bool:
    if len(value) < shape.min_length:
        return False
    if shape.max_length is not None and len(value) > shape.max_length:
        return False
    return shape.language is None or accepts(shape.language, value)


def _in_range(shape: Number, value: Any) -> bool:
    exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    low, high = shape.low, shape.high
    if low and (exact < low.value or (exact == low.value and not low.inclusive)):
        return False
    if high and (exact > high.value or (exact == high.value and not high.inclusive)):
        return False
    whole = exact == exact.to_integral_value() if exact.is_finite() else False
    if (shape.integer and not whole) or (shape.fractional and whole) or exact in shape.excluded:
        return False
    return shape.multiple_of is None or bool(is_multiple(exact, shape.multiple_of))


def in_plain_digits(value: Any) -> Any:
    """`value` with numbers that have an exponent written without one, if they are not too long."""
    if isinstance(value, dict):
        return {name: in_plain_digits(each) for name, each in value.items()}
    if isinstance(value, list):
        return [in_plain_digits(each) for each in value]
    if isinstance(value, float):
        value = Decimal(repr(value))
    if not isinstance(value, Decimal) or not value.is_finite() or abs(value.adjusted()) > 310:
        return value
    if "E" not in str(value):
        return value
    whole = value == value.to_integral_value()
    return int(value) if whole else value
