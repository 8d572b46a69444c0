"""Keywords for objects.

Source: JSON Schema core 2020-12, sections 10.3.2 (properties, patternProperties,
additionalProperties, propertyNames) and 11.3 (unevaluatedProperties); validation, section 6.5.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from mlxjson.schema.items import OBJECT, Gap, Item, Items, Never, ObjectFacet, Types
from mlxjson.schema.places import Place
from mlxjson.schema.strings import count

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
    for items in (*(items for _, items in facet.patterns), facet.additional or ()):
        wrong = opposite(items)
        if wrong is not None:
            yield _broken_other(facet, wrong, mapping)
    if facet.names is not None and (wrong := opposite(facet.names)) is not None:
        yield _broken_other(facet, wrong, mapping)


def _broken_other(facet: ObjectFacet, wrong: Items, mapping: Types) -> Items:
    """A property that is not named but wrong."""
    place, keyword = facet.place, facet.keyword
    more = ObjectFacet(place, keyword, min_properties=1)
    alone = not facet.properties and not facet.patterns
    if not wrong and alone:
        return mapping, more
    reason = "a wrong property without a known name can't be described"
    return mapping, more, Gap(place, keyword, reason, OBJECT)
