"""Documents of JSON or YAML: a whole one, or the schema at a pointer into one."""

from typing import Any

from mlxjson.errors import ConstraintError, UsageError
from mlxjson.inputs import STDIN, Inputs, parse_json

_YAML = (".yaml", ".yml")


def read_document(name: str, inputs: Inputs, purpose: str) -> Any:
    """What a file or standard input holds: YAML by the file's ending or, on stdin, by its look.

    Raises: UsageError with line and column.
    """
    text = inputs.text(name, purpose)
    is_yaml = not _looks_like_json(text) if name == STDIN else name.lower().endswith(_YAML)
    return _parse(text, _shown(name), is_yaml=is_yaml)


def _shown(name: str) -> str:
    return "standard input" if name == STDIN else name


def read_schema(name: str, pointer: str | None, inputs: Inputs) -> Any:
    """The schema in a file, or the one at a JSON Pointer into it.

    Raises: UsageError, ConstraintError.
    """
    document = read_document(name, inputs, "schema")
    found = _whole(document, name) if pointer is None else _part(document, pointer, name)
    if found is None:  # which elsewhere stands for no schema at all
        raise ConstraintError("a schema is an object or a boolean, not null", where=_shown(name))
    return found


def _part(document: Any, pointer: str, name: str) -> Any:
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
