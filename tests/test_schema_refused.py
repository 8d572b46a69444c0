"""Schemas that are none, or that nothing satisfies, are refused with a place and a reason."""

from typing import Any

import pytest

from mlxjson.errors import ConstraintError, ExitCode
from mlxjson.schema.front import Unsatisfiable, build
from mlxjson.schema.measure import shortest

MALFORMED = [
    ("", 5, "object or a boolean"),
    ("", [], "object or a boolean"),
    ("/type", {"type": 5}, "no type 5"),
    ("/properties/a/type", {"properties": {"a": {"type": "foo"}}}, "no type 'foo'"),
    ("/items", {"items": "x"}, "object or a boolean"),
    ("/minimum", {"minimum": "3"}, "a number"),
    ("/required", {"required": "a"}, "array of strings"),
    ("/anyOf", {"anyOf": []}, "at least one"),
    ("/maxItems", {"maxItems": 1.5}, "whole number"),
    ("/minLength", {"minLength": -1}, "negative"),
    ("/multipleOf", {"multipleOf": 0}, "above 0"),
    ("/enum", {"enum": 5}, "array"),
    ("/if", {"if": 5}, "object or a boolean"),
    ("/maxLength", {"maxLength": float("inf")}, "whole number"),
]  # fmt: skip
EMPTY = [
    ("", {"type": "integer", "minimum": 5, "maximum": 3}, "minimum 5 and maximum 3"),
    ("/properties/a", {"required": ["a"], "type": "object", "properties": {
        "a": {"type": "string", "minLength": 4, "maxLength": 2}}}, "minLength 4"),
    ("", {"type": "array", "minItems": 3, "maxItems": 2}, "minItems 3 is above maxItems 2"),
    ("/enum", {"enum": []}, "enum is empty"),
    ("", {"type": "string", "enum": [1, 2]}, "enum"),
    ("", {"type": "string", "pattern": "^a{5}$", "maxLength": 3}, "maxLength and pattern"),
    ("", {"type": "object", "required": ["a"], "additionalProperties": False}, "'a'"),
    ("", {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}, "for ever"),
    ("", False, "false"),
]  # fmt: skip


@pytest.mark.parametrize(("pointer", "schema", "reason"), MALFORMED)
def test_what_is_no_schema_is_refused(pointer: str, schema: Any, reason: str) -> None:
    with pytest.raises(ConstraintError, match=reason) as caught:
        build(schema)
    assert caught.value.where == f"schema at '{pointer}'"


@pytest.mark.parametrize(("pointer", "schema", "reason"), EMPTY)
def test_what_nothing_satisfies_is_refused(pointer: str, schema: Any, reason: str) -> None:
    with pytest.raises(Unsatisfiable, match=reason) as caught:
        build(schema)
    assert caught.value.where == f"schema at '{pointer}'"
    assert caught.value.code is ExitCode.CONSTRAINT


def test_too_deep_a_schema_is_refused_and_no_crash() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ConstraintError, match="nested too deeply"):
        build({"const": deep})


def test_combinations_without_end_are_bounded() -> None:
    schema: Any = {"type": "integer"}
    for _ in range(12):
        schema = {"oneOf": [schema, {"type": "object", "properties": {"a": schema}}]}
    program = build(schema)
    assert any("alternatives" in finding.reason for finding in program.findings)


def test_a_shortest_document_of_very_many_keys_is_given_up_soon() -> None:
    schema = {"type": "object", "minProperties": 1_000_000, "additionalProperties": {"const": 1}}
    assert shortest(build(schema)) is None
