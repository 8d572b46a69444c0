"""Keywords that apply subschemas to the same value: references, combinations and conditions.

Source: JSON Schema core 2020-12, sections 8.2.3 ($ref, $dynamicRef), 10.2.1 (allOf, anyOf, oneOf,
not), 10.2.2 (if, then, else, dependentSchemas); validation, section 6.5.4 (dependentRequired);
draft 7, section 6.5.7 (dependencies).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from mlxjson.schema.items import OBJECT, Choice, Item, Items, Negation, OneOf, Types
from mlxjson.schema.objects import forbid, require
from mlxjson.schema.places import Place

REFERENCES = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})
COMBINATIONS = frozenset({"allOf", "anyOf", "oneOf", "not", "if"})
DEPENDENCIES = frozenset({"dependentSchemas", "dependentRequired", "dependencies"})


def read_reference(place: Place, schema: Mapping[str, Any], keyword: str) -> Iterator[Item]:
    """The place that a reference leads to."""
    reference = schema[keyword]
    if not isinstance(reference, str):
        raise place.error(f"{keyword} must be a string", keyword)
    if keyword == "$ref":
        yield place.world.refer(place, reference)
    elif keyword == "$dynamicRef":
        yield place.world.refer_dynamically(place, reference)
    else:
        yield place.world.refer_recursively(place, reference)


def read_combination(
    place: Place, schema: Mapping[str, Any], keyword: str, keywords: frozenset[str]
) -> Iterator[Item]:
    """`allOf`, `anyOf`, `oneOf`, `not` or `if`."""
    if keyword == "not":
        yield negation(place.world.child(place, schema["not"], "not"))
    elif keyword == "if":
        yield from _condition(place, schema, keywords)
    else:
        branches = _branches(place, schema[keyword], keyword)
        if keyword == "allOf":
            yield from (item for branch in branches for item in branch)
        elif keyword == "anyOf":
            yield Choice(branches, place, keyword)
        else:
            yield OneOf(branches, place)


def negation(place: Place) -> Negation:
    """The negation of a place, one for each."""
    if place.negation is None:
        place.negation = Negation(place)
    return place.negation


def _branches(place: Place, value: Any, keyword: str) -> tuple[Items, ...]:
    if not isinstance(value, list) or not value:
        raise place.error(f"{keyword} must be an array with at least one schema", keyword)
    return tuple(
        (place.world.child(place, each, keyword, str(index)),) for index, each in enumerate(value)
    )


def _condition(place: Place, schema: Mapping[str, Any], keywords: frozenset[str]) -> Iterator[Item]:
    """`if` with `then` and `else`: one of two conjunctions."""
    test = place.world.child(place, schema["if"], "if")
    if not {"then", "else"} & schema.keys() and not place.world.watched:
        return
    so: list[Item] = [test]
    otherwise: list[Item] = [negation(test)]
    if "then" in schema and "then" in keywords:
        so.append(place.world.child(place, schema["then"], "then"))
    if "else" in schema and "else" in keywords:
        otherwise.append(place.world.child(place, schema["else"], "else"))
    yield Choice((tuple(so), tuple(otherwise)), place, "if")


def read_dependency(place: Place, schema: Mapping[str, Any], keyword: str) -> Iterator[Item]:
    """For each name: it is absent, or it is there and something else holds as well."""
    entries = schema[keyword]
    if not isinstance(entries, dict):
        raise place.error(f"{keyword} must be an object", keyword)
    for name, value in entries.items():
        listed = [value] if isinstance(value, str) and keyword == "dependencies" else value
        then = _consequence(place, keyword, name, listed)
        if then:
            there = (Types(OBJECT, place, keyword), require(place, keyword, name), *then)
            yield Choice(((forbid(place, keyword, name),), there), place, keyword)


def _consequence(place: Place, keyword: str, name: str, value: Any) -> Items:
    if keyword != "dependentSchemas" and isinstance(value, list):
        if not all(isinstance(each, str) for each in value):
            raise place.error(f"{keyword} must list names", keyword)
        return (require(place, keyword, *value),) if value else ()
    if keyword == "dependentRequired":
        raise place.error(f"{keyword} must list names", keyword)
    return (place.world.child(place, value, keyword, name),)
