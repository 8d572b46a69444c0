"""A schema inside a document: cut out, with the schemas it refers to under `$defs`.

JSON Pointer is RFC 6901, as a URI fragment. OpenAPI 3.0 and Swagger 2.0 spell some things their own
way, and are translated.
"""

import difflib
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from mlxjson.errors import UsageError

_ONE = frozenset({
    "additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items",
    "not", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
})  # fmt: skip
_SEVERAL = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
_NAMED = frozenset({
    "$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties",
})  # fmt: skip
_HOMES = ("/components/schemas", "/definitions", "/$defs")

Change = Callable[[dict[str, Any]], dict[str, Any]]


def schema_at(document: Any, pointer: str, where: str) -> Any:
    """The schema at `pointer`, on its own.

    Local references stay resolvable: what they reach is moved to `$defs`. Others are left.

    Raises: UsageError when there is nothing at a pointer.
    """
    cut = _Cut(document, where)
    target = resolve(document, unquote(pointer), where)
    try:
        made = cut.schema(target)
    except RecursionError as error:
        raise UsageError("nested too deeply to be read", where=where) from error
    if isinstance(made, dict) and cut.definitions:
        made = {**made, "$defs": {**made.get("$defs", {}), **cut.definitions}}
    return {"$schema": cut.dialect, **made} if cut.dialect and isinstance(made, dict) else made


def resolve(document: Any, pointer: str, where: str) -> Any:
    """The value at a JSON Pointer.

    Raises: UsageError that says how far it goes, and what is near there.
    """
    if pointer and not pointer.startswith("/"):
        raise UsageError(
            "a pointer begins with '/'", where=f"{where}#{pointer}", hint=_known(document, where)
        )
    value, done = document, ""
    for token in pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        try:
            value = value[int(key)] if isinstance(value, list) else value[key]
        except (KeyError, IndexError, ValueError, TypeError) as error:
            raise _missing(document, value, key, done, where) from error
        done += f"/{token}"
    return value


def pointers(document: Any) -> list[str]:
    """Pointers to the named schemas of a document."""
    found = []
    for home in _HOMES:
        value = document
        for key in home.split("/")[1:]:
            value = value.get(key) if isinstance(value, dict) else None
        found += [f"{home}/{_escaped(key)}" for key in value or () if isinstance(value, dict)]
    return found


class _Cut:
    """Copies a schema out of its document, and collects what it refers to."""

    def __init__(self, document: Any, where: str) -> None:
        self._document = document
        self._where = where
        self._names: dict[str, str] = {}
        self.definitions: dict[str, Any] = {}
        self.dialect, self._change = _dialect(document)

    def schema(self, of: Any) -> Any:
        """`of` with references rewritten. Data such as `enum` and `default` stays as it is."""
        if not isinstance(of, dict):
            return of
        made = {key: self._value(key, value) for key, value in self._change(of).items()}
        if isinstance(reference := made.get("$ref"), str) and _is_local(reference):
            made["$ref"] = f"#/$defs/{self._name(reference[1:])}"
        return made

    def _value(self, key: str, value: Any) -> Any:
        if key in _NAMED and isinstance(value, dict):
            return {name: self.schema(schema) for name, schema in value.items()}
        if key in _SEVERAL and isinstance(value, list):
            return [self.schema(schema) for schema in value]
        return self.schema(value) if key in _ONE else value

    def _name(self, fragment: str) -> str:
        """The name under `$defs` of what a reference points to."""
        pointer = unquote(fragment)
        if pointer not in self._names:
            target = resolve(self._document, pointer, self._where)
            name = self._names[pointer] = self._unused(pointer)
            self.definitions[name] = None  # keeps the place, in the order of first mention
            self.definitions[name] = self.schema(target)
        return self._names[pointer]

    def _unused(self, pointer: str) -> str:
        last = pointer.rpartition("/")[2]
        base = "".join(c if c.isalnum() or c in "._-" else "_" for c in last) or "root"
        name = base
        number = 2
        while name in self._names.values():
            name, number = f"{base}_{number}", number + 1
        return name


def _is_local(reference: str) -> bool:
    return reference == "#" or reference.startswith("#/")


def _dialect(document: Any) -> tuple[str | None, Change]:
    """The `$schema` that holds in a document, and how its schemas are translated to it."""
    if not isinstance(document, dict):
        return None, dict
    version = str(document.get("openapi", document.get("swagger", "")))
    if version.startswith(("2", "3.0")):
        from mlxjson.sources.openapi import DIALECT, plain

        return DIALECT, plain
    named = document.get("jsonSchemaDialect" if version else "$schema")
    is_known = isinstance(named, str) and "spec.openapis.org" not in named
    return (named if is_known else None), dict


def _missing(document: Any, value: Any, key: str, done: str, where: str) -> UsageError:
    keys = [str(k) for k in value] if isinstance(value, dict) else []
    near = difflib.get_close_matches(key, keys, 1, 0.6)
    hint = f"Did you mean '{where}#{done}/{_escaped(near[0])}'?" if near else ""
    return UsageError(
        f"there is no '{key}' at {done or 'the top'}",
        where=where,
        hint=hint or _known(document, where),
    )


def _known(document: Any, where: str) -> str:
    some = pointers(document)[:4]
    return f"There are: {', '.join(f'{where}#{pointer}' for pointer in some)}." if some else ""


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
