"""Request bodies as rows of a batch."""

import json
from pathlib import Path
from typing import Any

import pytest

from mlxjson.batch.rows import read_lines
from mlxjson.batch.tasks import Defaults
from mlxjson.constraint import Choice, Free, JsonObject, JsonSchema, Layout
from mlxjson.errors import UsageError
from mlxjson.task import Task
from tests.command import mlxjson
from tests.request_bodies import COLOURS, PERSON, chat, schema_format
from tests.tiny_model import make_tiny_model


def task_of(row: Any, **defaults: Any) -> Task:
    return Defaults(**defaults).task(next(read_lines([json.dumps(row).encode()])))


def test_a_row_may_be_a_body() -> None:
    task = task_of({"id": 5, **chat("Ada", response_format=schema_format(), temperature=0.5)})
    assert task.constraint == JsonSchema(PERSON)
    assert task.messages == [{"role": "user", "content": "Ada"}]
    assert task.temperature == 0.5


def test_a_row_of_openais_batches_has_its_body_inside() -> None:
    row = {
        "custom_id": "request-1",
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": chat("Ada", response_format={"type": "json_object"}),
    }
    assert next(read_lines([json.dumps(row).encode()])).id == "request-1"
    assert task_of(row).constraint == JsonObject()


def test_a_body_takes_what_it_does_not_say_from_the_options() -> None:
    given = JsonSchema(True, Layout.COMPACT)
    task = task_of(chat("x"), constraint=given, options={"max_tokens": 7, "seed": 3})
    assert (task.constraint, task.max_tokens, task.seed) == (Free(), 7, 3)
    task = task_of(chat("x", response_format=schema_format()), constraint=given)
    assert task.constraint == JsonSchema(PERSON, Layout.COMPACT)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (chat("x", temperature="warm"), "/temperature"),
        (chat("x", n=2), "/n"),
        ({"guided_choice": ["a"]}, "neither 'messages' nor 'prompt'"),
        ({"body": {}}, "neither 'messages' nor 'prompt'"),
    ],
)
def test_a_wrong_body_is_the_fault_of_its_row(body: Any, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        task_of(body)


@pytest.mark.slow
def test_rows_of_both_kinds_go_through_one_batch(tmp_path: Path) -> None:
    model = make_tiny_model(tmp_path / "tiny")
    rows = [
        {"id": "plain", "text": "x", "choices": COLOURS},
        {"id": "body", **chat("x", guided_choice=COLOURS, stop=["zz"])},
        {"custom_id": "inside", "body": {"prompt": "x", "guided_regex": "[ab]{3}"}},
        {"id": "wrong", **chat("x", top_p=7)},
    ]
    lines = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    ran = mlxjson("gen", "-m", str(model), "--input", "-", home=tmp_path, stdin=lines)
    assert ran.code == 7, ran.err.decode()
    results = {row["id"]: row for row in map(json.loads, ran.text.splitlines())}
    assert results["plain"]["result"] in COLOURS
    assert results["body"]["result"] in COLOURS
    assert len(results["inside"]["result"]) == 3
    assert "/top_p" in results["wrong"]["error"]["message"]


def test_a_choice_is_what_it_was() -> None:
    assert task_of({"text": "x", "choices": COLOURS}).constraint == Choice(tuple(COLOURS))
