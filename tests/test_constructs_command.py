"""Whatever users bring goes through the real command line, on a model of random weights."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mlxjson.constraint import Free
from mlxjson.validate import prepare
from tests.command import ROOT, Outcome, mlxjson
from tests.request_bodies import CASES, chat, schema_format
from tests.tiny_model import make_tiny_model

pytestmark = pytest.mark.slow

SHOP = """
from dataclasses import dataclass
from enum import Enum
from typing import Literal, TypedDict
from pydantic import BaseModel, Field

class Kind(Enum):
    A = "a"
    B = "b"

class Order(BaseModel):
    qty: int = Field(ge=1, le=9, description="how many pieces")
    kind: Kind

@dataclass
class Point:
    x: Literal[1, 2]
    y: bool

class Size(TypedDict):
    unit: Literal["cm", "m"]
"""
API = """
openapi: 3.0.3
paths: {}
components:
  schemas:
    Status: {enum: [open, closed], nullable: true}
    Order:
      type: object
      required: [id, status]
      properties:
        id: {type: integer, minimum: 1, maximum: 9}
        status: {$ref: '#/components/schemas/Status'}
"""
YAML = "{type: object, properties: {no: {enum: [no, yes]}}, required: [no]}"
EXAMPLE = {"done": True, "more": [False]}
SHORT = "open: bool, status: new|old, note?: 1|2"
FILES = {"shop.py": SHOP, "api.yaml": API, "s.yaml": YAML, "example.json": json.dumps(EXAMPLE)}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what users have, a model in it, and a library of schemas in its home."""
    folder = tmp_path_factory.mktemp("here")
    make_tiny_model(folder / "model", config={"max_position_embeddings": 4096})
    for name, content in FILES.items():
        (folder / name).write_text(content)
    library = folder / ".config" / "mlxjson" / "schemas"
    library.mkdir(parents=True)
    (library / "mine.json").write_text('{"enum": ["mine", "yours"]}')
    shutil.copy(ROOT / "schemas" / "sentiment.json", folder)
    return folder


def gen(here: Path, *arguments: str, stdin: bytes | None = None) -> Outcome:
    return mlxjson("gen", "-m", "model", *arguments, home=here, cwd=here, stdin=stdin)


Fits = Callable[[Any], bool]
SOURCES: list[tuple[tuple[str, ...], Fits]] = [
    (("-s", "shop:Order"), lambda d: d["qty"] in range(1, 10) and d["kind"] in ("a", "b")),
    (("-s", "shop:Point"), lambda d: d["x"] in (1, 2) and isinstance(d["y"], bool)),
    (("-s", "shop:Size"), lambda d: d in ({"unit": "cm"}, {"unit": "m"})),
    (("-s", "shop:Kind"), lambda d: d in ("a", "b")),
    (("-s", "api.yaml#/components/schemas/Order"), lambda d: list(d) == ["id", "status"]),
    (("-s", "api.yaml#/components/schemas/Status"), lambda d: d in ("open", "closed", None)),
    (("-s", "s.yaml"), lambda d: d["no"] in ("no", "yes")),
    (("-s", "mine"), lambda d: d in ("mine", "yours")),
    (("-s", "sentiment.json#/properties/sentiment"), lambda d: isinstance(d, str)),
    (("-s", SHORT), lambda d: d["status"] in ("new", "old") and isinstance(d["open"], bool)),
    (("-s", "[1|2]", "--max-tokens", "400"), lambda d: set(d) <= {1, 2}),
    (("--like", "example.json", "--max-tokens", "600"), lambda d: isinstance(d["done"], bool)),
]


@pytest.mark.parametrize(("arguments", "fits"), SOURCES, ids=lambda value: str(value)[:40])
def test_schemas_come_from_everywhere(here: Path, arguments: tuple[str, ...], fits: Fits) -> None:
    outcome = gen(here, *arguments, "Some text.")
    if outcome.code == 4:  # a random model may write an array without end
        assert outcome.err.decode().count("cut off") == 1
        assert "--max-tokens" in arguments
        return
    assert outcome.code == 0, outcome.err.decode()
    document = json.loads(outcome.text)
    assert fits(document)
    asked = mlxjson("schema", *(a for a in arguments[:2] if a != "-s"), home=here, cwd=here)
    assert prepare(json.loads(asked.text)).check(outcome.text) is None


