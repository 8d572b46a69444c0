"""A document against a schema: which failure is told, where it stands, and what errors are."""

import time
from pathlib import Path
from typing import Any

import pytest

from mlxjson.errors import ConstraintError, UsageError
from mlxjson.validate import check, check_schema, prepare, read_store

PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 5},
        "age": {"type": "integer", "minimum": 0},
        "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 2},
    },
    "required": ["name"],
    "additionalProperties": False,
}

FAILURES: list[tuple[str, str, str, str, str]] = [
    # document, pointer, keyword, message, text from the offset on
    ('{"name": 5}', "/name", "type", "5 is not of type string", "5}"),
    ('{"name": "Adalbert"}', "/name", "maxLength", "8 characters, not at most 5", '"Adalbert"}'),
    ('{"name": "A", "age": -1}', "/age", "minimum", "-1 is less than 0", "-1}"),
    ('{"name": "A", "age": 1.5}', "/age", "type", "1.5 is not of type integer", "1.5}"),
    ('{"name": "A", "tags": ["a", "c"]}', "/tags/1", "enum", '"c" is not one of', '"c"]}'),
    ('{"name": "A", "tags": ["a", "b", "a"]}', "/tags", "maxItems", "3 items", '"a"]}'),
    ('{"age": 1}', "", "required", '"name" is missing', "}"),
    ('{"name": "A", "x": [1]}', "", "additionalProperties", 'the key "x"', "[1]}"),
    ("[]", "", "type", "[] is not of type object", "[]"),
    ('{"name": "A", "name": "B"}', "", "json", "appears twice", '"name": "B"}'),
]


@pytest.mark.parametrize(("text", "pointer", "keyword", "message", "rest"), FAILURES)
def test_a_failure_says_what_and_where(
    text: str, pointer: str, keyword: str, message: str, rest: str
) -> None:
    failure = check(text, PERSON)
    assert failure is not None
    assert (failure.pointer, failure.keyword) == (pointer, keyword)
    assert message in failure.message
    assert text[failure.offset :] == rest


def test_a_valid_document_has_no_failure() -> None:
    assert check('{"name": "A", "age": 1.0, "tags": []}', PERSON) is None


def test_the_first_failure_in_the_text_is_told() -> None:
    failure = check('{"tags": ["q"], "age": -3, "name": 1}', PERSON)
    assert failure is not None
    assert failure.pointer == "/tags/0"
    assert failure.schema_pointer == "/properties/tags/items/enum"
    assert failure.span == (10, 13)


def test_the_cause_inside_an_alternative_is_told() -> None:
    schema = {"anyOf": [{"type": "null"}, {"properties": {"a": {"properties": {"b": {"const": 1}}}},
                                           "type": "object"}]}  # fmt: skip
    failure = check('{"a": {"b": 2}}', schema)
    assert failure is not None
    assert (failure.pointer, failure.keyword) == ("/a/b", "const")


def test_a_message_is_short_even_for_a_large_value() -> None:
    failure = check("[" + ", ".join(["12345"] * 100_000) + "]", {"type": "object"})
    assert failure is not None
    assert len(failure.message) < 160


OTHER_KEYWORDS: list[tuple[str, Any, str, str]] = [
    ('["a", "b", "a"]', {"uniqueItems": True}, "uniqueItems", '"a"]'),
    ('{"a": 1, "b": 2}', {"maxProperties": 1}, "maxProperties", "2}"),
    ('{"a": 1}', {"minProperties": 2}, "minProperties", "}"),
    ('{"a": 1}', {"dependentRequired": {"a": ["b"]}}, "dependentRequired", "}"),
    ("[1]", {"contains": {"type": "string"}}, "contains", "]"),
    ('{"a": 1}', {"unevaluatedProperties": False}, "unevaluatedProperties", "1}"),
    ("[1, 2]", {"prefixItems": [True], "unevaluatedItems": False}, "unevaluatedItems", "2]"),
    ('{"a": 1}', {"properties": {"a": False}}, "false", "1}"),
    ("1", False, "false", "1"),
    ("3", {"not": {"type": "integer"}}, "not", "3"),
    ("3", {"oneOf": [True, {"type": "integer"}]}, "oneOf", "3"),
    ('{"ab": 1}', {"propertyNames": {"maxLength": 1}}, "maxLength", '{"ab": 1}'),
    ("[1, 2]", {"prefixItems": [True], "items": False}, "items", "2]"),
    (
        "[1, 2]",
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "items": [True],
            "additionalItems": False,
        },
        "additionalItems",
        "2]",
    ),
    ('"x"', {"format": "date"}, "format", '"x"'),
    ('"x"', {"minLength": 2}, "minLength", '"'),
]


