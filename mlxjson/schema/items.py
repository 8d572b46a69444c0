"""The vocabulary of conditions that a schema is taken apart into.

A subschema (`Place`) means the conjunction of its items. An item is a condition on values of one
JSON type (a facet), another subschema, the negation of one, or a choice between conjunctions.
Every item is made once and kept, so identity is equality: a set of items is the key of a node.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

from mlxjson.schema.shapes import Bound

if TYPE_CHECKING:
    from mlxjson.regular import Language
    from mlxjson.schema.places import Place

NULL, BOOLEAN, NUMBER, STRING, ARRAY, OBJECT = 1, 2, 4, 8, 16, 32
ALL_TYPES = 63

Items = tuple["Item", ...]


@dataclass(frozen=True, slots=True, eq=False)
class Types:
    """The value is of one of these types (a mask of the constants above)."""

    mask: int
    place: "Place"
    keyword: str = "type"


@dataclass(frozen=True, slots=True, eq=False)
class NumberFacet:
    """If the value is a number, then it lies in this range.

    `plain` goes with `integer`: 1.0 is none (draft 4).
    """

    place: "Place"
    keyword: str
    low: Bound | None = None
    high: Bound | None = None
    integer: bool = False
    plain: bool = False
    fractional: bool = False
    multiple_of: Decimal | None = None


@dataclass(frozen=True, slots=True, eq=False)
class StringFacet:
    """If the value is a string, then it has this length and is (not) a word of this language.

    `source` names the language: ("pattern", text) or ("format", name). `language` is one that was
    put together from several.
    """

    place: "Place"
    keyword: str
    min_length: int = 0
    max_length: int | None = None
    source: tuple[str, str] | None = None
    negated: bool = False
    language: "Language | None" = None


@dataclass(frozen=True, slots=True, eq=False)
class ArrayFacet:
    """If the value is an array, then its items and their number are as said.

    Attributes:
        prefix, rest: what the items at the front and all later ones must be.
        contains: at least `least` and at most `most` items satisfy it.
        evaluates_rest: whether the schema spoke of every later item (for unevaluatedItems).
    """

    place: "Place"
    keyword: str
    prefix: tuple[Items, ...] = ()
    rest: Items = ()
    min_items: int = 0
    max_items: int | None = None
    contains: Items | None = None
    least: int = 1
    most: int | None = None
    unique: bool = False
    evaluates_prefix: bool = False
    evaluates_rest: bool = False
    evaluates_contains: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class ObjectFacet:
    """If the value is an object, then its properties are as said.

    Attributes:
        properties: for a name what its value must be, if it is there.
        patterns: the same for names that a regular expression finds something in.
        additional: what the values of all other names must be; None: nothing was said.
        names: what every name must be; None: nothing was said.
        evaluates: whether this counts for unevaluatedProperties.
    """

    place: "Place"
    keyword: str
    properties: Mapping[str, Items] = field(default_factory=dict)
    patterns: tuple[tuple[str, Items], ...] = ()
    additional: Items | None = None
    required: tuple[str, ...] = ()
    names: Items | None = None
    min_properties: int = 0
    max_properties: int | None = None
    evaluates: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class SomeProperty:
    """If the value is an object, then one of its properties that nobody listed is like `items`.

    Which ones count: those whose name matches `pattern`, or where that is None those whose name is
    not in `names` and matches none of `patterns`.
    """

    place: "Place"
    keyword: str
    items: Items
    pattern: str | None = None
    names: frozenset[str] = frozenset()
    patterns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """The value equals one of these (keyed by `literals.key`)."""

    values: Mapping[Any, Any]
    place: "Place"
    keyword: str


@dataclass(frozen=True, slots=True, eq=False)
class Excluded:
    """The value equals none of these (keyed by `literals.key`)."""

    values: Mapping[Any, Any]
    place: "Place"
    keyword: str


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One of these conjunctions holds.

    `derived`: from a negation, so the first to be given up. `against`: what it is the negation of,
    where that is known.
    """

    branches: tuple[Items, ...]
    place: "Place"
    keyword: str
    derived: bool = False
    against: Items | None = None


@dataclass(frozen=True, slots=True, eq=False)
class OneOf:
    """Exactly one of these conjunctions holds."""

    branches: tuple[Items, ...]
    place: "Place"


@dataclass(frozen=True, slots=True, eq=False)
class Watched:
    """`inner` holds, and so do these for what it leaves unevaluated."""

    inner: Items
    properties: Items | None
    items: Items | None
    place: "Place"


@dataclass(frozen=True, slots=True, eq=False)
class Never:
    """No value."""

    reason: str
    place: "Place"
    keyword: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Gap:
    """A condition on values of the types in `mask` that is left to validation afterwards."""

    place: "Place"
    keyword: str
    reason: str
    mask: int = ALL_TYPES


@dataclass(frozen=True, slots=True, eq=False)
class Negation:
    """The subschema does not hold. Made by `negate.negation_of` only, once for each place."""

    place: "Place"


Facet = (
    Types | NumberFacet | StringFacet | ArrayFacet | ObjectFacet | SomeProperty | Members | Excluded
)
Item: TypeAlias = "Facet | Choice | OneOf | Watched | Never | Gap | Negation | Place"
