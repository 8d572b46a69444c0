"""The schemas in `schemas/`: valid, described field by field, and enforceable by a grammar."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mlxjson.validate import check, check_schema

FOLDER = Path(__file__).resolve().parents[1] / "schemas"
NAMES = sorted(file.stem for file in FOLDER.glob("*.json"))

EXAMPLES: dict[str, Any] = {
    "person": {"name": "Ada Lovelace", "age": 36, "email": "ada@example.org", "city": "London"},
    "invoice": {
        "number": "2024-117",
        "date": "2024-02-29",
        "seller": "Brightwater Ltd",
        "buyer": "Tom Ash",
        "lines": [{"item": "Oak desk", "quantity": 2, "unit_price": 249.5}],
        "currency": "GBP",
        "total": 598.8,
    },
    "event": {
        "title": "Choir rehearsal",
        "date": "2025-05-12",
        "start": "19:30",
        "minutes": 90,
        "location": None,
        "attendees": ["Mia", "Jürgen"],
    },
    "product": {
        "name": "Kettle 1.7 l",
        "brand": None,
        "category": "home",
        "price": 34.99,
        "currency": "EUR",
        "in_stock": True,
        "features": ["steel", "keeps warm"],
    },
    "ticket": {
        "title": "Export stops at 90 %",
        "type": "bug",
        "priority": "high",
        "product": "Desktop app",
        "steps": ["Open a large file", "Choose Export"],
        "needs_reply": True,
    },
    "address": {
        "recipient": "Ada Lovelace",
        "street": "12 St James's Square",
        "city": "London",
        "region": None,
        "postal_code": "SW1Y 4JH",
        "country": "GB",
    },
    "sentiment": {
        "sentiment": "mixed",
        "score": -0.25,
        "emotions": ["joy", "anger"],
        "reason": "Likes the room but not the noise.",
    },
    "entities": {"entities": [{"text": "Marie Curie", "type": "person"}]},
    "meeting-notes": {
        "title": "Release plan",
        "date": "2025-03-04",
        "attendees": ["Ana", "Bo"],
        "decisions": ["Ship on Friday."],
        "actions": [{"task": "Write the notes", "owner": "Bo", "due": None}],
    },
    "git-commit": {
        "type": "fix",
        "scope": "parser",
        "subject": "refuse the same key twice",
        "body": "Readers disagree about which of the two counts.",
        "breaking": False,
    },
}

ENFORCEABLE = {
    "$schema", "title", "description", "type", "properties", "required", "additionalProperties",
    "items", "minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum", "enum",
    "format", "pattern", "anyOf",
}  # fmt: skip


def load(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def subschemas(schema: Any) -> Iterator[Any]:
    yield schema
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    if "items" in schema:
        inner.append(schema["items"])
    for each in inner:
        yield from subschemas(each)


def test_there_are_ten_and_each_has_an_example() -> None:
    assert sorted(EXAMPLES) == NAMES
    assert len(NAMES) == 10


@pytest.mark.parametrize("name", NAMES)
def test_each_schema_is_a_schema(name: str) -> None:
    check_schema(load(name))


@pytest.mark.parametrize("name", NAMES)
def test_each_schema_and_each_field_is_described(name: str) -> None:
    schema = load(name)
    assert schema["title"]
    assert schema["description"]
    for part in subschemas(schema):
        for field, of in part.get("properties", {}).items():
            assert of.get("description"), field


@pytest.mark.parametrize("name", NAMES)
def test_each_schema_says_only_what_a_grammar_can_enforce(name: str) -> None:
    for part in subschemas(load(name)):
        assert set(part) <= ENFORCEABLE


@pytest.mark.parametrize("name", NAMES)
def test_each_document_is_closed_and_bounded(name: str) -> None:
    """A small model gets to the end: no extra keys, no endless arrays or strings."""
    for part in subschemas(load(name)):
        if part.get("type") == "object":
            assert part["additionalProperties"] is False
            assert part["required"] == list(part["properties"])
        if part.get("type") == "array":
            assert part["maxItems"] <= 12
        if "string" in str(part.get("type")):
            assert {"maxLength", "pattern", "format"} & set(part)


@pytest.mark.parametrize("name", NAMES)
def test_an_example_validates(name: str) -> None:
    assert check(json.dumps(EXAMPLES[name]), load(name)) is None


@pytest.mark.parametrize("name", NAMES)
def test_an_extra_key_and_a_missing_key_fail(name: str) -> None:
    schema, example = load(name), EXAMPLES[name]
    extra = check(json.dumps({**example, "extra": 1}), schema)
    assert extra is not None
    assert extra.keyword == "additionalProperties"
    last = list(example)[-1]
    missing = check(json.dumps({k: v for k, v in example.items() if k != last}), schema)
    assert missing is not None
    assert missing.keyword == "required"
    assert last in missing.message
