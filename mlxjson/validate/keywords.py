"""The keywords that jsonschema reads otherwise than we need, as its validator functions.

Each takes (validator, value of the keyword, instance, schema) and yields ValidationErrors. Their
texts are never shown: `failure` writes the messages from keyword and value.
"""

import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from mlxjson.errors import ConstraintError
from mlxjson.validate.exact import identity, is_multiple
from mlxjson.validate.formats import conforms
from mlxjson.validate.library import jsonschema
from mlxjson.validate.patterns import matches

ValidationError: Any = jsonschema.exceptions.ValidationError
Errors = Iterator[Any]
Keyword = Callable[[Any, Any, Any, Any], Any]

TIME_LIMIT = 10.0


@dataclass(slots=True)
class Watch:
    """One validation: when it must end, and the references being followed, with their instances."""

    end: float = field(default_factory=lambda: time.monotonic() + TIME_LIMIT)
    active: set[tuple[int, int]] = field(default_factory=set)


watch: ContextVar[Watch] = ContextVar("watch")


def nullable_type(stock: Keyword) -> Keyword:
    """`type`, to which OpenAPI 3.0's `nullable` in the same schema adds null."""

    def check(validator: Any, wanted: Any, instance: Any, schema: Any) -> Errors:
        if instance is not None or schema.get("nullable") is not True:
            yield from stock(validator, wanted, instance, schema)

    return check


def enum(_validator: Any, values: Any, instance: Any, _schema: Any) -> Errors:
    """`enum`, comparing numbers by value and never a number with a boolean."""
    own = identity(instance)
    if not any(own == identity(value) for value in values):
        yield ValidationError("enum")


def const(_validator: Any, value: Any, instance: Any, _schema: Any) -> Errors:
    """`const`, compared as in `enum`."""
    if identity(value) != identity(instance):
        yield ValidationError("const")


def multiple_of(validator: Any, step: Any, instance: Any, _schema: Any) -> Errors:
    """`multipleOf`, in decimal arithmetic."""
    if validator.is_type(instance, "number") and not is_multiple(instance, step):
        yield ValidationError("multipleOf")


def unique_items(validator: Any, wanted: Any, instance: Any, _schema: Any) -> Errors:
    """`uniqueItems`, in time linear in the size of the array."""
    if wanted and validator.is_type(instance, "array") and second_of_equals(instance) is not None:
        yield ValidationError("uniqueItems")


def second_of_equals(items: list[Any]) -> int | None:
    """The index of the first item that equals an earlier one."""
    seen = set()
    for index, item in enumerate(items):
        key = identity(item)
        if key in seen:
            return index
        seen.add(key)
    return None


def pattern(validator: Any, source: Any, instance: Any, _schema: Any) -> Errors:
    """`pattern`, as ECMA-262."""
    if validator.is_type(instance, "string") and not matches(source, instance):
        yield ValidationError("pattern")


def formats(validator: Any, name: Any, instance: Any, _schema: Any) -> Errors:
    """`format`, asserted whatever the draft: who writes `date` in draft 4 means a date too."""
    if validator.is_type(instance, "string") and not conforms(name, instance):
        yield ValidationError("format")


def pattern_properties(validator: Any, patterns: Any, instance: Any, _schema: Any) -> Errors:
    """`patternProperties`, its patterns as in `pattern`."""
    if not validator.is_type(instance, "object"):
        return
    for source, subschema in patterns.items():
        for key, value in instance.items():
            if matches(source, key):
                yield from validator.descend(value, subschema, path=key, schema_path=source)


def extra_keys(instance: dict[str, Any], schema: Any) -> Iterator[str]:
    """The keys of `instance` that neither `properties` nor `patternProperties` name."""
    named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    for key in instance:
        if key not in named and not any(matches(source, key) for source in patterns):
            yield key


def additional_properties(validator: Any, subschema: Any, instance: Any, schema: Any) -> Errors:
    """`additionalProperties`; the error of `false` is the object's, not the extra value's."""
    if not validator.is_type(instance, "object"):
        return
    for key in extra_keys(instance, schema):
        if subschema is False:
            yield ValidationError("additionalProperties")
            return
        yield from validator.descend(instance[key], subschema, path=key)


def required(validator: Any, names: Any, instance: Any, _schema: Any) -> Errors:
    """`required`; the booleans that draft 3 wrote inside a property are passed over."""
    if validator.is_type(instance, "object") and not isinstance(names, bool):
        for name in names:
            if name not in instance:
                yield ValidationError("required")


def exclusive(bound: str, stock: Keyword) -> Keyword:
    """`exclusiveMinimum` or `exclusiveMaximum`; draft 4's booleans make `bound` strict."""

    def check(validator: Any, limit: Any, instance: Any, schema: Any) -> Errors:
        if not isinstance(limit, bool):
            yield from stock(validator, limit, instance, schema)
        elif limit and bound in schema:
            yield from stock(validator, schema[bound], instance, schema)

    return check


def items_array(validator: Any, subschemas: Any, instance: Any, schema: Any) -> Errors:
    """`items` as an array with `additionalItems`: what `prefixItems` was before 2020-12."""
    if not validator.is_type(instance, "array"):
        return
    rest = schema.get("additionalItems", True)
    for index, item in enumerate(instance):
        subschema = subschemas[index] if index < len(subschemas) else rest
        yield from validator.descend(item, subschema, path=index, schema_path=index)


def items_or_array(stock: Keyword) -> Keyword:
    """`items` of 2020-12, which also understands the array form of before."""

    def check(validator: Any, value: Any, instance: Any, schema: Any) -> Errors:
        use = items_array if isinstance(value, list) else stock
        yield from use(validator, value, instance, schema)

    return check


def reference(stock: Keyword) -> Keyword:
    """`$ref` and its kin: only through references can the work be unbounded, so it is watched."""

    def check(validator: Any, target: Any, instance: Any, schema: Any) -> Errors:
        run, place = watch.get(), (id(schema), id(instance))
        if place in run.active:
            raise ConstraintError(f"the schema refers to itself without end, through {target!r}")
        if time.monotonic() > run.end:
            raise ConstraintError(f"validating takes longer than {TIME_LIMIT:g} s")
        run.active.add(place)
        try:
            yield from stock(validator, target, instance, schema)
        except jsonschema.exceptions._WrappedReferencingError:
            raise unresolved(target) from None
        finally:
            run.active.discard(place)

    return check


def unresolved(target: str) -> ConstraintError:
    """The error for a reference that leads nowhere."""
    if target.startswith("#"):
        return ConstraintError(f"nothing stands where the reference {target!r} leads")
    return ConstraintError(
        f"the reference {target!r} leads to a schema that is not here",
        hint="remote schemas are not fetched: put the schema under $defs, or give a local copy",
    )
