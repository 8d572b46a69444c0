"""What `--schema` may name, which of several meanings wins, and what is said when there is none."""

import json
from pathlib import Path
from typing import Any

import pytest

from mlxjson.errors import UsageError
from mlxjson.sources import schema_given, schema_of
from mlxjson.sources.infer import infer
from mlxjson.validate import check
from tests.command import ROOT, mlxjson
from tests.sources_helpers import inputs
from tests.test_startup import HEAVY, modules_after

INTEGER = {"type": "integer"}
STRING = {"type": "string"}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def named(name: str, here: Path, stdin: bytes | None = None) -> Any:
    return schema_of(name, inputs(here, stdin))


def refused(name: str, here: Path, stdin: bytes | None = None) -> str:
    with pytest.raises(UsageError) as caught:
        named(name, here, stdin)
    return str(caught.value)


def fields(schema: Any) -> list[str]:
    return list(schema["properties"])


# Which meaning wins


def test_json_is_taken_as_it_is(here: Path) -> None:
    assert named('{"type": "integer"}', here) == INTEGER
    assert named(" true ", here) is True
    assert named("[true]", here) == [True]


def test_a_bracket_before_a_word_is_the_short_form(here: Path) -> None:
    assert named("[int]", here) == {"type": "array", "items": INTEGER}
    assert fields(named("{a, b: int}", here)) == ["a", "b"]
    assert named("[1|2]", here) == {"type": "array", "items": {"enum": [1, 2]}}
    assert named('["a"|"b"]', here)["items"] == {"enum": ["a", "b"]}
    for text, says in (
        ('[{"type": "object",}]', "line 1, column 20"),
        ("[1,]", "line 1, column 4"),
    ):
        with pytest.raises(UsageError, match=says):
            named(text, here)


def test_a_file_wins_over_everything_its_name_could_mean(here: Path) -> None:
    for name in ("person", "a: int", "os:path", "a#b", "x, y"):
        Path(name).write_text('{"type": "integer"}')
        assert named(name, here) == INTEGER


def test_a_type_behind_the_colon_makes_it_the_short_form(here: Path) -> None:
    assert named("age:int", here)["properties"] == {"age": INTEGER}
    assert "no module 'age'" in refused("age:Int", here)


def test_the_users_schema_wins_over_the_packaged_one(here: Path) -> None:
    packaged = json.loads((ROOT / "schemas" / "person.json").read_text())
    assert named("person", here) == packaged
    folder = here / ".config" / "mlxjson" / "schemas"
    folder.mkdir(parents=True)
    (folder / "person.yaml").write_text("type: integer")
    assert named("person", here) == INTEGER


def test_one_word_that_names_nothing_is_no_short_form(here: Path) -> None:
    said = refused("persn", here)
    assert "no schema named 'persn'" in said
    assert "Did you mean 'person'?" in said
    assert "'persn: str'" in said


@pytest.mark.parametrize("name", ["no-such.json", "no such.yaml", "folder/thing", "a.yml#/b"])
def test_what_looks_like_a_file_is_one_even_if_it_is_missing(name: str, here: Path) -> None:
    assert "No such file" in refused(name, here)


def test_an_example_and_a_schema_exclude_each_other(here: Path) -> None:
    with pytest.raises(UsageError, match="both"):
        schema_given("person", "example.json", inputs(here))
    assert schema_given(None, None, inputs(here)) is None


# YAML


def test_yaml_means_what_the_json_would_mean(here: Path) -> None:
    text = """
    type: object
    properties:
      on: {enum: [no, yes, ~, 010, 0x1F, 1_000, 12:30]}
      day: {type: string, default: 2024-02-30}
      size: &size {type: integer, minimum: 1}
      width: *size
      depth: {<<: *size, minimum: 2}
      404: true
    """
    Path("a.yaml").write_text(text)
    properties = named("a.yaml", here)["properties"]
    assert properties["on"]["enum"] == ["no", "yes", None, 10, 31, "1_000", "12:30"]
    assert properties["day"]["default"] == "2024-02-30"
    assert properties["width"] == {"type": "integer", "minimum": 1}
    assert properties["depth"] == {"type": "integer", "minimum": 2}
    assert properties["404"] is True


