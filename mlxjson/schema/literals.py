"""`enum` and `const`: values given one by one.

Source: JSON Schema validation 2020-12, sections 6.1.2 (enum) and 6.1.3 (const); core, section
4.2.2 (equality: 1 equals 1.0, true does not equal 1, the order of keys does not matter).
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from mlxjson.schema.items import (
    ALL_TYPES,
    ARRAY,
    BOOLEAN,
    NULL,
    NUMBER,
    OBJECT,
    STRING,
    ArrayFacet,
    Choice,
    Excluded,
    Item,
    Items,
    Members,
    Never,
    ObjectFacet,
    Types,
)
from mlxjson.schema.places import Place

_TYPES = {type(None): NULL, bool: BOOLEAN, str: STRING, list: ARRAY, dict: OBJECT}


def decimal(value: float | Decimal) -> Decimal:
    """A JSON number as it is written: 0.1 is one tenth."""
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def key(value: Any) -> Any:
    """Something hashable that is equal for equal JSON values only."""
    kind = type(value)
    if kind is str or value is None:
        return value
    if kind is bool:
        return ("boolean", value)
    if kind is list:
        return ("array", tuple(map(key, value)))
    if kind is dict:
        return frozenset((name, key(part)) for name, part in value.items())
    return decimal(value)


def type_of(value: Any) -> int:
    """The mask of the JSON type of `value`."""
    return _TYPES.get(type(value), NUMBER)


def read(place: Place, schema: Mapping[str, Any], keywords: frozenset[str]) -> Iterator[Item]:
    """What `enum` and `const` say."""
    if "enum" in schema and "enum" in keywords:
        values = schema["enum"]
        if not isinstance(values, list):
            raise place.error("enum must be an array", "enum")
        yield Members({key(value): value for value in values}, place, "enum")
    if "const" in schema and "const" in keywords:
        yield Members({key(schema["const"]): schema["const"]}, place, "const")


def writable(value: Any) -> bool:
    """Whether a constant can be written at all: no infinite number, no half of a surrogate pair."""
    if isinstance(value, str):
        return value.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in value)
    if isinstance(value, list):
        return all(map(writable, value))
    if isinstance(value, dict):
        return all(writable(name) and writable(part) for name, part in value.items())
    return not isinstance(value, float | Decimal) or decimal(value).is_finite()


def negate_members(members: Members) -> tuple[Items, ...]:
    """None of the values."""
    return ((Excluded(members.values, members.place, members.keyword),),)


def negate_excluded(excluded: Excluded) -> tuple[Items, ...]:
    """One of the values."""
    return ((Members(excluded.values, excluded.place, excluded.keyword),),)


def unlike(value: list[Any] | dict[str, Any], excluded: Excluded) -> Choice:
    """Anything but one array or object, said in positive terms."""
    known = ("unlike", excluded, key(value))
    if known not in excluded.place.kept:
        differs = _differs_from_list if isinstance(value, list) else _differs_from_dict
        branches = tuple(differs(value, excluded))
        made = Choice(branches, excluded.place, excluded.keyword, derived=True)
        excluded.place.kept[known] = made
    found: Choice = excluded.place.kept[known]
    return found


def _not(value: Any, excluded: Excluded) -> Items:
    return (Excluded({key(value): value}, excluded.place, excluded.keyword),)


def _differs_from_list(value: Any, excluded: Excluded) -> Iterator[Items]:
    """Of another type, shorter, longer, or with another item somewhere."""
    place, keyword, size = excluded.place, excluded.keyword, len(value)
    array = Types(ARRAY, place, keyword)
    yield (Types(ALL_TYPES & ~ARRAY, place, keyword),)
    if size:
        yield array, ArrayFacet(place, keyword, max_items=size - 1)
    yield array, ArrayFacet(place, keyword, min_items=size + 1)
    for index, part in enumerate(value):
        prefix: tuple[Items, ...] = (*(() for _ in range(index)), _not(part, excluded))
        yield array, ArrayFacet(place, keyword, prefix=prefix, min_items=index + 1)


def _differs_from_dict(value: Any, excluded: Excluded) -> Iterator[Items]:
    """Of another type, without one of the keys, with more of them, or with another value."""
    place, keyword = excluded.place, excluded.keyword
    mapping = Types(OBJECT, place, keyword)
    yield (Types(ALL_TYPES & ~OBJECT, place, keyword),)
    for name, part in value.items():
        absent: Items = (Never("excluded", place, keyword),)
        yield mapping, ObjectFacet(place, keyword, properties={name: absent})
        other: Items = _not(part, excluded)
        yield mapping, ObjectFacet(place, keyword, properties={name: other}, required=(name,))
    yield mapping, ObjectFacet(place, keyword, min_properties=len(value) + 1)
