"""`unevaluatedProperties` and `unevaluatedItems`: what the rest of a schema has looked at.

JSON Schema 2020-12, section 11 of the core specification, and 2019-09, section 9.3. A subschema
counts only where it succeeds.
"""

from collections.abc import Callable, Iterator
from typing import Any

from referencing.jsonschema import lookup_recursive_ref

from mlxjson.validate.keywords import Errors, ValidationError
from mlxjson.validate.patterns import matches

Own = Callable[[Any, Any, Any], Iterator[Any]]


def unevaluated_properties(validator: Any, subschema: Any, instance: Any, schema: Any) -> Errors:
    """Keys that nothing else has looked at must satisfy `subschema`."""
    if not validator.is_type(instance, "object"):
        return
    looked_at = set(_evaluated(validator, instance, schema, _own_keys, "unevaluatedProperties"))
    for key in instance:
        if key not in looked_at:
            yield from _leftover(validator, instance[key], subschema, key)


def unevaluated_items(validator: Any, subschema: Any, instance: Any, schema: Any) -> Errors:
    """Items that nothing else has looked at must satisfy `subschema`."""
    if not validator.is_type(instance, "array"):
        return
    looked_at = set(_evaluated(validator, instance, schema, _own_items, "unevaluatedItems"))
    for index, item in enumerate(instance):
        if index not in looked_at:
            yield from _leftover(validator, item, subschema, index)


def _leftover(validator: Any, value: Any, subschema: Any, step: str | int) -> Errors:
    if subschema is False:
        yield ValidationError("unevaluated", path=[step], instance=value)
    else:
        yield from validator.descend(value, subschema, path=step)


def _evaluated(
    validator: Any, instance: Any, schema: Any, own: Own, skip: str = ""
) -> Iterator[Any]:
    """The keys or indexes looked at by `schema` and the subschemas that apply in place."""
    if not isinstance(schema, dict):
        return
    yield from own(validator, instance, {k: v for k, v in schema.items() if k != skip})
    for inner, subschema in _in_place(validator, instance, schema):
        yield from _evaluated(inner, instance, subschema, own)


def _own_keys(validator: Any, instance: dict[str, Any], schema: Any) -> Iterator[str]:
    named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    others = "additionalProperties" in schema or "unevaluatedProperties" in schema
    for key in instance:
        if others or key in named or any(matches(source, key) for source in patterns):
            yield key


def _own_items(validator: Any, instance: list[Any], schema: Any) -> Iterator[int]:
    items, prefix = schema.get("items"), schema.get("prefixItems", [])
    if isinstance(items, list):
        items, prefix = schema.get("additionalItems"), items
    if items is not None or "unevaluatedItems" in schema:
        prefix = instance
    yield from range(len(prefix))
    if "contains" in schema and "prefixItems" in validator.VALIDATORS:
        inner = validator.evolve(schema=schema["contains"])
        yield from (index for index, item in enumerate(instance) if inner.is_valid(item))


def _in_place(validator: Any, instance: Any, schema: Any) -> Iterator[tuple[Any, Any]]:
    """(validator, subschema) of every subschema that applies to the same instance and succeeds."""
    yield from _references(validator, schema)
    for subschema in _candidates(instance, schema):
        inner = _inside(validator, subschema)
        if inner.is_valid(instance):
            yield inner, subschema
    if "if" in schema:
        condition = _inside(validator, schema["if"])
        holds = condition.is_valid(instance)
        if holds:
            yield condition, schema["if"]
        branch = schema.get("then" if holds else "else", True)
        yield _inside(validator, branch), branch


def _candidates(instance: Any, schema: Any) -> Iterator[Any]:
    for keyword in ("allOf", "anyOf", "oneOf"):
        yield from schema.get(keyword, ())
    for keyword in ("dependentSchemas", "dependencies"):
        for key, subschema in schema.get(keyword, {}).items():
            if isinstance(instance, dict) and key in instance and not isinstance(subschema, list):
                yield subschema


def _references(validator: Any, schema: Any) -> Iterator[tuple[Any, Any]]:
    for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
        if keyword not in schema or keyword not in validator.VALIDATORS:
            continue
        if keyword == "$recursiveRef":
            found = lookup_recursive_ref(validator._resolver)
        else:
            found = validator._resolver.lookup(schema[keyword])
        inner = validator.evolve(schema=found.contents, _resolver=found.resolver)
        yield inner, found.contents


def _inside(validator: Any, subschema: Any) -> Any:
    """The validator of a subschema, which may have a base URI of its own."""
    resource = validator.SPECIFICATION.create_resource(subschema)
    resolver = validator._resolver.in_subresource(resource)
    return validator.evolve(schema=subschema, _resolver=resolver)
