"""What a schema means, once every reference, combination and old spelling is worked out.

A schema becomes a `Program`: a table of nodes, each a union of shapes. A shape describes values of
one JSON type and refers to its children by node id, so recursion is a cycle in the table. A value
belongs to a node if it belongs to one of its shapes; shapes may overlap. A node with no shapes is
never satisfied; the front end removes nodes that have no finite value.

The front end (`schema/`) writes this table, `schema/emit/` turns it into a grammar, and nothing
here knows about either.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from mlxjson.regular import Language
from mlxjson.schema.finding import Finding

NodeId = int


@dataclass(frozen=True, slots=True)
class Null:
    """null."""


@dataclass(frozen=True, slots=True)
class Boolean:
    """true or false, or only one of them."""

    values: frozenset[bool] = frozenset({True, False})


@dataclass(frozen=True, slots=True)
class Bound:
    """One end of a range of numbers."""

    value: Decimal
    inclusive: bool = True


@dataclass(frozen=True, slots=True)
class Number:
    """A JSON number. `integer` asks for a mathematical integer, so 1.0 belongs too.

    `fractional` asks for the opposite (`not: {"type": "integer"}`): 1.5, but neither 1 nor 1.0.
    `plain` goes with `integer`: 1.0 does not belong (draft 4).
    """

    low: Bound | None = None
    high: Bound | None = None
    integer: bool = False
    multiple_of: Decimal | None = None
    excluded: frozenset[Decimal] = frozenset()
    fractional: bool = False
    plain: bool = False


@dataclass(frozen=True, slots=True)
class String:
    """A string whose characters (code points, after unescaping) form a word of `language`.

    None stands for every string. The length bounds hold besides the language and are in code
    points; the front end leaves them at 0 and None when the language already has them built in.
    """

    language: Language | None = None
    min_length: int = 0
    max_length: int | None = None


@dataclass(frozen=True, slots=True)
class Contains:
    """Between `least` and `most` items belong to `match`; all others belong to `other`.

    `match` and `other` are already intersected with the items' own node. `most` None means no
    upper bound, and then `other` may overlap `match`.
    """

    match: NodeId
    other: NodeId
    least: int = 1
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Array:
    """An array: item i belongs to prefix[i], later ones to `rest` (None: there are no later ones).

    With `contains` set, `prefix` is empty and `rest` is ignored. `unique` asks that no two items
    are equal; the emitter enforces it where `rest` is a small finite node, else leaves it.
    """

    prefix: tuple[NodeId, ...] = ()
    rest: NodeId | None = None
    min_items: int = 0
    max_items: int | None = None
    contains: Contains | None = None
    unique: bool = False


@dataclass(frozen=True, slots=True)
class Property:
    """One named property."""

    name: str
    node: NodeId
    required: bool


@dataclass(frozen=True, slots=True)
class KeyPattern:
    """Keys in `names`, whose values belong to `node`. The languages of one object are disjoint.

    `declared`: as in `Object`, for these keys: those that no pattern matches may be open by default
    although others are declared.
    """

    names: Language
    node: NodeId
    declared: bool = True


@dataclass(frozen=True, slots=True)
class Object:
    """An object: the properties in this order, then other keys.

    Attributes:
        properties: named properties in the order in which they are written. A property whose node
            has no shapes may not appear.
        others: disjoint sets of other keys, each with its node; none of them holds a name in
            `properties`. An object that is closed has none. `declared` says whether the schema
            itself asks for them (an explicit additionalProperties, patternProperties or
            propertyNames) or they are only open by default, so that generation may close them.
        min_properties, max_properties: bounds on the number of keys in all.
    """

    properties: tuple[Property, ...] = ()
    others: tuple[KeyPattern, ...] = ()
    declared: bool = False
    min_properties: int = 0
    max_properties: int | None = None


@dataclass(frozen=True, slots=True)
class Literal:
    """One constant (from enum or const), compared as JSON does: 1 and 1.0 are the same.

    `value` is as json.loads gives it (numbers may be int, float or Decimal); objects keep their
    key order. Not hashable when the value is a container, so compare by identity there.
    `plain`: a whole number is written without a fraction, as for `Number`.
    """

    value: Any
    plain: bool = False


Shape = Null | Boolean | Number | String | Array | Object | Literal


@dataclass(slots=True)
class Program:
    """A schema worked out: `nodes[root]` is what the document must be.

    Attributes:
        nodes: for each node id the union of its shapes.
        pointers: for each node id the JSON Pointer it came from, for messages.
        root: the node of the whole document.
        findings: what the table lets through although the schema does not.
    """

    nodes: dict[NodeId, tuple[Shape, ...]]
    root: NodeId
    pointers: dict[NodeId, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