def test_yaml_comes_through_a_pipe_too(here: Path) -> None:
    assert named("-", here, b"type: integer\n") == INTEGER
    assert named("-", here, b'{"type": "integer"}') == INTEGER


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: [1, 2", "line 1, column 9: not YAML"),
        ("a: 1\nb: 2\na: 3", "line 3, column 1: not YAML: the key 'a' is there twice"),
        ("? [a]\n: 1", "line 1, column 3: not YAML: a key must be a scalar"),
        ("a: !!python/object:os.system {}", "could not determine a constructor"),
        ("a: 1\n---\nb: 2", "expected a single document"),
        ("a: &a [*a]", "recursive"),
        ("a: .nan", None),
        ("a: 1e999", "too large"),
        ("\tx: 1", "line 1, column 1: not YAML"),
        ("a: \x00", "not YAML"),
        ("[" * 5000, "deep"),
    ],
)
def test_yaml_faults_have_a_place(text: str, says: str | None, here: Path) -> None:
    Path("a.yaml").write_text(text)
    if says is None:
        assert named("a.yaml", here) == {"a": ".nan"}
    else:
        assert says in refused("a.yaml", here)


def test_yaml_aliases_can_not_fill_the_memory(here: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    Path("a.yaml").write_text("\n".join(lines))
    assert "too large" in refused("a.yaml", here)


# OpenAPI, and pointers

API = """
openapi: 3.0.3
info: {title: Shop, version: "1"}
paths:
  /orders:
    get: {responses: {200: {description: ok}}}
components:
  schemas:
    Order:
      type: object
      required: [id, lines]
      properties:
        id: {type: integer, minimum: 0, exclusiveMinimum: true}
        note: {type: string, nullable: true, example: 5}
        state: {type: string, enum: [open, no], nullable: true}
        buyer: {nullable: true, allOf: [{$ref: "#/components/schemas/Buyer"}]}
        nullable: {type: string}
        lines: {type: array, items: {$ref: "#/components/schemas/a~1b%20c"}}
    Buyer:
      type: object
      properties:
        name: {type: string}
        friend: {$ref: "#/components/schemas/Buyer", description: ignored here}
    a/b c: {type: object, properties: {sku: {type: string}}, required: [sku]}
    Unused: {type: string}
"""


@pytest.fixture
def order(here: Path) -> Any:
    Path("api.yaml").write_text(API)
    return named("api.yaml#/components/schemas/Order", here)


def test_an_openapi_schema_stands_on_its_own(order: Any) -> None:
    assert set(order["$defs"]) == {"Buyer", "a_1b_c"}
    document = {"id": 1, "lines": [{"sku": "x"}]}
    assert check(json.dumps(document), order) is None
    assert check('{"id": 1, "lines": [{}]}', order) is not None
    assert check('{"id": 1, "lines": [], "buyer": {"friend": {"name": 5}}}', order) is not None


def test_openapi_3_0_says_null_and_exclusive_in_its_own_way(order: Any) -> None:
    base = {"id": 1, "lines": []}
    for field in ("note", "state", "buyer"):
        assert check(json.dumps({**base, field: None}), order) is None
    assert check(json.dumps({**base, "nullable": None}), order) is not None
    assert check(json.dumps({**base, "id": 0}), order) is not None
    assert check(json.dumps({**base, "id": None}), order) is not None


def test_openapi_3_1_is_json_schema(here: Path) -> None:
    document = {
        "openapi": "3.1.0",
        "components": {"schemas": {"A": {"type": ["integer", "null"], "exclusiveMinimum": 0}}},
    }
    Path("api.json").write_text(json.dumps(document))
    schema = named("api.json#/components/schemas/A", here)
    assert check("null", schema) is None
    assert check("0", schema) is not None


def test_swagger_2_keeps_its_schemas_under_definitions(here: Path) -> None:
    item = {"type": "string", "x-nullable": True}
    document = {"swagger": "2.0", "definitions": {"A": {"type": "array", "items": item}}}
    Path("api.json").write_text(json.dumps(document))
    assert check('["a", null]', named("api.json#/definitions/A", here)) is None


def test_a_pointer_into_a_json_schema_keeps_its_references(here: Path) -> None:
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": {
            "A": {"type": "array", "items": {"$ref": "#/$defs/B"}, "$defs": {"B": INTEGER}},
            "B": {"anyOf": [STRING, {"$ref": "#"}]},
        },
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A"}, "$ref": STRING},
    }
    Path("s.json").write_text(json.dumps(whole))
    schema = named("s.json#/$defs/A", here)
    assert check('["x", {"a": ["y"]}]', schema) is None
    assert check('["x", {"a": [5]}]', schema) is not None
    assert named("s.json#", here)["properties"].keys() == {"a", "$ref"}


