"""Whatever the table lets through although the schema does not is named."""

from collections import Counter
from typing import Any

import pytest

from mlxjson.schema.front import build
from mlxjson.schema.member import accepts
from tests.schema_fuzz import run

OPEN: list[tuple[str, str, Any, Any]] = [
    ("", "multipleOf", {"not": {"multipleOf": 2}}, 4),
    ("", "pattern", {"pattern": r"(a)\1"}, "ab"),
    ("/not", "format", {"type": "string", "not": {"format": "time"}}, "23:59:60Z"),
    ("/not", "uniqueItems", {"type": "array", "not": {"uniqueItems": True}}, [1, 2]),
    ("/not", "additionalProperties", {"type": "object", "not": {
        "properties": {"a": {}}, "additionalProperties": False}}, {"a": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("pointer", "keyword", "schema", "value"), OPEN)
def test_what_is_left_open_has_a_finding(
    pointer: str, keyword: str, schema: Any, value: Any
) -> None:
    program = build(schema)
    assert accepts(program, value)
    assert keyword in {finding.keyword for finding in program.findings}
    assert any(finding.pointer.startswith(pointer) for finding in program.findings)
    assert all(finding.reason for finding in program.findings)


@pytest.mark.parametrize("draft", ["00", "02", "03"])
def test_a_draft_that_is_not_known_is_no_exact_one(draft: str) -> None:
    uri = f"http://json-schema.org/draft-{draft}/schema#"
    (finding,) = build({"$schema": uri, "type": "integer", "divisibleBy": 2}).findings
    assert finding.keyword == "$schema"


def test_what_no_document_meets_has_no_finding() -> None:
    unreachable = {"type": "integer", "anyOf": [{"not": {"multipleOf": 2}, "type": "string"}, {}]}
    assert build(unreachable).findings == []


def count(first: int, number: int) -> Counter[str]:
    found: Counter[str] = Counter()
    for seed in range(first, first + number):
        run(seed, found)
    return found


def test_random_schemas_agree_with_jsonschema() -> None:
    found = count(1_000_000, 150)
    assert found["schemas"] > 100
    assert (found["UNSOUND"], found["NARROW"], found["WRONGLY UNSATISFIABLE"]) == (0, 0, 0)


@pytest.mark.slow
def test_thousands_of_random_schemas_agree_with_jsonschema() -> None:
    found = count(2_000_000, 2000)
    assert (found["UNSOUND"], found["NARROW"], found["WRONGLY UNSATISFIABLE"]) == (0, 0, 0)
