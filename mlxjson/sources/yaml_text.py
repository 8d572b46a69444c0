"""YAML as data: the core schema of YAML 1.2, so that `no` and `2024-01-01` stay strings."""

import re
from math import isfinite
from typing import Any

import yaml

from mlxjson.errors import UsageError

# Aliases let a few lines stand for more values than there is memory.
_MOST_VALUES = 1_000_000
_DEEPEST = 500


def parse_yaml(text: str, where: str) -> Any:
    """The one document of a YAML text, as JSON values; keys become strings.

    Raises: UsageError with line and column.
    """
    try:
        return _Plain(where).value(yaml.load(text, _Loader), 0)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{where}, line {mark.line + 1}, column {mark.column + 1}" if mark else where
        reason = " ".join(part for part in (error.context, error.problem) if part)
        raise UsageError(f"not YAML: {reason}", where=place) from error
    except (yaml.YAMLError, ValueError) as error:
        raise UsageError(f"not YAML: {' '.join(str(error).split())}", where=where) from error
    except RecursionError as error:
        raise UsageError("nested too deeply to be read", where=where) from error


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """A safe loader that knows only the scalars of the core schema, and refuses double keys."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 (so it is in the base class)


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    _check_keys([key for key, _ in node.value])
    loader.flatten_mapping(node)  # merges put their keys first, so that the own ones win
    return {
        loader.construct_object(key): loader.construct_object(value, deep=True)
        for key, value in node.value
    }


def _check_keys(keys: list[yaml.Node]) -> None:
    seen = set()
    for key in keys:
        if not isinstance(key, yaml.ScalarNode):
            raise yaml.MarkedYAMLError(None, None, "a key must be a scalar", key.start_mark)
        if key.value in seen:
            problem = f"the key '{key.value}' is there twice"
            raise yaml.MarkedYAMLError(None, None, problem, key.start_mark)
        seen.add(key.value)


def _scalars() -> None:
    """Section 10.3.2 of the YAML 1.2.2 specification."""
    kinds = [
        ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
        ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
        ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", list("-+0123456789")),
        (
            "float",
            r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?",
            list("-+.0123456789"),
        ),
        ("merge", "<<", ["<"]),
    ]
    for name, pattern, first in kinds:
        _Loader.add_implicit_resolver(
            f"tag:yaml.org,2002:{name}", re.compile(f"(?:{pattern})\\Z"), first
        )
    _Loader.add_constructor("tag:yaml.org,2002:int", _int)
    _Loader.add_constructor("tag:yaml.org,2002:map", _mapping)


def _int(_loader: _Loader, node: yaml.ScalarNode) -> int:
    """`010` is ten, unlike in YAML 1.1."""
    text: str = node.value
    base = {"0o": 8, "0x": 16}.get(text[:2], 10)
    return int(text, base)


_scalars()


class _Plain:
    """Copies values so that nothing is shared, which JSON can't say."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._count = 0

    def value(self, of: Any, depth: int) -> Any:
        self._count += 1
        if self._count > _MOST_VALUES or depth > _DEEPEST:
            raise UsageError("too large or too deep once aliases are followed", where=self._where)
        if isinstance(of, dict):
            return {_key(key): self.value(value, depth + 1) for key, value in of.items()}
        if isinstance(of, list):
            return [self.value(item, depth + 1) for item in of]
        if isinstance(of, float) and not isfinite(of):
            raise UsageError("a number is too large", where=self._where)
        if of is None or isinstance(of, str | bool | int | float):
            return of
        raise UsageError(f"a {type(of).__name__} has no place in JSON", where=self._where)


def _key(key: Any) -> str:
    """A key as JSON would spell it: OpenAPI's status codes are numbers in YAML."""
    if isinstance(key, bool):
        return "true" if key else "false"
    return "null" if key is None else str(key)
