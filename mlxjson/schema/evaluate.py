"""Whether one value satisfies conditions, worked out directly.

For the constants of an enum this is exact and cheap where distributing the sibling conditions
into alternatives would be neither. Raises `Unclear` where it can't be told.
"""

from typing import Any

from mlxjson.errors import ConstraintError
from mlxjson.schema import numbers, strings
from mlxjson.schema.items import (
    ALL_TYPES,
    ARRAY,
    NUMBER,
    OBJECT,
    ArrayFacet,
    Choice,
    Excluded,
    Gap,
    Item,
    Items,
    Members,
    Negation,
    Never,
    NumberFacet,
    ObjectFacet,
    OneOf,
    SomeProperty,
    StringFacet,
    Types,
    Watched,
)
from mlxjson.schema.literals import key, type_of
from mlxjson.schema.member import belongs
from mlxjson.schema.objects import counts
from mlxjson.schema.places import Place
from mlxjson.schema.read import items_of

_DEEPEST = 100


class Unclear(Exception):
    """It depends on something that only the validator knows."""


def holds(items: Items, value: Any, depth: int = 0) -> bool:
    """Whether `value` satisfies a conjunction."""
    if depth > _DEEPEST:
        raise Unclear
    return all(_holds(item, value, depth + 1) for item in items)


def _holds(item: Item, value: Any, depth: int) -> bool:
    if isinstance(item, Place):
        return holds(items_of(item), value, depth)
    if isinstance(item, Negation):
        return not holds(items_of(item.place), value, depth)
    if isinstance(item, Choice):
        return any(holds(branch, value, depth) for branch in item.branches)
    if isinstance(item, OneOf):
        return sum(holds(branch, value, depth) for branch in item.branches) == 1
    if isinstance(item, Types):
        return bool(item.mask & type_of(value))
    if isinstance(item, Members | Excluded):
        return (key(value) in item.values) is isinstance(item, Members)
    if isinstance(item, Never):
        return False
    if isinstance(item, Watched | Gap):
        return _holds_or_unclear(item, value, depth)
    return _facet_holds(item, value, depth)


def _holds_or_unclear(item: Watched | Gap, value: Any, depth: int) -> bool:
    if isinstance(item, Gap):
        mask, inner = item.mask, True
    else:
        mask, inner = ARRAY | OBJECT, holds(item.inner, value, depth)
    if inner and mask & type_of(value) & ALL_TYPES:
        raise Unclear
    return inner


def _facet_holds(
    item: NumberFacet | StringFacet | ArrayFacet | ObjectFacet | SomeProperty,
    value: Any,
    depth: int,
) -> bool:
    if isinstance(item, NumberFacet):
        return not type_of(value) & NUMBER or _number_holds(item, value)
    if isinstance(item, StringFacet):
        return not isinstance(value, str) or _string_holds(item, value)
    if isinstance(item, ArrayFacet):
        return not isinstance(value, list) or _array_holds(item, value, depth)
    if isinstance(item, SomeProperty):
        return not isinstance(value, dict) or _some_holds(item, value, depth)
    return not isinstance(value, dict) or _object_holds(item, value, depth)


def _number_holds(facet: NumberFacet, value: Any) -> bool:
    shape = numbers.shape((facet,))
    return shape is not None and belongs(lambda _: (), shape, value)


def _string_holds(facet: StringFacet, value: str) -> bool:
    if len(value) < facet.min_length:
        return False
    if facet.max_length is not None and len(value) > facet.max_length:
        return False
    if facet.source is None and facet.language is None:
        return True
    try:
        found = strings.language_of(facet, exact=True).accepts(value)
    except ConstraintError as error:
        raise Unclear from error
    if found is facet.negated and not strings.is_whole(facet):
        raise Unclear
    return found


def _array_holds(facet: ArrayFacet, value: list[Any], depth: int) -> bool:
    if len(value) < facet.min_items:
        return False
    if facet.max_items is not None and len(value) > facet.max_items:
        return False
    if facet.unique and len({key(item) for item in value}) < len(value):
        return False
    for index, item in enumerate(value):
        items = facet.prefix[index] if index < len(facet.prefix) else facet.rest
        if not holds(items, item, depth):
            return False
    if facet.contains is None:
        return True
    matches = sum(holds(facet.contains, item, depth) for item in value)
    return matches >= facet.least and (facet.most is None or matches <= facet.most)


def _object_holds(facet: ObjectFacet, value: dict[str, Any], depth: int) -> bool:
    if any(name not in value for name in facet.required) or len(value) < facet.min_properties:
        return False
    if facet.max_properties is not None and len(value) > facet.max_properties:
        return False
    if facet.names is not None and not all(holds(facet.names, name, depth) for name in value):
        return False
    return all(holds(_said_of(facet, name), part, depth) for name, part in value.items())


def _said_of(facet: ObjectFacet, name: str) -> Items:
    found = list(facet.properties.get(name, ()))
    known = name in facet.properties
    for text, items in facet.patterns:
        try:
            matches = strings.pattern(text).accepts(name)
        except ConstraintError as error:
            raise Unclear from error
        if matches:
            known = True
            found += items
    if not known and facet.additional is not None:
        found += facet.additional
    return tuple(found)


def _some_holds(item: SomeProperty, value: dict[str, Any], depth: int) -> bool:
    for name, part in value.items():
        counted = counts(item, name)
        if counted is None:
            raise Unclear
        if counted and holds(item.items, part, depth):
            return True
    return False
