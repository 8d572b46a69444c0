"""What a subschema says: the items whose conjunction it is, in the order of its keywords."""

from collections.abc import Iterator, Mapping
from typing import Any

from mlxjson.schema import applicators, arrays, literals, numbers, objects, strings
from mlxjson.schema.items import (
    ARRAY,
    BOOLEAN,
    NULL,
    NUMBER,
    OBJECT,
    STRING,
    Item,
    Items,
    Never,
    NumberFacet,
    Types,
    Watched,
)
from mlxjson.schema.places import Place

_MASKS = {
    "null": NULL, "boolean": BOOLEAN, "number": NUMBER, "integer": NUMBER, "string": STRING,
    "array": ARRAY, "object": OBJECT,
}  # fmt: skip
_FAMILIES = {
    **dict.fromkeys(numbers.KEYWORDS, "numbers"),
    **dict.fromkeys(strings.KEYWORDS, "strings"),
    **dict.fromkeys(arrays.KEYWORDS, "arrays"),
    **dict.fromkeys(objects.KEYWORDS, "objects"),
    "enum": "literals",
    "const": "literals",
}
_READERS = {
    "numbers": numbers.read,
    "strings": strings.read,
    "arrays": arrays.read,
    "objects": objects.read,
    "literals": literals.read,
}


def items_of(place: Place) -> Items:
    """The conjunction that `place` stands for, read once."""
    if place.items is None:
        place.items = tuple(_read(place))
    return place.items


def _read(place: Place) -> Iterator[Item]:
    schema = place.schema
    if schema is True:
        return
    if schema is False:
        yield Never("false allows no value", place)
        return
    keywords = place.dialect.keywords
    if place.dialect.ref_alone and "$ref" in schema:
        yield from applicators.read_reference(place, schema, "$ref")
        return
    inner = tuple(_keywords(place, schema, keywords))
    watch = keywords & {"unevaluatedProperties", "unevaluatedItems"} & schema.keys()
    yield from (_watched(place, schema, inner, watch),) if watch else inner


def _keywords(place: Place, schema: Mapping[str, Any], keywords: frozenset[str]) -> Iterator[Item]:
    done: set[str] = set()
    for keyword in schema:
        if keyword not in keywords:
            continue
        family = _FAMILIES.get(keyword)
        if family is not None:
            if family not in done:
                done.add(family)
                yield from _READERS[family](place, schema, keywords)
        elif keyword == "type":
            yield from _type(place, schema)
        elif keyword in applicators.COMBINATIONS:
            yield from applicators.read_combination(place, schema, keyword, keywords)
        elif keyword in applicators.REFERENCES:
            yield from applicators.read_reference(place, schema, keyword)
        elif keyword in applicators.DEPENDENCIES:
            yield from applicators.read_dependency(place, schema, keyword)


def _type(place: Place, schema: Mapping[str, Any]) -> Iterator[Item]:
    """`type`, with OpenAPI 3.0's `nullable` beside it."""
    value = schema["type"]
    names = value if isinstance(value, list) else [value]
    mask = 0
    for name in names:
        if not isinstance(name, str) or name not in _MASKS:
            raise place.error(f"there is no type {name!r}", "type")
        mask |= _MASKS[name]
    if schema.get("nullable") is True and "nullable" in place.dialect.keywords:
        mask |= NULL
    yield Types(mask, place)
    if "integer" in names and "number" not in names:
        yield NumberFacet(place, "type", integer=True, plain=place.dialect.plain_integers)


def _watched(
    place: Place, schema: Mapping[str, Any], inner: Items, watch: frozenset[str] | set[str]
) -> Watched:
    """`unevaluatedProperties` and `unevaluatedItems`, which see what all the others say."""

    def child(keyword: str) -> Items | None:
        if keyword not in watch:
            return None
        return (place.world.child(place, schema[keyword], keyword),)

    return Watched(inner, child("unevaluatedProperties"), child("unevaluatedItems"), place)
