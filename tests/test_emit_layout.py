"""Layouts: where white space stands, and what is written on one line."""

import json

import pytest

from mlxjson.constraint import Layout
from mlxjson.schema import compile_schema
from mlxjson.schema.serialise import serialise
from tests.emit_helpers import accepts

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "integer"}},
        "where": {"type": "object", "properties": {"x": {"type": "null"}}},
        "one": {"const": {"a": [1, {}], "b": []}},
    },
    "required": ["name"],
}
VALUES = [
    {"name": "n"},
    {"name": "n", "tags": []},
    {"name": "n", "tags": [1, 2], "where": {"x": None}, "one": {"a": [1, {}], "b": []}},
    {"name": "n", "where": {}},
]
WRITE = {
    Layout.SPACED: json.dumps,
    Layout.COMPACT: lambda value: json.dumps(value, separators=(",", ":")),
    Layout.INDENT: lambda value: json.dumps(value, indent=2),
}


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("layout", WRITE)
def test_each_layout_is_that_of_json_dumps_and_no_other(layout: Layout, value: object) -> None:
    ebnf = compile_schema(SCHEMA, layout).ebnf
    assert serialise(value, layout) == WRITE[layout](value)
    for other, write in WRITE.items():
        assert accepts(ebnf, write(value)) == (write(value) == WRITE[layout](value)), other


@pytest.mark.parametrize("value", VALUES[:2])
def test_flexible_takes_all_of_them_and_bounds_white_space(value: object) -> None:
    ebnf = compile_schema(SCHEMA, Layout.FLEXIBLE).ebnf
    assert all(accepts(ebnf, write(value)) for write in WRITE.values())
    assert accepts(ebnf, '{"name":' + " " * 16 + '"n"}')
    assert not accepts(ebnf, '{"name":' + " " * 17 + '"n"}')


def test_a_recursive_part_is_indented_down_to_a_level_and_then_on_one_line() -> None:
    tree = {"type": "object", "properties": {"of": {"$ref": "#"}}, "additionalProperties": False}
    ebnf = compile_schema(tree, Layout.INDENT).ebnf
    assert accepts(ebnf, json.dumps({"of": {"of": {}}}, indent=2))
    deep: dict[str, object] = {}
    for _ in range(8):
        deep = {"of": deep}
    assert not accepts(ebnf, json.dumps(deep, indent=2))
    lines = json.dumps({"of": {"of": {"of": {"of": "HERE"}}}}, indent=2)
    inner = {"of": {"of": {"of": {}}}}
    indented = json.dumps({"of": "HERE"}, indent=2).replace("\n", "\n" + " " * 8)
    assert accepts(ebnf, lines.replace('"HERE"', indented.replace('"HERE"', json.dumps(inner))))
