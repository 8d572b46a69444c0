"""A schema from an example: what its values have in common."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

_FORMATS = {
    "date": re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", re.ASCII),
    "date-time": re.compile(
        r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?"
        r"(Z|[+-]([01]\d|2[0-3]):[0-5]\d)",
        re.ASCII,
    ),
    "email": re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)+", re.ASCII),
    "uuid": re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
    "uri": re.compile(r"https?://[!-~]+"),
}


def infer(example: Any) -> dict[str, Any]:
    """The schema of documents like `example` (parsed JSON).

    Every field is required and no other allowed; the items of an array are taken together, so a
    field that some lack is optional. Dates, e-mail addresses, UUIDs and web addresses are kept as
    formats where every value is one.
    """
    return _common([example])


def _common(values: Sequence[Any]) -> dict[str, Any]:
    """A schema that all of `values` satisfy."""
    kinds = dict.fromkeys(map(_kind, values))
    if "number" in kinds:
        kinds.pop("integer", None)
    if not kinds:
        return {}
    made = [_of_kind(kind, [v for v in values if _fits(v, kind)]) for kind in kinds]
    if len(made) == 1:
        return made[0]
    if all(list(schema) == ["type"] for schema in made):
        return {"type": [schema["type"] for schema in made]}
    return {"anyOf": made}


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array"}
    return kinds.get(type(value), "object")


def _fits(value: Any, kind: str) -> bool:
    return _kind(value) == kind or (kind == "number" and _kind(value) == "integer")


def _of_kind(kind: str, values: list[Any]) -> dict[str, Any]:
    match kind:
        case "object":
            return _object(values)
        case "array":
            return {"type": "array", "items": _common([item for value in values for item in value])}
        case "string":
            return {"type": "string", **_format(values)}
        case _:
            return {"type": kind}


def _object(values: list[dict[str, Any]]) -> dict[str, Any]:
    names = dict.fromkeys(name for value in values for name in value)
    properties = {name: _common([v[name] for v in values if name in v]) for name in names}
    required = [name for name in names if all(name in value for value in values)]
    made: dict[str, Any] = {"type": "object", "properties": properties}
    made |= {"required": required} if required else {}
    return made | {"additionalProperties": False}


def _format(values: Iterable[str]) -> dict[str, str]:
    for name, pattern in _FORMATS.items():
        if all(pattern.fullmatch(value) for value in values):
            return {"format": name}
    return {}
