"""What a schema lets through, keyword by keyword, judged on the table of nodes."""

from typing import Any

import pytest

from mlxjson.schema.front import build
from mlxjson.schema.member import accepts
from mlxjson.schema.shapes import Array, Number, Object

DRAFT4 = "http://json-schema.org/draft-04/schema#"
DRAFT7 = "http://json-schema.org/draft-07/schema#"

CASES: list[tuple[str, Any, list[Any], list[Any]]] = [
    ("a keyword binds its own type only", {"minimum": 5}, [5, "x", None, [1]], [4, 4.9]),
    ("1.0 is an integer", {"type": "integer"}, [1, 1.0, -0.0], [1.5, "1", True]),
    ("true is no number", {"type": "number"}, [1, 0.5], [True, False]),
    ("1 equals 1.0 and not true", {"const": 1}, [1, 1.0], [True, "1"]),
    ("0 is not false", {"enum": [False]}, [False], [0, None]),
    ("containers are compared by value", {"const": {"a": [1]}}, [{"a": [1.0]}], [{"a": [True]}]),
    ("the tightest bounds hold", {"minimum": 1, "allOf": [{"minimum": 3}]}, [3], [2]),
    ("multiples meet", {"multipleOf": 2, "allOf": [{"multipleOf": 3}]}, [6, 0], [2, 3, 4]),
    ("decimals are exact", {"multipleOf": 0.01}, [19.99, 0.07, 4.35], [0.001, 19.995]),
    ("length counts code points", {"maxLength": 2}, ["💩💩", "ab"], ["abc"]),
    ("a pattern is searched for", {"pattern": "[0-9]{3}"}, ["no 123 here"], ["12 3"]),
    ("pattern and length meet", {"pattern": "^[A-Z]+$", "maxLength": 4}, ["ABCD"], ["ABCDE", "a"]),
    ("a date has real months", {"format": "date"}, ["2024-02-29", 5], ["2023-02-29"]),
    ("unknown formats say nothing", {"format": "colour"}, ["anything"], []),
    ("undeclared properties can be required", {"required": ["id"]}, [{"id": 1}, 3], [{}]),
    (
        "anyOf beside properties",
        {
            "type": "object",
            "properties": {"mail": {"type": "string"}, "tel": {"type": "string"}},
            "anyOf": [{"required": ["mail"]}, {"required": ["tel"]}],
        },
        [{"mail": "x"}, {"tel": "y"}, {"mail": "x", "tel": "y"}],
        [{}, {"mail": 1}, [1]],
    ),
    (
        "oneOf is no anyOf",
        {"oneOf": [{"type": "integer"}, {"minimum": 2}]},
        [1, 2.5, "x"],
        [3, 1.5],
    ),
    ("not is pushed inwards", {"not": {"type": ["integer", "null"]}}, [1.5, "x"], [1, None]),
    ("not a constant object", {"not": {"const": {"a": 1}}}, [{}, {"a": 2}, 1], [{"a": 1.0}]),
    ("not required", {"type": "object", "not": {"required": ["a"]}}, [{"b": 1}], [{"a": 1}]),
    (
        "conditions",
        {"if": {"properties": {"k": {"const": 1}}, "required": ["k"]}, "then": {"required": ["x"]},
         "else": {"required": ["y"]}},
        [{"k": 1, "x": 0}, {"k": 2, "y": 0}, 7],
        [{"k": 1, "y": 0}, {"k": 2, "x": 0}, {}],
    ),
    (
        "dependencies in both spellings",
        {"dependencies": {"a": ["b"], "c": {"required": ["d"]}}},
        [{}, {"a": 1, "b": 1}, {"c": 1, "d": 1}],
        [{"a": 1}, {"c": 1}],
    ),
    ("items by position", {"items": [{"type": "null"}], "additionalItems": False}, [[], [None]],
     [[1], [None, None]]),
    ("prefixItems and items", {"prefixItems": [{"const": 1}], "items": {"const": 2}},
     [[], [1], [1, 2, 2]], [[2], [1, 1]]),
    ("contains", {"contains": {"const": 1}}, [[1], [0, 1, 0], "x"], [[], [0]]),
    ("contains is counted", {"contains": {"const": 1}, "minContains": 2, "maxContains": 2},
     [[1, 0, 1]], [[1], [1, 1, 1]]),
    ("contains behind fixed items", {"prefixItems": [{}, {}], "items": False,
                                     "contains": {"const": 1}}, [[1], [0, 1]], [[], [0, 0]]),
    ("uniqueItems", {"uniqueItems": True}, [[1, 2], [[1], [2]]], [[1, 1.0], [{"a": 1}, {"a": 1}]]),
    ("patternProperties are searched for", {"patternProperties": {"b": {"type": "null"}}},
     [{"abc": None, "x": 1}], [{"abc": 1}]),
    (
        "additional means neither listed nor matched",
        {"properties": {"a": {}}, "patternProperties": {"^x": {}}, "additionalProperties": False},
        [{"a": 1, "x1": 2}],
        [{"b": 1}],
    ),
    ("propertyNames", {"propertyNames": {"maxLength": 2}}, [{"ab": 1}], [{"abc": 1}]),
    ("minProperties in a mix", {"properties": {"a": {}}, "minProperties": 2},
     [{"a": 1, "b": 1}, {"x": 1, "y": 1}], [{"a": 1}]),
    (
        "additionalProperties knows its own schema only",
        {"allOf": [{"properties": {"a": {}}}], "additionalProperties": {"type": "null"}},
        [{"a": None}],
        [{"a": 1}],
    ),
    (
        "unevaluatedProperties sees what holds",
        {
            "anyOf": [{"properties": {"a": {"type": "integer"}}, "required": ["a"]},
                      {"properties": {"b": {}}, "required": ["b"]}],
            "unevaluatedProperties": False,
        },
        [{"a": 1}, {"a": 1, "b": 1}, {"b": 1}],
        [{"a": 1, "c": 1}, {"a": "x", "b": 1}],
    ),
    (
        "unevaluatedItems and contains",
        {"contains": {"type": "string"}, "unevaluatedItems": {"type": "null"}},
        [["x", None], ["x"]],
        [["x", 1], [None]],
    ),
    ("nullable", {"type": "string", "nullable": True}, ["x", None], [1]),
    ("draft 4 exclusive bounds", {"minimum": 1, "exclusiveMinimum": True}, [2], [1]),
    ("draft 4 does not know const", {"$schema": DRAFT4, "const": 1}, [1, 2], []),
    (
        "siblings of $ref count only from 2019-09 on",
        {"$schema": DRAFT7, "definitions": {"a": {}}, "$ref": "#/definitions/a", "maximum": 1},
        [5],
        [],
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "right", "wrong"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_exactly_the_valid_values_belong(schema: Any, right: list[Any], wrong: list[Any]) -> None:
    program = build(schema)
    assert program.findings == []
    assert [value for value in right if not accepts(program, value)] == []
    assert [value for value in wrong if accepts(program, value)] == []


def test_the_same_schema_always_gives_the_same_table() -> None:
    schema = {"oneOf": [{"properties": {"a": {"$ref": "#"}}}, {"enum": [1, "x", [2]]}]}
    assert repr(build(schema)) == repr(build(schema))


def test_recursion_becomes_a_cycle() -> None:
    program = build({"type": "object", "properties": {"next": {"$ref": "#"}}})
    (shape,) = program.nodes[program.root]
    assert isinstance(shape, Object)
    assert shape.properties[0].node == program.root


def test_bounds_of_integers_are_moved_to_integers() -> None:
    program = build({"type": "integer", "exclusiveMinimum": 0.5, "maximum": 9.9})
    (shape,) = program.nodes[program.root]
    assert isinstance(shape, Number)
    assert shape.low
    assert shape.high
    assert (shape.low.value, shape.high.value, shape.low.inclusive) == (1, 9, True)


def test_an_optional_property_that_can_not_be_is_kept_with_an_empty_node() -> None:
    schema = {"properties": {"a": {"type": "object", "required": ["b"],
                                   "properties": {"b": {"$ref": "#/properties/a"}}}}}  # fmt: skip
    program = build({"type": "object", **schema})
    (shape,) = program.nodes[program.root]
    assert isinstance(shape, Object)
    assert program.nodes[shape.properties[0].node] == ()
    assert not shape.others[0].names.accepts("a")


def test_an_array_ends_where_an_item_can_not_be() -> None:
    program = build({"type": "array", "prefixItems": [{}, False, {}]})
    (shape,) = program.nodes[program.root]
    assert isinstance(shape, Array)
    assert (len(shape.prefix), shape.rest) == (1, None)


def test_objects_are_open_by_default_and_say_so() -> None:
    asked = {"type": "object", "properties": {"a": {}}, "additionalProperties": True}
    for schema, declared in ((asked, True), ({"type": "object", "properties": {"a": {}}}, False)):
        program = build(schema)
        (shape,) = program.nodes[program.root]
        assert isinstance(shape, Object)
        assert shape.declared is declared
        assert accepts(program, {"a": 1, "b": 2})


def test_keys_that_no_pattern_matches_are_open_by_default_only() -> None:
    program = build({"type": "object", "patternProperties": {"^x": {"type": "null"}}})
    (shape,) = program.nodes[program.root]
    assert isinstance(shape, Object)
    assert {entry.names.accepts("x1"): entry.declared for entry in shape.others} == {
        True: True,
        False: False,
    }
