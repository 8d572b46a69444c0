"""Keywords for objects.

Source: JSON Schema core 2020-12, sections 10.3.2 (properties, patternProperties,
additionalProperties, propertyNames) and 11.3 (unevaluatedProperties); validation, section 6.5.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from mlxjson.errors import ConstraintError
from mlxjson.schema.arrays import is_never
from mlxjson.schema.items import (
    OBJECT,
    Choice,
    Gap,
    Item,
    Items,
    Never,
    ObjectFacet,
    SomeProperty,
    Types,
)
from mlxjson.schema.places import Place
from mlxjson.schema.strings import count, pattern

_VALUES = frozenset({"properties", "patternProperties", "additionalProperties"})
KEYWORDS = _VALUES | {"required", "propertyNames", "minProperties", "maxProperties"}


def read(place: Place, schema: Mapping[str, Any], keywords: frozenset[str]) -> Iterator[Item]:
    """One facet for each keyword; those on values make one together."""
    present = schema.keys() & keywords
    if present & _VALUES:
        yield _values(place, schema, present)
    if "required" in present:
        yield from _required(place, schema["required"])
    if "propertyNames" in present:
        names: Items = (place.world.child(place, schema["propertyNames"], "propertyNames"),)
        yield ObjectFacet(place, "propertyNames", names=names)
    if "minProperties" in present:
        yield ObjectFacet(place, "minProperties", min_properties=count(place, "minProperties"))
    if "maxProperties" in present:
        yield ObjectFacet(place, "maxProperties", max_properties=count(place, "maxProperties"))


def _values(place: Place, schema: Mapping[str, Any], present: set[str]) -> ObjectFacet:
    child = place.world.child
    named = _mapping(place, schema, "properties", present)
    by_pattern = _mapping(place, schema, "patternProperties", present)
    additional: Items | None = None
    if "additionalProperties" in present:
        additional = (child(place, schema["additionalProperties"], "additionalProperties"),)
    keyword = "properties" if named else "patternProperties" if by_pattern else ""
    return ObjectFacet(
        place,
        "additionalProperties" if additional is not None else keyword or "properties",
        properties={k: (child(place, v, "properties", k),) for k, v in named.items()},
        patterns=tuple(
            (k, (child(place, v, "patternProperties", k),)) for k, v in by_pattern.items()
        ),
        additional=additional,
        evaluates=True,
    )


def _mapping(
    place: Place, schema: Mapping[str, Any], keyword: str, present: set[str]
) -> Mapping[str, Any]:
    value = schema[keyword] if keyword in present else {}
    if not isinstance(value, dict):
        raise place.error(f"{keyword} must be an object", keyword)
    return value


def _required(place: Place, names: Any) -> Iterator[Item]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise place.error("required must be an array of strings", "required")
    if names:
        yield ObjectFacet(place, "required", required=tuple(dict.fromkeys(names)))


def forbid(place: Place, keyword: str, name: str) -> ObjectFacet:
    """An object has no property `name`."""
    never: Items = (Never(f"{name!r} may not be there", place, keyword),)
    return ObjectFacet(place, keyword, properties={name: never})


def require(place: Place, keyword: str, *names: str) -> ObjectFacet:
    """An object has these properties."""
    return ObjectFacet(place, keyword, required=names)


def negate(facet: ObjectFacet, opposite: Callable[[Items], Items | None]) -> tuple[Items, ...]:
    """An object that breaks the facet somewhere. `opposite` negates a conjunction (None: never)."""
    return tuple(_broken(facet, opposite, Types(OBJECT, facet.place, facet.keyword)))


def _broken(
    facet: ObjectFacet, opposite: Callable[[Items], Items | None], mapping: Types
) -> Iterator[Items]:
    place, keyword = facet.place, facet.keyword
    for name in facet.required:
        yield mapping, forbid(place, "required", name)
    if facet.min_properties:
        yield mapping, ObjectFacet(place, keyword, max_properties=facet.min_properties - 1)
    if facet.max_properties is not None:
        yield mapping, ObjectFacet(place, keyword, min_properties=facet.max_properties + 1)
    for name, items in facet.properties.items():
        wrong = opposite(items)
        if wrong is not None:
            yield (
                mapping,
                ObjectFacet(place, "properties", properties={name: wrong}, required=(name,)),
            )
    for text, items in facet.patterns:
        wrong = opposite(items)
        if wrong is not None:
            yield mapping, SomeProperty(place, "patternProperties", wrong, text)
    if facet.additional is not None and (wrong := opposite(facet.additional)) is not None:
        yield _broken_additional(facet, wrong, mapping)
    if facet.names is not None and (wrong := opposite(facet.names)) is not None:
        yield _broken_name(facet, wrong, mapping)


def _broken_additional(facet: ObjectFacet, wrong: Items, mapping: Types) -> Items:
    """A property that is not listed, and wrong."""
    place, keyword = facet.place, "additionalProperties"
    if not wrong and not facet.properties and not facet.patterns:
        return mapping, ObjectFacet(place, keyword, min_properties=1)
    patterns = tuple(text for text, _ in facet.patterns)
    return mapping, SomeProperty(place, keyword, wrong, None, frozenset(facet.properties), patterns)


def _broken_name(facet: ObjectFacet, wrong: Items, mapping: Types) -> Items:
    """A property with a wrong name."""
    more = ObjectFacet(facet.place, "propertyNames", min_properties=1)
    if not wrong:
        return mapping, more
    reason = "that some name is wrong can't be described"
    return mapping, more, Gap(facet.place, "propertyNames", reason, OBJECT)


def negate_some(item: SomeProperty, opposite: Callable[[Items], Items | None]) -> tuple[Items, ...]:
    """No such property: what `patternProperties` or `additionalProperties` said at first."""
    place, keyword = item.place, item.keyword
    right = opposite(item.items)
    if right is None:
        right = (Never("excluded", place, keyword),)
    if item.pattern is not None:
        return ((ObjectFacet(place, keyword, patterns=((item.pattern, right),)),),)
    named: dict[str, Items] = dict.fromkeys(item.names, ())
    by_pattern: tuple[tuple[str, Items], ...] = tuple((text, ()) for text in item.patterns)
    return ((ObjectFacet(place, keyword, named, by_pattern, right),),)


def some_of(item: SomeProperty, facets: list[ObjectFacet]) -> Choice:
    """The ways in which an object that satisfies `facets` can have such a property.

    Where `facets` leave only certain names, it is one of these. Otherwise it may also be a name
    that nobody knows, which is left open.
    """
    place, keyword = item.place, item.keyword
    closed = [set(f.properties) for f in facets if _is_closed(f)]
    known = dict.fromkeys(name for facet in facets for name in facet.properties)
    branches: list[Items] = []
    for name in known:
        meant = counts(item, name)
        if meant is not False and all(name in allowed for allowed in closed):
            there = ObjectFacet(place, keyword, properties={name: item.items}, required=(name,))
            branches.append((there,) if meant else (there, _unread(item)))
    if not closed:
        reason = "that a property without a known name is wrong can't be described"
        more = ObjectFacet(place, keyword, min_properties=1)
        branches.append((more, Gap(place, keyword, reason, OBJECT)))
    return Choice(tuple(branches), place, keyword, derived=True)


def _is_closed(facet: ObjectFacet) -> bool:
    return facet.additional is not None and not facet.patterns and is_never(facet.additional)


def _unread(item: SomeProperty) -> Gap:
    return Gap(item.place, item.keyword, "its pattern can't be worked out", OBJECT)


def counts(item: SomeProperty, name: str) -> bool | None:
    """Whether `name` is one of those meant; None where a pattern can't be read."""
    try:
        if item.pattern is not None:
            return pattern(item.pattern).accepts(name)
        return name not in item.names and not any(pattern(p).accepts(name) for p in item.patterns)
    except ConstraintError:
        return None
