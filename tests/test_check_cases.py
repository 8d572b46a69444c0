"""`check --cases`: one line out for each line in, whatever the line."""

import json
from typing import Any

import pytest

from mlxjson.check import check_case, check_line, compiler
from tests.grammar_helpers import small_engine

KEYS = ["id", "error", "exact", "unenforced", "compile_ms", "accepted", "valid"]
COMPILE = compiler(small_engine())


def case(schema: Any, *instances: Any) -> dict[str, Any]:
    return check_case({"id": "x", "schema": schema, "instances": list(instances)}, COMPILE)


def test_the_fields_of_a_line() -> None:
    out = case({"type": "integer", "minimum": 2}, 1, 2, "2")
    assert list(out) == KEYS
    assert out["compile_ms"] > 0
    del out["compile_ms"]
    assert out == {
        "id": "x", "error": None, "exact": True, "unenforced": [],
        "accepted": [False, True, False], "valid": [False, True, False],
    }  # fmt: skip


def test_what_the_grammar_lets_through_is_named_and_validation_finds_it() -> None:
    out = case({"type": "array", "items": {"type": "integer"}, "uniqueItems": True}, [1, 2], [1, 1])
    assert not out["exact"]
    assert out["unenforced"] == [{"pointer": "", "keyword": "uniqueItems"}]
    assert out["accepted"] == [True, True]
    assert out["valid"] == [True, False]


def test_keys_are_taken_in_the_order_of_the_schema() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}}
    out = case(schema, {"b": 1, "a": 2}, {"z": 0, "b": 1, "y": 5, "a": 2}, {"b": 1, "a": "2"})
    assert out["accepted"] == [True, True, False]


def test_each_branch_of_a_union_has_its_own_order() -> None:
    one = {"properties": {"k": {"const": 1}, "v": {"type": "integer"}}, "required": ["k", "v"]}
    two = {"properties": {"v": {"type": "string"}, "k": {"const": 2}}, "required": ["k", "v"]}
    schema = {"type": "array", "items": {"anyOf": [one, two]}}
    out = case(schema, [{"v": 1, "k": 1}, {"k": 2, "v": "x"}], [{"v": "x", "k": 1}])
    assert out["accepted"] == [True, False]


def test_a_constant_object_may_have_its_keys_in_any_order() -> None:
    out = case({"const": {"a": 1, "b": [2.0]}}, {"b": [2], "a": 1.0}, {"b": [3], "a": 1})
    assert out["accepted"] == [True, False] == out["valid"]


@pytest.mark.parametrize("text", ["1.0", "1e2", "1E+2", "100", "-0.0", "12e-1"])
def test_numbers_in_every_spelling(text: str) -> None:
    line = f'{{"schema": {{"type": "number", "maximum": 100}}, "instances": [{text}, 101]}}'
    out = check_line(line, COMPILE)
    assert out["accepted"] == [True, False] == out["valid"]


def test_a_schema_without_documents_accepts_nothing_and_is_no_error() -> None:
    out = case(False, 1, None)
    assert out["error"] is None
    assert out["accepted"] == [False, False] == out["valid"]


def test_a_document_of_many_levels() -> None:
    deep: Any = []
    for _ in range(500):
        deep = [deep]
    out = case({"type": "array", "items": {"$ref": "#"}}, deep, [[[1]]])
    assert out["error"] is None
    assert out["accepted"] == [True, False] == out["valid"]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("", "no JSON"),
        ("{", "no JSON"),
        ('{"schema": {}, "instances": [NaN]}', "NaN is not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("7", "not an object"),
        ("{}", "no 'schema'"),
        ('{"schema": {}, "instances": 7}', "must be an array"),
        ('{"schema": 7, "instances": [1]}', "object or a boolean"),
        ('{"schema": {"type": "int"}, "instances": [1]}', "int"),
        ('{"schema": {"$ref": "#/x"}, "instances": [1]}', "#/x"),
        ('{"schema": {"$ref": "https://example.invalid/s"}, "instances": [1]}', "not here"),
        ('{"schema": {"minimum": "1"}, "instances": [1]}', "minimum"),
        ('{"schema": {"properties": []}, "instances": [1]}', "properties"),
    ],
)
def test_a_bad_line_is_a_line_with_an_error(line: str, error: str) -> None:
    out = check_line(line, COMPILE)
    assert list(out) == KEYS
    assert error in out["error"]
    assert "\n" not in out["error"]
    assert not any(out["accepted"])
    json.dumps(out)


def test_a_case_without_instances_is_fine() -> None:
    assert check_line('{"id": 3, "schema": {"type": "null"}}', COMPILE)["exact"]


def test_a_schema_that_is_too_large_is_an_error_with_its_place() -> None:
    schema = {
        "type": "array",
        "items": {"type": "object", "properties": {f"k{i}": {} for i in range(40_000)}},
    }
    out = case(schema, [])
    assert "grows past" in out["error"]
    assert "/items" in out["error"]
