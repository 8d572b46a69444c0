"""Formats beyond what the official suite asks, and their agreement with the grammar."""

import json
import random

import pytest

from mlxjson.regular.automaton import Explorer
from mlxjson.validate import check
from mlxjson.validate.formats import conforms

CASES = [
    ("date", "2024-02-29", True), ("date", "2023-02-29", False), ("date", "1900-02-29", False),
    ("date", "2000-02-29", True), ("date", "2024-04-31", False), ("date", "2024-1-1", False),
    ("date", "2024-01-01\n", False), ("time", "23:59:60Z", True), ("time", "12:00:60Z", False),
    ("time", "12:00:00", False), ("date-time", "2024-01-01 00:00:00Z", False),
    ("date-time", "2024-01-01T00:00:00.5+01:00", True), ("duration", "P1DT", False),
    ("duration", "P", False), ("duration", "P1Y2M3DT4H5M6S", True), ("duration", "P2W", True),
    ("email", "a@b", True), ("email", "a@b..c", False), ("email", "a@-b.c", False),
    ("email", "ü@example.org", False), ("idn-email", "ü@exämple.org", True),
    ("hostname", "a.b-c.d", True), ("hostname", "a_b", False), ("hostname", "a" * 64, False),
    ("ipv4", "1.2.3.4", True), ("ipv4", "01.2.3.4", False), ("ipv4", "1.2.3", False),
    ("ipv4", "256.1.1.1", False), ("ipv6", "::1%eth0", False), ("ipv6", "1::2:3", True),
    ("uri", "http://[::1]:80/a?b#c", True), ("uri", "a b:c", False), ("uri", "urn:x:y", True),
    ("uri-reference", "//x/y?z", True), ("uri-reference", "1:b", False),
    ("iri", "http://é/ü", True), ("iri", "a b", False),
    ("uuid", "2EB8AA08-aa98-11ea-b4aa-73b441d16380", True), ("uuid", "x" * 36, False),
    ("json-pointer", "/a~0~1", True), ("json-pointer", "a", False),
    ("relative-json-pointer", "0#", True), ("relative-json-pointer", "00", False),
    ("uri-template", "/{+a,b*}", True), ("uri-template", "/{", False),
    ("colour-of-my-own", "anything", True), ("int32", "x", True),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "expected"), CASES)
def test_a_format_is_asserted(name: str, text: str, expected: bool) -> None:
    assert (check(json.dumps(text), {"format": name}) is None) is expected


@pytest.mark.parametrize("draft", ["draft-04", "draft-06", "draft-07"])
def test_a_format_is_asserted_in_drafts_that_do_not_define_it(draft: str) -> None:
    schema = {"$schema": f"http://json-schema.org/{draft}/schema#", "format": "uuid"}
    assert check('"no"', schema) is not None


def test_a_format_says_nothing_about_other_types() -> None:
    assert check("5", {"format": "date"}) is None


FORMATS = sorted({name for name, _, expected in CASES if not expected})


@pytest.mark.parametrize("name", FORMATS)
def test_what_the_grammar_may_write_is_accepted(name: str) -> None:
    """Random words of the grammar's language of a format, and its shortest."""
    grammar = pytest.importorskip("mlxjson.schema.formats", reason="formats have no grammar yet")
    language = grammar.format_language(name)
    if language is None:
        pytest.skip(f"the grammar has no language for {name}")
    draw, automaton = random.Random(name), Explorer(language.node)
    for word in [language.shortest(), *(walk(automaton, draw) for _ in range(200))]:
        assert word is None or conforms(name, word), ascii(word)


def walk(automaton: Explorer, draw: random.Random, longest: int = 300) -> str | None:
    """A word along a random path, or None where the path does not end in time."""
    state, word = automaton.start, ""
    while len(word) < longest:
        moves, accepting = automaton.step(state)
        if accepting and (not moves or draw.random() < 0.2):
            return word
        if not moves:
            return None
        low, high, state = draw.choice(moves)
        word += chr(draw.choice([low, high, draw.randint(low, high)]))
    return None