@pytest.mark.parametrize(("text", "schema", "keyword", "rest"), OTHER_KEYWORDS)
def test_each_keyword_has_a_place_and_a_message(
    text: str, schema: Any, keyword: str, rest: str
) -> None:
    failure = check(text, schema)
    assert failure is not None
    assert failure.keyword == keyword
    assert failure.message
    assert text[failure.offset :] == rest


MULTIPLES = [
    ("0.3", 0.1, True), ("0.35", 0.1, False), ("1.13", 0.01, True), ("19.99", 0.01, True),
    ("0.0075", 0.0001, True), ("0.00751", 0.0001, False), ("1e308", 0.123456789, False),
    ("12391239123", 1e-8, True), ("9007199254740993", 2, False), ("9007199254740992", 2, True),
    ("4.5", 1.5, True), ("35", 1.5, False), ("0", 0.7, True), ("-0.3", 0.1, True),
    ("1e300", 10, True), ("1e-99999", 0.1, False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "step", "holds"), MULTIPLES)
def test_multiples_are_decimal(text: str, step: float, holds: bool) -> None:
    assert (check(text, {"multipleOf": step}) is None) is holds


@pytest.mark.parametrize(
    ("text", "schema", "holds"),
    [
        ("9007199254740993", {"maximum": 9007199254740992}, False),
        ("0.1", {"maximum": 0.1}, True),
        ("0.10000000000000001", {"maximum": 0.1}, False),
        ("9007199254740993", {"const": 9007199254740992}, False),
        ("1.0", {"enum": [1]}, True),
        ("true", {"enum": [1]}, False),
        ("0", {"const": False}, False),
        ("[1, true]", {"uniqueItems": True}, True),
        ("[1, 1.0]", {"uniqueItems": True}, False),
        ('[{"a": 1, "b": 2}, {"b": 2.0, "a": 1}]', {"uniqueItems": True}, False),
        ("1e2", {"type": "integer"}, True),
        ("1.0", {"$schema": "http://json-schema.org/draft-04/schema#", "type": "integer"}, False),
    ],
)
def test_numbers_are_compared_exactly(text: str, schema: Any, holds: bool) -> None:
    assert (check(text, schema) is None) is holds


@pytest.mark.parametrize(
    ("text", "schema", "holds"),
    [
        ("null", {"type": "string", "nullable": True}, True),
        ("null", {"type": "string", "nullable": False}, False),
        ("[1]", {"items": [{"type": "string"}]}, False),
        ('["a", 1]', {"items": [{"type": "string"}], "additionalItems": False}, False),
        ('{"a": 1}', {"dependencies": {"a": ["b"]}}, False),
        ("5", {"minimum": 5, "exclusiveMinimum": True}, False),
        ("5", {"minimum": 5, "exclusiveMinimum": False}, True),
        ('{"a": 1}', {"properties": {"a": {"required": True}}}, True),
        ("1", {"$schema": "urn:example:unknown", "type": "string"}, False),
        ("1", {"$schema": "https://json-schema.org/draft-07/schema", "const": 2}, False),
    ],
)
def test_a_schema_without_a_known_draft_may_use_old_spellings(
    text: str, schema: Any, holds: bool
) -> None:
    assert (check(text, schema) is None) is holds


def test_the_siblings_of_a_reference_count_since_2019() -> None:
    schema = {"$ref": "#/definitions/a", "type": "string", "definitions": {"a": True}}
    assert check("1", schema) is not None
    assert check("1", {"$schema": "http://json-schema.org/draft-07/schema#", **schema}) is None


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"$ref": "http://example.org/other.json"}, "http://example.org/other.json"),
        ({"$ref": "other.json#/a"}, "other.json"),
        ({"$ref": "#/$defs/gone"}, "#/$defs/gone"),
        ({"unevaluatedProperties": False, "$ref": "#/gone"}, "gone"),
        ({"$ref": "#"}, "without end"),
        ({"allOf": [{"$ref": "#"}]}, "without end"),
        ({"type": "colour"}, "#/type"),
        ({"minimum": "5"}, "#/minimum"),
        ({"properties": {"a": 5}}, "#/properties/a"),
        ({"multipleOf": "a"}, "#/multipleOf"),
        ({"pattern": "("}, "pattern"),
        (5, "object or a boolean"),
        ([], "object or a boolean"),
    ],
)
def test_a_schema_that_cannot_be_used_is_a_constraint_error(schema: Any, message: str) -> None:
    errors = []
    for text in ('{"a": 1}', "1", '"a"'):
        try:
            check(text, schema)
        except ConstraintError as error:
            errors.append(str(error))
    assert errors
    assert all(message in error for error in errors)


