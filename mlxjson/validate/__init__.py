"""The finished document against the whole schema: strict JSON, every keyword, formats on.

Importing this package is cheap; jsonschema is imported by the first `prepare`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mlxjson.validate.failure import Failure
from mlxjson.validate.scan import JsonError, Span
from mlxjson.validate.store import read_store
from mlxjson.validate.strict import parse, spans

if TYPE_CHECKING:
    from mlxjson.validate.validator import Validator

__all__ = [
    "Failure",
    "JsonError",
    "Span",
    "check",
    "check_schema",
    "parse",
    "prepare",
    "read_store",
    "spans",
]


def prepare(schema: Any, *, store: Mapping[str, Any] | None = None) -> Validator:
    """Make a schema ready for many documents: see `validator.prepare`."""
    from mlxjson.validate.validator import prepare as build

    return build(schema, store=store)


def check(text: str, schema: Any, *, store: Mapping[str, Any] | None = None) -> Failure | None:
    """Why `text` is not a valid document of `schema`, or None: see `Validator.check`."""
    return prepare(schema, store=store).check(text)


def check_schema(schema: Any) -> None:
    """Raise ConstraintError where `schema` breaks its metaschema: see `validator.check_schema`."""
    from mlxjson.validate.validator import check_schema as run

    run(schema)
