"""`mlxjson check` through the real command line."""

import json
from pathlib import Path

import pytest

from tests.command import PERSON, mlxjson

pytestmark = pytest.mark.slow

UNIQUE = '{"type": "array", "items": {"type": "string"}, "uniqueItems": true}'


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


def test_a_schema_of_the_tree_is_exact(home: Path) -> None:
    outcome = mlxjson("check", PERSON, "--strict", home=home)
    assert outcome.code == 0, outcome.lines
    assert "exact: the grammar enforces all of it" in outcome.text
    assert "/properties/age" in outcome.text


def test_what_is_left_to_check_is_named_and_strict_refuses_it(home: Path) -> None:
    outcome = mlxjson("check", UNIQUE, home=home)
    assert outcome.code == 0
    assert any(line.split()[:3] == ["#", "uniqueItems", "checked"] for line in lines(outcome.text))
    assert mlxjson("check", UNIQUE, "--strict", home=home).code == 3


def test_a_schema_that_nothing_satisfies_is_refused(home: Path) -> None:
    outcome = mlxjson("check", '{"enum": []}', home=home)
    assert outcome.code == 3
    assert "refused" in outcome.text


def test_machines_get_json(home: Path) -> None:
    found = json.loads(mlxjson("check", UNIQUE, "--json", home=home).text)
    states = {row["keyword"]: row["state"] for row in found["rows"]}
    assert states["uniqueItems"] == "checked"
    assert found["exact"] is False
    assert found["shortest"] == "[]"


def test_instances_get_both_verdicts(home: Path) -> None:
    rows = b'["a", "b"]\n["a", "a"]\n[1]\n'
    outcome = mlxjson("check", UNIQUE, "--instances", "-", home=home, stdin=rows)
    verdicts = [json.loads(line) for line in lines(outcome.text)]
    assert [v["accepted"] for v in verdicts] == [True, True, False]
    assert [v["valid"] for v in verdicts] == [True, False, False]


def test_cases_survive_any_line(home: Path) -> None:
    deep = '{"items":' * 300 + "{}" + "}" * 300
    deeper = '{"items":' * 30_000 + "{}" + "}" * 30_000
    cases = "\n".join(
        [
            '{"id": 1, "schema": {"type": "integer"}, "instances": [1, 1.0, 1.5]}',
            "not JSON",
            "",
            '{"id": 2, "schema": {"type": 5}, "instances": [1]}',
            f'{{"id": 3, "schema": {deep}, "instances": [[]]}}',
            f'{{"id": "deeper", "schema": {deeper}, "instances": [[]]}}',
            '{"id": 4, "schema": {"$ref": "http://example.org/x"}, "instances": [1]}',
            '{"id": 5, "schema": {"enum": ["a"]}, "instances": ["a", "b"]}',
        ]
    )
    outcome = mlxjson("check", "--cases", "-", home=home, stdin=cases.encode())
    assert outcome.code == 0, outcome.lines
    found = [json.loads(line) for line in lines(outcome.text)]
    assert [row["id"] for row in found] == [1, None, 2, 3, None, 4, 5]
    assert found[0]["accepted"] == found[0]["valid"] == [True, True, False]
    assert all(found[at]["error"] for at in (1, 2, 4, 5))
    assert found[6]["accepted"] == [True, False]
    assert found[6]["exact"] is True


def test_local_copies_stand_for_remote_schemas(home: Path, tmp_path: Path) -> None:
    (tmp_path / "age.json").write_text('{"type": "integer", "minimum": 0}')
    schema = '{"$ref": "http://example.org/s/age.json"}'
    options = ("--instances", "-", "--local", f"http://example.org/s={tmp_path}")
    outcome = mlxjson("check", schema, *options, home=home, stdin=b"1\n-1\n")
    assert [json.loads(line)["accepted"] for line in lines(outcome.text)] == [True, False]


def lines(text: str) -> list[str]:
    return text.splitlines()
