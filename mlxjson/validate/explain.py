"""From jsonschema's errors to the one failure a user hears about, and where it stands."""

from collections.abc import Iterable
from decimal import Decimal
from itertools import islice
from typing import Any

from mlxjson.validate.failure import Failure
from mlxjson.validate.keywords import extra_keys, second_of_equals
from mlxjson.validate.library import jsonschema
from mlxjson.validate.scan import Span, token
from mlxjson.validate.strict import spans

_LOOKED_AT = 200
_LONGEST_VALUE = 40
_LONGEST_MESSAGE = 160
_NEED_MORE = {
    "required", "minProperties", "minItems", "minLength", "contains", "minContains",
    "dependentRequired",
}  # fmt: skip


def first_failure(errors: Iterable[Any], text: str) -> Failure | None:
    """The failure that comes first in the text, each error replaced by its most telling cause."""
    best = jsonschema.exceptions.best_match
    leaves = [best([error]) for error in islice(errors, _LOOKED_AT)]
    if not leaves:
        return None
    places = spans(text)
    return min((_failure(leaf, places) for leaf in leaves), key=lambda f: f.offset or 0)


def _failure(error: Any, places: dict[str, Span]) -> Failure:
    path = list(error.absolute_path)
    pointer = "".join(map(token, path))
    keyword = error.validator or "false"
    return Failure(
        pointer=pointer,
        keyword=keyword,
        message=message(keyword, error),
        span=places.get(pointer),
        offset=_offset(error, keyword, pointer, places),
        schema_pointer="".join(map(token, error.absolute_schema_path)),
    )


def _offset(error: Any, keyword: str, pointer: str, places: dict[str, Span]) -> int | None:
    excess = _excess(keyword, error)
    if excess is not None:
        pointer += token(excess)
    if pointer not in places:
        return None
    start, end = places[pointer]
    return end - 1 if keyword in _NEED_MORE else start


def _excess(keyword: str, error: Any) -> str | int | None:
    """The member of a container without which the keyword might hold."""
    value, instance = error.validator_value, error.instance
    match keyword:
        case "additionalProperties" if isinstance(instance, dict):
            return next(extra_keys(instance, error.schema), None)
        case "uniqueItems":
            return second_of_equals(instance)
        case "maxItems":
            return int(value)
        case "items" | "additionalItems":
            return _listed(error.schema)
        case "maxProperties":
            return str(list(instance)[int(value)])
        case _:
            return None


def _listed(schema: Any) -> int:
    """How many items a schema lists one by one, before those of `items` or `additionalItems`."""
    items = schema.get("items")
    return len(items if isinstance(items, list) else schema.get("prefixItems", []))


def message(keyword: str, error: Any) -> str:
    """The clause for a failed keyword."""
    text = _clause(keyword, error.validator_value, error.instance, error.schema)
    return text if len(text) <= _LONGEST_MESSAGE else text[: _LONGEST_MESSAGE - 1] + "…"


def _clause(keyword: str, value: Any, instance: Any, schema: Any) -> str:
    shown = short(instance)
    match keyword:
        case "type":
            names = value if isinstance(value, list) else [value]
            return f"{shown} is not of type {' or '.join(map(str, names))}"
        case "required" | "dependentRequired" | "dependencies":
            return f"{_missing(keyword, value, instance)} is missing"
        case "enum":
            return f"{shown} is not one of {short(value, _LONGEST_MESSAGE // 2)}"
        case "const":
            return f"{shown} is not {short(value)}"
        case "pattern":
            return f"{shown} does not match {value}"
        case "format":
            return f"{shown} is not a valid {value}"
        case "additionalProperties" if isinstance(instance, dict):
            return f"the key {short(next(extra_keys(instance, schema), ''))} is not allowed"
        case "unevaluatedProperties" | "unevaluatedItems" | "false":
            return f"{shown} is not allowed here"
        case "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties":
            return f"{shown} has {_size(instance)}, not {_bound(keyword)} {short(value)}"
        case "items" | "additionalItems":
            return f"{shown} has {_size(instance)}, not at most {_listed(schema)}"
        case "maxProperties" | "minContains" | "maxContains":
            return f"{shown} has {_size(instance)}: {keyword} is {short(value)}"
        case _:
            return _COMPARED.get(keyword, "{} fails {}").format(
                shown, short(value) if keyword in _COMPARED else keyword
            )


_COMPARED = {
    "minimum": "{} is less than {}",
    "maximum": "{} is more than {}",
    "exclusiveMinimum": "{} is not more than {}",
    "exclusiveMaximum": "{} is not less than {}",
    "multipleOf": "{} is not a multiple of {}",
    "divisibleBy": "{} is not a multiple of {}",
    "uniqueItems": "{} holds the same item twice",
    "contains": "{} holds no item like {}",
    "anyOf": "{} fits none of the alternatives",
    "oneOf": "{} does not fit exactly one alternative",
    "not": "{} is what the schema excludes",
}


def _bound(keyword: str) -> str:
    return "at least" if keyword.startswith("min") else "at most"


def _size(instance: Any) -> str:
    units = {"str": "character", "list": "item", "dict": "key"}
    unit = units[type(instance).__name__]
    return f"{len(instance)} {unit}{'' if len(instance) == 1 else 's'}"


def _missing(keyword: str, value: Any, instance: Any) -> str:
    if keyword == "required":
        names = value
    else:
        wanted = (names for key, names in value.items() if key in instance)
        names = [name for names in wanted if isinstance(names, list) for name in names]
    return short(next((name for name in names if name not in instance), "a key"))


def short(value: Any, limit: int = _LONGEST_VALUE) -> str:
    """A JSON value as JSON, cut to `limit` characters."""
    text = "".join(islice(_pieces(value), limit))
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _pieces(value: Any) -> Iterable[str]:
    """JSON text piece by piece, so that only the beginning of a large value is written."""
    import json

    if isinstance(value, Decimal):
        yield str(value)
    elif isinstance(value, str):
        yield json.dumps(value[: _LONGEST_MESSAGE * 2], ensure_ascii=False)
    elif isinstance(value, list):
        yield "["
        for index, item in enumerate(value):
            yield ", " if index else ""
            yield from _pieces(item)
        yield "]"
    elif isinstance(value, dict):
        yield "{"
        for index, (key, item) in enumerate(value.items()):
            yield (", " if index else "") + json.dumps(key, ensure_ascii=False) + ": "
            yield from _pieces(item)
        yield "}"
    else:
        yield json.dumps(value)
