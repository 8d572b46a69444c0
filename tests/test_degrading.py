"""`--on-uncompilable`: what becomes of a schema that no grammar can be made of."""

import json
from pathlib import Path
from typing import Any

import pytest

from mlxjson.constraint import JsonObject, JsonSchema
from mlxjson.errors import ConstraintError
from mlxjson.prepared import degraded
from tests.batch_helpers import run_batch, session_of
from tests.command import Outcome, mlxjson
from tests.scripted_batch import BatchModel
from tests.tiny_model import make_tiny_model

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


# Rows of a batch

WHOLE = {"anyOf": [LONG, {"type": "integer"}, {"type": "object"}, {"type": "null"}]}
ROWS = [{"id": f"row {n}", "text": f"text {n}"} for n in range(24)]


@pytest.mark.parametrize("width", [1, 3])
def test_rows_go_on_without_a_grammar_and_only_valid_ones_are_ok(width: int) -> None:
    ran = run_batch(
        session_of(BatchModel()),
        ROWS,
        constraint=JsonSchema(WHOLE),
        defaults={"degrade": True, "options": {"draft": 0}},
        width=width,
    )
    check = degraded(JsonSchema(WHOLE)).check
    done = [row for row in ran.rows if row["ok"]]
    assert len(ran.rows) == len(ROWS)
    assert len(done) > 0
    assert all(check(json.dumps(row["result"])) is None for row in done)
    assert {row["error"]["code"] for row in ran.rows if not row["ok"]} <= {4, 5}
    assert ran.err.count("can't be enforced, only asked for and checked: minLength") == 1


def test_all_widths_give_the_same_rows() -> None:
    def rows(width: int) -> list[Any]:
        ran = run_batch(
            session_of(BatchModel()),
            [{**row, "schema": UNCOMPILABLE} for row in ROWS],
            defaults={"degrade": True, "options": {"draft": 0}},
            width=width,
        )
        return [(row["id"], row["result"], row["error"], row["tokens"]["retries"])
                for row in ran.rows]  # fmt: skip

    assert rows(1) == rows(5)


@pytest.mark.parametrize("width", [1, 3])
def test_a_schema_is_warned_of_once_however_many_rows_have_it(width: int) -> None:
    other = {**UNCOMPILABLE, "required": ["name"]}
    rows = [{**row, "schema": (UNCOMPILABLE, other, {"type": "null"})[n % 3]}
            for n, row in enumerate(ROWS)]  # fmt: skip
    session = session_of(BatchModel())
    ran = run_batch(session, rows, defaults={"degrade": True}, width=width)
    said = [line for line in ran.err.splitlines() if "can't be enforced" in line]
    assert sorted(line.split(":")[1] for line in said) == [" row row 0", " row row 1"]
    assert all(row["ok"] for row in ran.rows[2::3])


def test_rows_are_refused_unless_told_to_go_on() -> None:
    rows = [{"text": "a", "schema": UNCOMPILABLE}, {"text": "b", "schema": {"type": "null"}}]
    ran = run_batch(session_of(BatchModel()), rows, width=2)
    assert [row["error"] and row["error"]["code"] for row in ran.rows] == [3, None]
    with pytest.raises(ConstraintError):
        raise run_batch(session_of(), rows, constraint=JsonSchema(UNCOMPILABLE)).error or OSError


@pytest.mark.parametrize(
    "schema", [{"type": "string", "minLength": 5, "maxLength": 1}, {"$ref": 5}]
)
def test_a_row_that_nothing_can_satisfy_fails_by_itself(schema: Any) -> None:
    rows = [{"text": "a", "schema": schema}, {"text": "b", "schema": {"type": "null"}}]
    ran = run_batch(session_of(BatchModel()), rows, defaults={"degrade": True}, width=2)
    assert [row["error"] and row["error"]["code"] for row in ran.rows] == [3, None]
    assert "can't be enforced" not in ran.err


@pytest.mark.slow
@pytest.mark.parametrize("width", ["1", "2"])
@pytest.mark.parametrize("switch", ["--on-uncompilable", "MLXJSON_GRAMMAR"])
def test_a_batch_goes_on_through_the_command_line(switch: str, width: str, tmp_path: Path) -> None:
    body = {"type": "json_schema", "json_schema": {"name": "x", "schema": UNCOMPILABLE}}
    rows = [
        {"id": "default", "text": "Ada Lovelace"},
        {"id": "own", "text": "Ada", "schema": {**UNCOMPILABLE, "title": "own"}},
        {"id": "regex", "text": "Ada", "regex": "[ab]{2}"},
        {"id": "body", "messages": [{"role": "user", "content": "Ada"}], "response_format": body},
    ]
    model = make_tiny_model(tmp_path / "tiny")
    arguments = ("--on-uncompilable", "prompt") if switch.startswith("--") else ()
    outcome = mlxjson(
        *("gen", "-m", str(model), "-s", json.dumps(UNCOMPILABLE), "--max-tokens", "40"),
        *("--input", "-", "--batch", width, *arguments),
        home=tmp_path,
        stdin=b"".join(json.dumps(row).encode() + b"\n" for row in rows),
        variables={} if arguments else {switch: "0"},
    )
    made = {row["id"]: row for row in map(json.loads, outcome.text.splitlines())}
    assert list(made) == ["default", "own", "regex", "body"], outcome.err.decode()
    check = degraded(JsonSchema(UNCOMPILABLE)).check
    for row in (made[name] for name in ("default", "own", "body")):
        assert row["ok"] is (row["error"] is None)
        assert (check(json.dumps(row["result"])) is None) if row["ok"] else row["error"]["code"] > 3
    said = [line for line in outcome.lines if "only asked for and checked" in line]
    assert len(said) == 2  # the body has the same schema as rows that bring none
    assert outcome.lines[0].startswith("mlxjson: MLXJSON_GRAMMAR=0") is not bool(arguments)
