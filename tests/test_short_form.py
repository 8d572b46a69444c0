"""The short form of a schema: what it means, and where it is wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

from mlxjson.errors import UsageError
from mlxjson.sources.kinds import KINDS
from mlxjson.sources.short import parse_short
from mlxjson.validate import check, check_schema
from tests.command import mlxjson

ISSUE = (
    "name, age: int, email?: email, tags: [str], status: open|closed|pending, "
    'items: [{sku, qty: int, price: num}], born: date "date of birth"'
)

CASES = [
    ISSUE,
    "name: str",
    "name, age",
    "name?, age?",
    "a: int",
    "a: num",
    "a: bool",
    "a: null",
    "a: object",
    "a: any",
    "a: date",
    "a: time",
    "a: datetime",
    "a: duration",
    "a: email",
    "a: url",
    "a: uuid",
    "a: ipv4, b: ipv6",
    "a: hostname",
    "a: integer, b: string, c: number, d: boolean",
    "a: text, b: float, c: decimal, d: uri, e: dict, f: none",
    "a: [int]",
    "a: [[int]]",
    "a: [[[str]]]",
    "a: [any]",
    "a: {b}",
    "a: {b: int, c?: {d: bool}}",
    "a: [{b: [{c}]}]",
    "a: x|y",
    "a: x|y|null",
    "a: 1|2|3",
    "a: -1|0.5|1e3",
    "a: true|false",
    "a: true|false|null",
    'a: "in progress"|done',
    'a: "int"|"str"',
    "a: [red|green]",
    "a: int|null",
    "a: int|str|bool",
    "a: email|null",
    "a: [int]|null",
    "a: {b}|{c: int}",
    "a: [int|null]",
    'a "what it is"',
    'a: int "what it is", b "and this"',
    'a: x|y "one of two"',
    'a: [{b "inner"}] "outer"',
    '"first name", "é☕": int, "": bool',
    'straße, n_1, data-set, $ref: int, @id, "a\\"b"',
    "a, b: int,",
    " a :\n int ,\n b ",
    "[str]",
    "[{sku, qty: int}]",
    "{a, b: int}",
    '[int] "numbers"',
    "[int]|{a}",
    'a: "\\u00e9\\n"|x',
]


def short(schema: Any) -> str:
    """The short form of a schema that a short form means."""
    if schema.get("type") == "object" and "properties" in schema:
        return "{" + fields(schema) + "}"
    return typed(schema)


def fields(schema: Any) -> str:
    return ", ".join(
        json.dumps(name)
        + ("" if name in schema.get("required", []) else "?")
        + f": {typed(of)}"
        + (f" {json.dumps(of['description'])}" if "description" in of else "")
        for name, of in schema["properties"].items()
    )


def typed(schema: Any) -> str:
    bare = {key: value for key, value in schema.items() if key != "description"}
    named = [name for name, kind in KINDS.items() if kind == bare]
    if named:
        return named[0]
    if "enum" in bare:
        return "|".join(map(json.dumps, bare["enum"]))
    if "anyOf" in bare:
        return "|".join(map(typed, bare["anyOf"]))
    if isinstance(bare["type"], list):
        return "|".join(typed({"type": each}) for each in bare["type"])
    return f"[{typed(bare['items'])}]" if bare["type"] == "array" else short(bare)


def test_there_are_fifty_cases() -> None:
    assert len(set(CASES)) >= 50


@pytest.mark.parametrize("text", CASES)
def test_a_short_form_is_a_schema_that_prints_and_reads_back_the_same(text: str) -> None:
    schema = parse_short(text)
    check_schema(schema)
    assert json.loads(json.dumps(schema)) == schema
    described = f" {json.dumps(schema['description'])}" if "description" in schema else ""
    assert parse_short(short(schema) + described) == schema


def test_the_example_of_the_documentation() -> None:
    schema = parse_short(ISSUE)
    document = {
        "name": "Ada",
        "age": 36,
        "tags": ["a"],
        "status": "open",
        "items": [{"sku": "x", "qty": 1, "price": 2.5}],
        "born": "1815-12-10",
    }
    assert check(json.dumps(document), schema) is None
    assert check(json.dumps({**document, "email": "ada@example.org"}), schema) is None
    for wrong in ({"age": "x"}, {"email": 1}, {"status": "new"}, {"born": "x"}, {"more": 1}):
        assert check(json.dumps(document | wrong), schema) is not None
    assert schema["properties"]["born"]["description"] == "date of birth"


FAULTS = [
    ("a: strnig", 4, "no type 'strnig'", "'string'"),
    ("name, age: integr", 12, "no type 'integr'", "'integer'"),
    ("a: [emial]", 5, "no type 'emial'", "'email'"),
    ("a: Int", 4, "no type 'Int'", "'int'"),
    ("a: open|date", 9, "'date' is a type", '"date" in quotes'),
    ("a: x|[int]", 6, "can't be mixed", ""),
    ('a: "what it is"', 4, "a type has to stand here", 'str "what it is"'),
    ("a: 5", 4, "a type has to stand here", "Types:"),
    ("a: [int", 8, "']' has to stand here, not the end", ""),
    ("a: {b", 6, "'}' has to stand here, not the end", ""),
    ("a: {}", 5, "the name of a field", ""),
    ("a: []", 5, "a type has to stand here", ""),
    ("a, , b", 4, "the name of a field", ""),
    ("a b", 3, "a comma or the end", ""),
    ("a: int b: int", 8, "a comma or the end", ""),
    ("a; b", 2, "a comma or the end", ""),
    ("a:", 3, "a type has to stand here, not the end", ""),
    ("a: int|", 8, "a type has to stand here", ""),
    ("a, b, a", 7, "twice", ""),
    ('a: int "no end', 8, "not closed", ""),
    ('a: "\\q"|b', 4, "escape", ""),
    ("", 1, "the name of a field", "Like this"),
    ("[int", 5, "']' has to stand here", ""),
    ("a: " + "[" * 200, 104, "deep", ""),
]


@pytest.mark.parametrize(("text", "column", "says", "hint"), FAULTS, ids=lambda v: str(v)[:20])
def test_a_fault_is_shown_where_it_is(text: str, column: int, says: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_short(text)
    assert caught.value.where == f"--schema, column {column}"
    assert says in caught.value.message
    assert hint in caught.value.hint


def test_a_fault_in_several_lines_has_line_and_column() -> None:
    with pytest.raises(UsageError) as caught:
        parse_short("a: int,\n  b: flaot")
    assert caught.value.where == "--schema, line 2, column 6"


def test_the_command_prints_what_it_means(tmp_path: Path) -> None:
    outcome = mlxjson("schema", ISSUE, home=tmp_path)
    assert outcome.code == 0
    assert outcome.err == b""
    assert json.loads(outcome.text) == parse_short(ISSUE)
    again = mlxjson("schema", "-", home=tmp_path, stdin=outcome.out)
    assert again.out == outcome.out


def test_the_command_explains_a_fault_in_two_lines(tmp_path: Path) -> None:
    outcome = mlxjson("schema", "name, age: integr", home=tmp_path)
    assert outcome.code == 2
    assert outcome.out == b""
    assert len(outcome.lines) == 2
    assert "column 12: there is no type 'integr'" in outcome.lines[0]
    assert "'integer'" in outcome.lines[1]
