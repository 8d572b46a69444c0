"""The table of nodes: one for each set of conditions that comes up, made on demand.

A node is the conjunction of a set of items. It is expanded into alternatives (`terms`), and each
alternative gives at most one shape for each JSON type. The same set always gives the same node,
so a recursive schema becomes a cycle.
"""

import time
from collections import deque
from collections.abc import Iterable, Iterator
from decimal import Decimal

from mlxjson.errors import ConstraintError
from mlxjson.regular import Language
from mlxjson.schema import array_shapes, conflicts, literal_shapes, numbers, object_shapes, strings
from mlxjson.schema.items import (
    ARRAY,
    BOOLEAN,
    NULL,
    NUMBER,
    OBJECT,
    STRING,
    Choice,
    Gap,
    Item,
    Items,
    Never,
)
from mlxjson.schema.places import Place
from mlxjson.schema.read import items_of
from mlxjson.schema.shapes import (
    Array,
    Boolean,
    KeyPattern,
    Literal,
    NodeId,
    Null,
    Number,
    Object,
    Shape,
    String,
)
from mlxjson.schema.term import Term
from mlxjson.schema.terms import Effort, expand

MOST_NODES = 20_000
MOST_SECONDS = 8.0

ANY: NodeId = 0
NONE: NodeId = 1

_ANY_SHAPES: tuple[Shape, ...] = (
    Null(),
    Boolean(),
    Number(),
    String(),
    Array(rest=ANY),
    Object(others=(KeyPattern(Language.everything(), ANY),), declared=True),
)
_FULL: dict[type, Shape] = {type(shape): shape for shape in _ANY_SHAPES}


class Builder:
    """Makes nodes and their shapes. `nodes` holds those worked out so far."""

    def __init__(self) -> None:
        self.nodes: dict[NodeId, tuple[Shape, ...]] = {ANY: _ANY_SHAPES, NONE: ()}
        self.gaps: dict[NodeId, list[Gap]] = {}
        self.pointers: dict[NodeId, str] = {ANY: "", NONE: ""}
        self.effort = Effort()
        self._items: dict[NodeId, Items] = {}
        self._ids: dict[frozenset[Item], NodeId] = {}
        self._choices: dict[tuple[Items, Items], Choice] = {}
        self._waiting: deque[NodeId] = deque()
        self._busy: set[NodeId] = set()
        self._until = time.process_time() + MOST_SECONDS

    def node(self, items: Iterable[Item]) -> NodeId:
        """The node of a conjunction. Its shapes are made later, by `finish` or `shapes`."""
        kept = _essential(items)
        if not kept:
            return ANY
        if any(isinstance(item, Never) or _is_false(item) for item in kept):
            return NONE
        key = frozenset(kept)
        found = self._ids.get(key)
        if found is None:
            found = self._ids[key] = self._new(kept)
        return found

    def root(self, items: Items) -> NodeId:
        """A node for the whole schema, also where it is plain that it has no value."""
        node = self.node(items)
        return self._new(items) if node == NONE else node

    def _new(self, kept: Items) -> NodeId:
        number = len(self._items) + 2
        if number > MOST_NODES:
            raise _first_place(kept).error(
                f"the schema unfolds into more than {MOST_NODES} different subschemas"
            )
        self._items[number] = kept
        self.pointers[number] = _first_place(kept).pointer
        self._waiting.append(number)
        return number

    def either(self, first: Items, second: Items, place: Place, keyword: str) -> Choice:
        """One of two conjunctions, the same object for the same two."""
        key = (first, second)
        if key not in self._choices:
            self._choices[key] = Choice((first, second), place, keyword)
        return self._choices[key]

    def finish(self) -> None:
        """Work out every node that something refers to."""
        while self._waiting:
            self.shapes(self._waiting.popleft())

    def shapes(self, node: NodeId) -> tuple[Shape, ...]:
        """The shapes of a node, worked out now if need be."""
        found = self.nodes.get(node)
        if found is None:
            self._busy.add(node)
            found = self.nodes[node] = self._worked_out(node)
            self._busy.discard(node)
        return found

    def busy(self, node: NodeId) -> bool:
        """Whether the node is being worked out, so that its shapes can't be asked for."""
        return node in self._busy

    def terms(self, items: Items) -> list[Term]:
        """The alternatives of a conjunction."""
        if time.process_time() > self._until:
            raise ConstraintError(
                "the schema takes too long to work out: its combinations multiply",
                where=f"schema at '{_first_place(items).pointer}'",
            )
        return expand(items, self.effort)

    def why_empty(self, node: NodeId) -> tuple[str, str]:
        """The JSON Pointer and the reason of a node without values."""
        return conflicts.why(self.terms(self._items[node]), self.pointers[node])

    def _worked_out(self, node: NodeId) -> tuple[Shape, ...]:
        gaps: list[Gap] = []
        shapes = [s for term in self.terms(self._items[node]) for s in self.of_term(term, gaps)]
        if gaps:
            self.gaps[node] = list({(id(gap.place), gap.keyword): gap for gap in gaps}.values())
        if len(shapes) < 2:
            return tuple(shapes)
        distinct: dict[object, Shape] = {}
        for shape in shapes:
            distinct.setdefault(_identity(shape), shape)
        return _without_covered(tuple(distinct.values()))

    def of_term(self, term: Term, gaps: list[Gap]) -> list[Shape]:
        """The shapes of one alternative. Appends what they leave out to `gaps`."""
        if term.members is not None:
            return list(literal_shapes.shapes(self, term, term.members, gaps))
        return [s for bit in _BITS if term.mask & bit for s in self.of_type(term, bit, gaps)]

    def of_type(self, term: Term, bit: int, gaps: list[Gap]) -> list[Shape]:
        """The shapes of an alternative for one JSON type, its enum left aside."""
        found: list[Gap] = []
        shapes = [shape for shape in self._of_type(term, bit, found) if shape is not None]
        if shapes:
            gaps += found
            gaps += [gap for gap in term.gaps if gap.mask & bit]
        return shapes

    def _of_type(self, term: Term, bit: int, gaps: list[Gap]) -> Iterable[Shape | None]:
        if bit == ARRAY:
            return array_shapes.shapes(self, term, gaps)
        if bit == OBJECT:
            return (object_shapes.shape(self, term, gaps),)
        if bit == STRING:
            shape, more = strings.shape(term.strings, term.excluded)
            gaps += more
            return (shape,)
        if bit == NUMBER:
            return (numbers.shape(term.numbers, filter(_is_number, term.excluded_keys)),)
        return (_null_or_boolean(term, bit),)

    def string_shapes(self, items: Items, gaps: list[Gap]) -> list[Shape]:
        """The strings that a conjunction allows."""
        found: list[Shape] = []
        for term in self.terms(items):
            if term.members is not None:
                found += (s for s in self.of_term(term, gaps) if isinstance(s, Literal))
            elif term.mask & STRING:
                found += self.of_type(term, STRING, gaps)
        return found

    def below(self, shape: Shape) -> set[NodeId]:
        """The nodes worked out so far that `shape` leads to."""
        found: set[NodeId] = set()
        waiting = list(children(shape))
        while waiting:
            node = waiting.pop()
            if node not in found and node in self.nodes:
                found.add(node)
                waiting += (child for s in self.nodes[node] for child in children(s))
        return found