def test_what_is_near_a_wrong_pointer_is_named(here: Path, order: Any) -> None:
    said = refused("api.yaml#/components/schemas/Ordr", here)
    assert "there is no 'Ordr' at /components/schemas" in said
    assert "Did you mean 'api.yaml#/components/schemas/Order'?" in said
    assert "api.yaml#/components/schemas/Buyer" in refused("api.yaml#/nothing", here)
    assert "begins with '/'" in refused("api.yaml#Order", here)


def test_a_whole_api_description_is_no_schema(here: Path, order: Any) -> None:
    said = refused("api.yaml", here)
    assert "not a schema" in said
    assert "'api.yaml#/components/schemas/Order'" in said


def test_a_reference_to_nowhere_is_named(here: Path) -> None:
    Path("s.json").write_text('{"a": {"items": {"$ref": "#/b"}}}')
    assert "there is no 'b' at the top" in refused("s.json#/a", here)


# Examples


@pytest.mark.parametrize(
    ("example", "fits", "fails"),
    [
        ({"a": 1, "b": "x"}, {"a": 2, "b": ""}, {"a": 1}),
        ({"a": [1, 2.5]}, {"a": []}, {"a": ["x"]}),
        ([{"a": 1}, {"a": None, "b": True}], [{"a": 5}], [{"b": True}]),
        ({"d": "2024-02-28"}, {"d": "2025-01-01"}, {"d": "tomorrow"}),
        (["2024-02-28", "soon"], ["x"], [1]),
        ({"m": "a@example.org"}, {"m": "b@example.net"}, {"m": "b"}),
        ({"x": []}, {"x": [1, "a"]}, {"x": 1}),
        ({"x": {}}, {"x": {}}, {"x": {"y": 1}}),
        ("text", "other", 5),
        (None, None, 0),
        ([1, [2], {"a": 3}], [[5], {"a": 1}, 7], [[[5]]]),
    ],
)
def test_an_example_gives_a_schema_of_its_like(example: Any, fits: Any, fails: Any) -> None:
    schema = infer(example)
    assert check(json.dumps(example), schema) is None
    assert check(json.dumps(fits), schema) is None
    assert check(json.dumps(fails), schema) is not None


def test_the_command_prints_the_schema_of_an_example(tmp_path: Path) -> None:
    outcome = mlxjson("schema", "--like", "-", home=tmp_path, stdin=b'{"age": 36, "tags": ["x"]}')
    assert outcome.code == 0
    assert json.loads(outcome.text)["properties"]["age"] == INTEGER


@pytest.mark.parametrize("schema", ["person", "a: int", '{"type": "integer"}'])
def test_only_what_a_source_needs_is_imported(schema: str, tmp_path: Path) -> None:
    loaded = modules_after(tmp_path, "schema", schema)
    assert not loaded & {*HEAVY, "yaml", "regex", "jsonschema"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "no schema to print"),
        (("person", "--like", "x.json"), "both"),
        (("--like", "no-such.json"), "example: No such file"),
        (("no_such_module:Class",), "no module 'no_such_module'"),
    ],
)
def test_the_command_explains_what_is_missing(
    arguments: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    outcome = mlxjson("schema", *arguments, home=tmp_path)
    assert outcome.code == 2
    assert says in outcome.err.decode()
    assert 1 <= len(outcome.lines) <= 2
    assert outcome.out == b""
