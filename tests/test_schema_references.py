"""References lead where the specification says, and never to the network."""

from typing import Any

import pytest

from mlxjson.errors import ConstraintError
from mlxjson.schema.front import Unsatisfiable, build
from mlxjson.schema.member import accepts


def verdicts(schema: Any, *values: Any, store: Any = None) -> list[bool]:
    program = build(schema, store=store)
    return [accepts(program, value) for value in values]


def test_pointers_are_unescaped() -> None:
    schema = {"$defs": {"a/b~c d": {"type": "null"}}, "$ref": "#/$defs/a~1b~0c%20d"}
    assert verdicts(schema, None, 1) == [True, False]


def test_anchors_and_identifiers() -> None:
    schema = {
        "$id": "https://example.org/root",
        "$defs": {
            "a": {"$anchor": "here", "type": "null"},
            "b": {"$id": "other", "$defs": {"c": {"type": "integer"}}, "$ref": "#/$defs/c"},
        },
        "anyOf": [{"$ref": "#here"}, {"$ref": "other"}],
    }
    assert verdicts(schema, None, 1, "x") == [True, True, False]


def test_a_dynamic_reference_finds_the_outermost_anchor() -> None:
    schema = {
        "$id": "https://example.org/strict",
        "$ref": "tree",
        "$dynamicAnchor": "node",
        "unevaluatedProperties": False,
        "$defs": {
            "tree": {
                "$id": "tree",
                "$dynamicAnchor": "node",
                "properties": {"kids": {"items": {"$dynamicRef": "#node"}}, "x": {}},
            }
        },
    }
    assert verdicts(schema, {"kids": [{"x": 1}]}, {"kids": [{"y": 1}]}) == [True, False]


def test_a_meta_schema_can_be_referred_to() -> None:
    schema = {"$ref": "https://json-schema.org/draft/2020-12/schema"}
    assert verdicts(schema, {"minLength": 1}, {"minLength": -1}, {"items": {"type": 3}}) == [
        True, False, False,
    ]  # fmt: skip


def test_a_remote_reference_needs_a_local_copy() -> None:
    schema = {"properties": {"a": {"$ref": "https://example.org/x.json#/$defs/y"}}}
    with pytest.raises(ConstraintError, match=r"https://example\.org/x\.json") as caught:
        build(schema)
    assert "/properties/a/$ref" in caught.value.where
    store = {"https://example.org/x.json": {"$defs": {"y": {"type": "null"}}}}
    assert verdicts(schema, {"a": None}, {"a": 1}, store=store) == [True, False]


@pytest.mark.parametrize("reference", ["#/nope", "#nope", "#/properties/a/3"])
def test_a_reference_to_nothing_is_named(reference: str) -> None:
    with pytest.raises(ConstraintError, match=r"nowhere|no anchor") as caught:
        build({"properties": {"a": {"$ref": reference}}})
    assert "/properties/a/$ref" in caught.value.where


def test_a_schema_that_is_only_itself_is_refused() -> None:
    with pytest.raises(Unsatisfiable, match="itself"):
        build({"$ref": "#"})


@pytest.mark.parametrize("link", ["$ref", "allOf", "not"])
def test_five_thousand_references_in_a_row(link: str) -> None:
    def step(target: str) -> Any:
        reference = {"$ref": target}
        return (
            reference if link == "$ref" else {link: [reference] if link == "allOf" else reference}
        )

    count = 5000
    steps = {f"d{i}": step(f"#/$defs/d{i + 1}") for i in range(count)}
    schema = {"$ref": "#/$defs/d0", "$defs": {**steps, f"d{count}": {"type": "integer"}}}
    assert verdicts(schema, 1, "x") == [True, False]


def test_three_hundred_nested_arrays() -> None:
    schema: Any = {"type": "null"}
    value = None
    for _ in range(300):
        schema, value = {"type": "array", "items": schema}, [value]
    assert verdicts(schema, value, [1]) == [True, False]