def children(shape: Shape) -> Iterator[NodeId]:
    """The nodes that a shape refers to."""
    if isinstance(shape, Array):
        yield from shape.prefix
        if shape.rest is not None:
            yield shape.rest
        if shape.contains is not None:
            yield shape.contains.match
            yield shape.contains.other
    elif isinstance(shape, Object):
        yield from (entry.node for entry in shape.properties)
        yield from (entry.node for entry in shape.others)


def _null_or_boolean(term: Term, bit: int) -> Shape | None:
    if bit == NULL:
        return None if None in term.excluded_keys else Null()
    left = {value for value in (False, True) if ("boolean", value) not in term.excluded_keys}
    return Boolean(frozenset(left)) if left else None


_BITS = (NULL, BOOLEAN, NUMBER, STRING, ARRAY, OBJECT)


def _is_number(key: object) -> bool:
    return isinstance(key, Decimal)


def _essential(items: Iterable[Item]) -> Items:
    """The items that say something, each once, with references followed."""
    kept: dict[int, Item] = {}
    for given in items:
        item = _target(given) if isinstance(given, Place) else given
        if not (isinstance(item, Place) and not items_of(item)):
            kept[id(item)] = item
    return tuple(kept.values())


def _is_false(item: Item) -> bool:
    return isinstance(item, Place) and any(isinstance(each, Never) for each in items_of(item))


def _target(place: Place) -> Item:
    """Where a chain of references ends."""
    passed = set()
    item: Item = place
    while isinstance(item, Place) and id(item) not in passed:
        passed.add(id(item))
        inner = items_of(item)
        if len(inner) != 1:
            break
        if not isinstance(inner[0], Place):
            break
        item = inner[0]
    else:
        if isinstance(item, Place):
            return Never("it refers to itself without end", place, "$ref")
    return item


def _first_place(items: Items) -> Place:
    return items[0] if isinstance(items[0], Place) else items[0].place


def _identity(shape: Shape) -> object:
    if not isinstance(shape, Literal):
        return shape
    return literal_shapes.identity(shape)


def _without_covered(shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
    """Leave out shapes of a type of which every value is allowed anyway."""
    full = {type(shape) for shape in shapes if shape == _FULL.get(type(shape))}
    return tuple(s for s in shapes if type(s) not in full or s == _FULL[type(s)])
