"""Documents of JSON or YAML: a whole one, or the schema at a pointer into one."""

from typing import Any

from mlxjson.errors import UsageError
from mlxjson.inputs import STDIN, Inputs, parse_json

_YAML = (".yaml", ".yml")


def read_document(name: str, inputs: Inputs, purpose: str) -> Any:
    """What a file or standard input holds: YAML by the file's ending or, on stdin, by its look.

    Raises: UsageError with line and column.
    """
    text = inputs.text(name, purpose)
    if name == STDIN:
        return _parse(text, "standard input", is_yaml=not _looks_like_json(text))
    return _parse(text, name, is_yaml=name.lower().endswith(_YAML))


def read_schema(name: str, pointer: str | None, inputs: Inputs) -> Any:
    """The schema in a file, or the one at a JSON Pointer into it. Raises: UsageError."""
    document = read_document(name, inputs, "schema")
    if pointer is None:
        return _whole(document, name)
    from mlxjson.sources.pointer import schema_at

    return schema_at(document, pointer, name)


def _parse(text: str, where: str, *, is_yaml: bool) -> Any:
    if not is_yaml:
        return parse_json(text, where)
    from mlxjson.sources.yaml_text import parse_yaml

    return parse_yaml(text, where)


def _looks_like_json(text: str) -> bool:
    start = text.lstrip()
    return not start or start[0] in '{["' or start.split()[0] in ("true", "false", "null")


def _whole(document: Any, name: str) -> Any:
    """A document as a schema; an API description is none, and would silently allow anything."""
    if isinstance(document, dict) and ("openapi" in document or "swagger" in document):
        from mlxjson.sources.pointer import pointers

        near = ", ".join(f"'{name}#{pointer}'" for pointer in pointers(document)[:4])
        raise UsageError(
            "this is an API description, not a schema",
            where=name,
            hint=f"Name one of its schemas: {near or name + '#/components/schemas/NAME'}.",
        )
    return document