def test_remote_schemas_come_from_the_store_alone() -> None:
    schema = {"$ref": "http://example.org/name.json"}
    store = {"http://example.org/name.json": {"type": "string"}}
    assert check('"a"', schema, store=store) is None
    assert check("1", schema, store=store) is not None


def test_a_store_is_read_from_a_folder(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_text('{"$id": "urn:a", "type": "string"}', encoding="utf-8")
    store = read_store(tmp_path, "http://example.org/")
    assert sorted(store) == ["http://example.org/in/a.json", "urn:a"]
    assert check("1", {"$ref": "urn:a"}, store=store) is not None
    assert check('"x"', {"$ref": "http://example.org/in/a.json"}, store=store) is None


@pytest.mark.parametrize("text", ["{", '{"a": 1, "a": 2}', "\x00"])
def test_a_store_that_cannot_be_read_names_the_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.json").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=r"bad\.json, line 1"):
        read_store(tmp_path)
    with pytest.raises(UsageError, match="not a folder"):
        read_store(tmp_path / "gone")


def test_a_stored_schema_without_a_draft_is_of_the_draft_that_refers_to_it() -> None:
    store = {"urn:a": {"exclusiveMinimum": True, "minimum": 5}}
    draft4 = {"$schema": "http://json-schema.org/draft-04/schema#"}
    assert check("5", {**draft4, "allOf": [{"$ref": "urn:a"}]}, store=store) is not None


def test_check_schema_says_where() -> None:
    check_schema({"type": "object"})
    check_schema(True)
    check_schema({"pattern": "(?i)a", "$id": "not a uri"})
    check_schema({"minimum": 1, "exclusiveMinimum": True})
    check_schema({"items": [{"type": "string"}], "additionalItems": False})
    with pytest.raises(ConstraintError, match="#/properties/a/minLength"):
        check_schema({"properties": {"a": {"minLength": -1}}})
    draft4 = {"$schema": "http://json-schema.org/draft-04/schema#"}
    with pytest.raises(ConstraintError, match="#/exclusiveMinimum"):
        check_schema({**draft4, "exclusiveMinimum": 5, "minimum": 1})


def test_deep_documents_and_long_chains_are_validated() -> None:
    assert check("[" * 4000 + "]" * 4000, {"items": {"$ref": "#"}}) is None
    chain: dict[str, Any] = {f"d{i}": {"$ref": f"#/$defs/d{i + 1}"} for i in range(3000)}
    chain["d3000"] = {"type": "string"}
    assert check("1", {"$ref": "#/$defs/d0", "$defs": chain}) is not None


def test_a_schema_whose_work_doubles_at_each_step_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mlxjson.validate.keywords.TIME_LIMIT", 0.2)
    doubling = {f"d{i}": {"allOf": [{"$ref": f"#/$defs/d{i + 1}"}] * 2} for i in range(40)}
    start = time.monotonic()
    with pytest.raises(ConstraintError, match="takes longer"):
        check("1", {"$ref": "#/$defs/d0", "$defs": {**doubling, "d40": True}})
    assert time.monotonic() - start < 5


def test_a_prepared_schema_serves_many_documents() -> None:
    validator = prepare(PERSON)
    assert [validator.check(text) is None for text in ('{"name": "A"}', "{}", '{"name": "B"}')] == [
        True, False, True,
    ]  # fmt: skip


def test_the_schema_is_not_changed() -> None:
    schema = {"multipleOf": 0.1, "enum": [0.3]}
    check("0.3", schema)
    assert schema == {"multipleOf": 0.1, "enum": [0.3]}
    assert type(schema["multipleOf"]) is float
