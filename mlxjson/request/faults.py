"""What is said of a body that is wrong, and which of its fields are not known."""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from mlxjson.errors import UsageError
from mlxjson.request.body import Body

_PREFIX = "Input "

# Fields with these values ask for nothing, known or not.
_NEUTRAL: dict[str, Any] = {"frequency_penalty": 0, "presence_penalty": 0, "min_p": 0,
                            "repetition_penalty": 1, "best_of": 1, "echo": False}  # fmt: skip


def read_body(value: Any, where: str) -> Body:
    """The body in parsed JSON.

    Raises: UsageError with the JSON Pointer of what is of the wrong type or out of range.
    """
    try:
        return Body.model_validate(value)
    except ValidationError as error:
        pointer, message = _worst(error, value)
        raise UsageError(f"{pointer or 'the body'}: {message}", where=where) from error


def unknown_fields(body: Body) -> list[str]:
    """JSON Pointers of the fields that are not known and not neutral."""
    return list(_unknown(body, ""))


def _unknown(model: BaseModel, pointer: str) -> Iterator[str]:
    for name, value in (model.model_extra or {}).items():
        if value not in (None, [], {}) and (name not in _NEUTRAL or value != _NEUTRAL[name]):
            yield f"{pointer}/{_escaped(name)}"
    for name, info in type(model).model_fields.items():
        value = getattr(model, name)
        at = f"{pointer}/{info.alias or name}"
        for index, each in enumerate(value if isinstance(value, list) else ()):
            if isinstance(each, BaseModel):
                yield from _unknown(each, f"{at}/{index}")
        if isinstance(value, BaseModel):
            yield from _unknown(value, at)


def _worst(error: ValidationError, value: Any) -> tuple[str, str]:
    """The fault that lies deepest, with all that may stand at its place."""
    found: dict[str, list[str]] = {}
    for fault in error.errors(include_url=False):
        is_missing = fault["type"] == "missing"
        found.setdefault(_pointer(fault["loc"], value, is_missing), []).append(fault["msg"])
    pointer = max(found, key=lambda p: p.count("/"))
    return pointer, _joined(list(dict.fromkeys(found[pointer])))


def _pointer(location: Sequence[int | str], value: Any, is_missing: bool) -> str:
    """The location without the names of alternatives, which are not in the body."""
    pointer = ""
    for at, token in enumerate(location):
        is_there = token in value if isinstance(value, dict) else isinstance(token, int)
        if is_there and isinstance(value, dict | list):
            value = value[token]  # type: ignore[index]
            pointer += f"/{_escaped(str(token))}"
        elif is_missing and at == len(location) - 1:
            pointer += f"/{token}"
    return pointer


def _joined(messages: list[str]) -> str:
    if len(messages) == 1:
        return messages[0].removeprefix(_PREFIX)
    start = f"{_PREFIX}should be "
    return f"should be {' or '.join(message.removeprefix(start) for message in messages)}"


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