def test_descriptions_reach_the_prompt(here: Path) -> None:
    def prompt_tokens(schema: str) -> int:
        outcome = gen(here, "-s", schema, "--stats=json", "x")
        return int(json.loads(outcome.lines[-1])["prompt_tokens"])

    assert prompt_tokens('a: 1|2 "one or two of them"') > prompt_tokens("a: 1|2") + 10


A_OR_B = {"type": "object", "properties": {"a": {"enum": ["x", "y"]}}, "required": ["a"]}
BODIES: list[tuple[dict[str, Any], Callable[[str], bool]]] = [
    ({"response_format": schema_format(A_OR_B)}, lambda t: json.loads(t)["a"] in ("x", "y")),
    (
        {"response_format": schema_format(A_OR_B) | {"any_whitespace": False}},
        lambda t: t in ('{"a": "x"}\n', '{"a": "y"}\n'),
    ),
    ({"guided_json": A_OR_B, "temperature": 2, "top_k": 9, "top_p": 0.9},
     lambda t: json.loads(t)["a"] in ("x", "y")),
    ({"structured_outputs": {"json": A_OR_B}}, lambda t: json.loads(t)["a"] in ("x", "y")),
    ({"structured_outputs": {"choice": ["p", "q"]}}, lambda t: json.loads(t) in ("p", "q")),
    ({"guided_choice": ["p", "q"]}, lambda t: json.loads(t) in ("p", "q")),
    ({"guided_regex": "[ab]{3}"}, lambda t: len(json.loads(t)) == 3),
    ({"guided_regex": "cc(ab|d)?", "stop": ["ab", "d"]}, lambda t: json.loads(t) == "cc"),
    ({"guided_grammar": 'root ::= "left" | "right"'}, lambda t: t in ("left\n", "right\n")),
    ({"guided_grammar": 'start: "left" | "right"'}, lambda t: t in ("left\n", "right\n")),
    ({"response_format": {"type": "text"}, "max_completion_tokens": 5}, bool),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "fits"), BODIES, ids=lambda value: str(value)[:50])
def test_a_body_gets_what_it_asks_for(
    here: Path, fields: dict[str, Any], fits: Callable[[str], bool]
) -> None:
    asked = json.dumps(chat("x", **fields)).encode()
    outcome = gen(here, "--request", "-", "--max-tokens", "60", stdin=asked)
    assert outcome.code in (0, 4), outcome.err.decode()
    assert fits(outcome.text)
    assert outcome.code == 0 or "max_completion_tokens" in fields


def test_a_bias_makes_a_token_likelier_and_a_constraint_stays_stronger(here: Path) -> None:
    vocabulary = json.loads((here / "model" / "tokenizer.json").read_text())["model"]["vocab"]
    for wanted, got in (("p", "p"), ("q", "q"), ("z", None)):
        body = chat("x", guided_choice=["p", "q"], logit_bias={str(vocabulary[wanted]): 100})
        outcome = gen(here, "--request", "-", stdin=json.dumps(body).encode())
        assert json.loads(outcome.text) in ([got] if got else ["p", "q"])


def test_twenty_five_bodies_are_rows_of_one_batch(here: Path) -> None:
    """Each is taken as it is; what a random model makes of it is valid, or cut off."""
    lines = "".join(
        json.dumps({"custom_id": case.name, "body": {**case.body, "max_tokens": 60}}) + "\n"
        for case in CASES
    )
    outcome = gen(here, "--input", "-", "--batch", "8", stdin=lines.encode())
    made = {row["id"]: row for row in map(json.loads, outcome.text.splitlines())}
    assert list(made) == [case.name for case in CASES]
    for case in CASES:
        row = made[case.name]
        if case.choices > 1:
            assert "/n" in row["error"]["message"]
        elif row["ok"]:
            assert row["finish"] == "stop" or isinstance(case.constraint, Free)
        else:
            assert row["error"]["code"] == 4, (case.name, row["error"])


def test_many_bodies_are_not_one(here: Path) -> None:
    lines = (json.dumps(chat("x")) + "\n").encode() * 2
    outcome = gen(here, "--request", "-", stdin=lines)
    assert (outcome.code, outcome.out) == (2, b"")
    assert "--input" in outcome.lines[1]


def test_the_same_body_gives_the_same_bytes(here: Path) -> None:
    body = json.dumps(chat("x", guided_regex="[a-z]{20}", temperature=1.5, seed=7)).encode()
    one, other = (gen(here, "--request", "-", stdin=body) for _ in range(2))
    assert one.out == other.out
    seeded = gen(here, "--request", "-", "--seed", "8", stdin=body)
    assert seeded.out != one.out
