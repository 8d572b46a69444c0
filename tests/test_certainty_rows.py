"""How sure the model is of rows, of several choices, and of what a server would answer."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mlxjson.batch.engine import BatchLane
from mlxjson.batch.rows import Row
from mlxjson.batch.tasks import Defaults
from tests.batch_helpers import session_of
from tests.command import Outcome, mlxjson
from tests.request_bodies import COLOURS, chat, schema_format
from tests.scripted_batch import BatchModel
from tests.tiny_model import make_tiny_model

SHORT = {
    "type": "object",
    "properties": {"a": {"enum": [1, 2, 3]}, "b": {"type": ["boolean", "null"]}},
    "required": ["a", "b"],
}
ROWS: list[dict[str, Any]] = [
    {"id": "one", "text": "x"},
    {"id": "colour", "text": "y", "choices": COLOURS},
    {"id": "bad", "text": "z", "schema": "none.json"},
    {"id": "body", **chat("w", response_format=schema_format(SHORT))},
    {"id": "five", "text": "v"},
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_tiny_model(tmp_path_factory.mktemp("tiny")))


def rows(home: Path, model: str, *options: str, given: Any = ROWS) -> Outcome:
    data = b"".join(json.dumps(row).encode() + b"\n" for row in given)
    asked = ("gen", "-m", model, "-s", json.dumps(SHORT), "--input", "-", *options)
    return mlxjson(*asked, home=home, stdin=data)


def by_id(outcome: Outcome) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in map(json.loads, outcome.text.splitlines())}


@pytest.mark.parametrize("width", ["1", "3"])
def test_each_row_has_its_confidence_beside_its_result(home: Path, model: str, width: str) -> None:
    plain = by_id(rows(home, model, "--batch", "1"))
    outcome = rows(home, model, "--confidence", "--batch", width)
    made = by_id(outcome)
    assert list(made) == [row["id"] for row in ROWS]
    assert outcome.code == 7
    assert [made[i]["result"] for i in made] == [plain[i]["result"] for i in made]
    for name in ("one", "body", "five"):
        assert list(made[name])[2:4] == ["result", "confidence"]
        assert list(made[name]["confidence"]) == ["/a", "/b"]
        assert all(0 < value <= 1 for value in made[name]["confidence"].values())
    assert list(made["colour"]["confidence"]) == [""]
    assert "confidence" not in made["bad"]


@pytest.mark.parametrize("width", ["1", "2"])
def test_each_row_lists_its_tokens(home: Path, model: str, width: str) -> None:
    made = by_id(rows(home, model, "--top-logprobs", "2", "--batch", width))
    tokens = made["one"]["logprobs"]
    assert json.loads("".join(token["token"] for token in tokens)) == made["one"]["result"]
    assert all(1 <= len(token["top_logprobs"]) <= 2 for token in tokens)
    assert "".join(token["token"] for token in made["colour"]["logprobs"]) in COLOURS


def test_what_is_not_sure_enough_is_null_or_the_fault_of_its_row(home: Path, model: str) -> None:
    outcome = rows(home, model, "--min-confidence", "1", "--confidence", "--batch", "2")
    made = by_id(outcome)
    assert made["one"]["error"]["code"] == 5
    assert made["one"]["error"]["pointer"] == "/a"
    assert made["one"]["confidence"]["/a"] < 1
    null = {**SHORT, "properties": {"a": {"enum": [1, 2, 3, None]}, "b": {"type": "null"}}}
    given = [{"id": "null", "text": "x", "schema": null}]
    assert by_id(rows(home, model, "--min-confidence", "1", given=given))["null"]["result"] == {
        "a": None,
        "b": None,
    }


def test_bare_results_stand_in_an_object_with_it(home: Path, model: str) -> None:
    outcome = rows(home, model, "--confidence", "--bare")
    lines = [json.loads(line) for line in outcome.text.splitlines()]
    assert [list(line) for line in lines] == [["result", "confidence"]] * 4


def test_a_body_of_a_row_may_ask_for_it(home: Path, model: str) -> None:
    body = chat("w", response_format=schema_format(SHORT), logprobs=True, top_logprobs=1)
    made = by_id(rows(home, model, given=[{"id": "asks", **body}, *ROWS[:2]]))
    assert {len(token["top_logprobs"]) for token in made["asks"]["logprobs"]} == {1}
    assert "logprobs" not in made["one"]


def test_rows_that_run_alone_are_given_out_before_the_next_is_read() -> None:
    read = []

    def given() -> Iterator[Row]:
        for number in range(1, 4):
            read.append(number)
            yield Row(number, number, chat("x", guided_choice=COLOURS, logprobs=True))

    lane = BatchLane(session_of(BatchModel()), Defaults(options={"stream": False}), 3)
    for at, group in enumerate(lane(given()), 1):
        assert [outcome.row.number for outcome in group] == [at]
        assert read == list(range(1, at + 1))
    assert read == [1, 2, 3]


def answer(home: Path, model: str, body: Any, *options: str) -> Outcome:
    asked = ("gen", "-m", model, "--request", "-", *options)
    return mlxjson(*asked, home=home, stdin=json.dumps(body).encode())


BODY = chat("x", response_format=schema_format(SHORT), temperature=2, seed=3)


def test_a_response_has_the_confidence_of_each_choice(home: Path, model: str) -> None:
    options = ("--response", "--confidence", "--logprobs")
    made = json.loads(answer(home, model, {**BODY, "n": 2}, *options).text)
    assert [choice["index"] for choice in made["choices"]] == [0, 1]
    for choice in made["choices"]:
        assert list(choice["confidence"]) == ["/a", "/b"]
        tokens = choice["logprobs"]["content"]
        assert "".join(token["token"] for token in tokens) == choice["message"]["content"]
    without = json.loads(answer(home, model, BODY, "--response").text)["choices"][0]
    assert "confidence" not in without
    assert without["logprobs"] is None


def test_several_choices_have_theirs_a_line_each(home: Path, model: str) -> None:
    plain = answer(home, model, {**BODY, "n": 3})
    outcome = answer(home, model, {**BODY, "n": 3}, "--confidence")
    lines = [json.loads(line) for line in outcome.text.splitlines()]
    assert [list(line) for line in lines] == [["result", "confidence"]] * 3
    assert [line["result"] for line in lines] == list(map(json.loads, plain.text.splitlines()))
    texts = answer(home, model, {**chat("x", guided_choice=COLOURS), "n": 2}, "--confidence")
    assert all(json.loads(line)["result"] in COLOURS for line in texts.text.splitlines())


def test_several_choices_are_a_line_each_in_every_layout(home: Path, model: str) -> None:
    outcome = answer(home, model, {**BODY, "n": 2}, "--layout", "indent")
    assert [list(json.loads(line)) for line in outcome.text.splitlines()] == [["a", "b"]] * 2


@pytest.mark.parametrize("shape", [("--response",), ()])
def test_an_unsure_choice_ends_with_exit_5(home: Path, model: str, shape: tuple[str, ...]) -> None:
    outcome = answer(home, model, {**BODY, "n": 2}, "--min-confidence", "1", *shape)
    assert (outcome.code, outcome.out) == (5, b"")
    assert "not sure of /a" in outcome.err.decode()
