"""The audit: every keyword with its state, and the size of it all."""

import json
from typing import Any

import pytest

from mlxjson.audit import CHECKED, ENFORCED, IGNORED, REFUSED, Audit, audit
from mlxjson.check import compiler
from mlxjson.validate import prepare
from tests.grammar_helpers import small_engine

COMPILE = compiler(small_engine())


def audited(schema: Any) -> Audit:
    return audit(schema, COMPILE)


def states(schema: Any) -> dict[tuple[str, str], str]:
    return {(row.pointer, row.keyword): row.state for row in audited(schema).rows}


def test_every_keyword_has_a_row() -> None:
    schema = {
        "type": "object",
        "title": "no row for what asks for nothing",
        "properties": {
            "a/b": {"type": "integer", "minimum": 1},
            "list": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
            "other": {"type": "string", "format": "phone"},
        },
        "required": ["a/b"],
    }
    assert states(schema) == {
        ("", "type"): ENFORCED,
        ("", "properties"): ENFORCED,
        ("", "required"): ENFORCED,
        ("/properties/a~1b", "type"): ENFORCED,
        ("/properties/a~1b", "minimum"): ENFORCED,
        ("/properties/list", "type"): ENFORCED,
        ("/properties/list", "items"): ENFORCED,
        ("/properties/list", "uniqueItems"): CHECKED,
        ("/properties/list/items", "type"): ENFORCED,
        ("/properties/other", "type"): ENFORCED,
        ("/properties/other", "format"): IGNORED,
    }
    assert not audited(schema).exact


def test_keys_that_may_come_twice_have_a_row_of_their_own() -> None:
    schema = {"type": "object", "additionalProperties": {"type": "null"}}
    assert states(schema)["", "(duplicate keys)"] == CHECKED
    assert not audited(schema).exact


@pytest.mark.parametrize(
    ("schema", "pointer", "keyword"),
    [
        ({"type": "object", "properties": {"a": {"type": "int"}}}, "/properties/a", "type"),
        ({"type": "string", "pattern": "("}, "", "(schema)"),
        (False, "", "(schema)"),
        ({"$ref": "#/nowhere"}, "", "$ref"),
    ],
)
def test_what_can_not_be_generated_is_refused(schema: Any, pointer: str, keyword: str) -> None:
    found = audited(schema)
    assert found.refusal is not None
    assert [(r.pointer, r.keyword, r.state) for r in found.rows] == [(pointer, keyword, REFUSED)]
    assert found.rows[0].reason


@pytest.mark.parametrize(
    ("schema", "finite", "shortest"),
    [
        ({"enum": ["ab", "c", 10]}, True, "10"),
        ({"type": "integer", "minimum": 5, "maximum": 9}, True, "5"),
        ({"type": "integer", "minimum": 1000}, False, "1000"),
        ({"type": "number", "minimum": 0, "maximum": 1}, False, "0"),
        ({"type": "string", "maxLength": 3}, True, '""'),
        ({"type": "string", "minLength": 3}, False, '"aaa"'),
        ({"type": "string", "pattern": "^x{2,4}$"}, True, '"xx"'),
        ({"type": "array", "items": {"type": "null"}, "minItems": 2}, False, "[null, null]"),
        ({"type": "array", "items": {"enum": [1, 2]}, "maxItems": 2}, True, "[]"),
        ({"type": "array", "items": {"$ref": "#"}}, False, "[]"),
        ({"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]}, True,
         '{"a": true}'),
        ({"type": "object", "minProperties": 1}, False, None),
    ],
)  # fmt: skip
def test_finite_or_not_and_the_shortest_document(
    schema: Any, finite: bool, shortest: str | None
) -> None:
    found = audited(schema)
    assert found.finite == finite
    assert found.shortest is not None
    assert prepare(schema).check(found.shortest) is None
    if shortest is not None:
        assert found.shortest == shortest
        json.loads(shortest)


def test_size_and_time() -> None:
    found = audited({"type": "object", "properties": {"a": {"type": "string"}}})
    assert found.grammar is not None
    assert found.characters == len(found.grammar.ebnf)
    assert found.rules > 1
    assert found.compile_ms > 0
