"""`--on-uncompilable`: what becomes of a schema that no grammar can be made of."""

import json
from pathlib import Path
from typing import Any

import pytest

from mlxjson.constraint import JsonObject, JsonSchema
from mlxjson.errors import ConstraintError
from mlxjson.prepared import degraded
from tests.command import Outcome, mlxjson

LONG = {"type": "string", "minLength": 1_000_000_000}
# Any small object without an essay fits, yet there is no grammar for the whole.
UNCOMPILABLE = {"type": "object", "properties": {"name": {"type": "string"}, "essay": LONG}}


def gen(home: Path, schema: Any, *arguments: str, **variables: str) -> Outcome:
    options = ("gen", "-s", json.dumps(schema), "--max-tokens", "60", *arguments, "Ada Lovelace")
    return mlxjson(*options, home=home, variables=variables)


def test_without_the_grammar_the_whole_schema_is_still_checked() -> None:
    prepared = degraded(JsonSchema(UNCOMPILABLE))
    enforced = prepared.enforcement()
    assert not enforced.exact
    assert enforced.source is not None
    assert prepared.check('{"name": "Ada"}') is None
    assert prepared.check('{"name": 5}') is not None
    assert prepared.check('{"essay": "short"}') is not None


def test_an_object_is_asked_for_as_one() -> None:
    of_object = degraded(JsonSchema(UNCOMPILABLE)).enforcement().source
    of_any = degraded(JsonSchema({"anyOf": [UNCOMPILABLE, LONG]})).enforcement().source
    from mlxjson.enforcement import enforcement

    assert of_object == enforcement(JsonObject()).source
    assert of_any == enforcement(JsonSchema(True)).source


def test_a_schema_that_is_none_can_not_be_checked_either() -> None:
    with pytest.raises(ConstraintError, match="strnig"):
        degraded(JsonSchema({"type": "strnig"}))


def test_it_fails_by_default(tmp_path: Path) -> None:
    outcome = gen(tmp_path, UNCOMPILABLE)
    assert outcome.code == 3
    assert "minLength" in outcome.err.decode()


@pytest.mark.slow
def test_it_goes_on_when_told_to_and_says_so(tmp_path: Path) -> None:
    outcome = gen(tmp_path, UNCOMPILABLE, "--on-uncompilable", "prompt")
    assert "can't be enforced, only asked for and checked: minLength" in outcome.err.decode()
    assert outcome.code in (0, 4, 5), outcome.err.decode()
    if outcome.code == 0:
        assert degraded(JsonSchema(UNCOMPILABLE)).check(outcome.text) is None
    else:
        assert outcome.out == b""


def prompt_tokens(outcome: Outcome) -> int:
    figures = next(line for line in outcome.lines if line.startswith("{"))
    return int(json.loads(figures)["prompt_tokens"])


@pytest.mark.slow
def test_the_schema_is_told_even_where_prompts_do_not_tell_it(tmp_path: Path) -> None:
    quiet = ("--no-schema-in-prompt", "--stats=json")
    plain = gen(tmp_path, {"type": "object"}, *quiet, "--max-tokens", "1")
    degrading = gen(
        tmp_path, UNCOMPILABLE, *quiet, "--max-tokens", "1", "--on-uncompilable", "prompt"
    )
    assert prompt_tokens(degrading) > prompt_tokens(plain) + 20


@pytest.mark.slow
def test_the_switch_that_turns_grammars_off_needs_none(tmp_path: Path) -> None:
    outcome = gen(tmp_path, UNCOMPILABLE, "--max-tokens", "3", MLXJSON_GRAMMAR="0")
    assert outcome.code in (0, 4, 5)
    assert "MLXJSON_GRAMMAR=0" in outcome.lines[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("schema", "arguments", "says"),
    [
        ({"type": "string", "minLength": 5, "maxLength": 1}, (), "no document satisfies"),
        ({"type": "strnig"}, (), "strnig"),
        (UNCOMPILABLE, ("--strict",), "can't be compiled"),
    ],
    ids=["satisfied by nothing", "no schema", "strict"],
)
def test_it_does_not_go_on_where_that_leads_nowhere(
    schema: Any, arguments: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    outcome = gen(tmp_path, schema, "--on-uncompilable", "prompt", *arguments)
    assert outcome.code == 3
    assert says in outcome.err.decode()
