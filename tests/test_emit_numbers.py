"""Numbers: the grammar accepts those of the shape, spelled as JSON spells them, and no others."""

import random
from decimal import Decimal
from typing import Any

import pytest

from mlxjson.errors import ConstraintError
from mlxjson.schema import compile_schema
from mlxjson.schema.order import belongs
from mlxjson.schema.shapes import Literal, Number
from tests.emit_helpers import accepts, at, compiled, written

STEPS = ["3", "0.5", "0.01", "7", "0.3", "60", "100", "2.5", "256"]


def spellings(value: Decimal) -> set[str]:
    plain = format(value, "f")
    return {plain, format(value.normalize(), "f"), plain + ("0" if "." in plain else ".0")}


def draw(r: random.Random) -> Decimal:
    size = 10 ** r.randint(1, 4)
    return Decimal(r.randint(-size, size)).scaleb(-r.choice([0, 0, 1, 2, 3]))


def shape(r: random.Random) -> Number:
    low, high = sorted([draw(r), draw(r)])
    integer = r.random() < 0.4
    return Number(
        low=at(str(low), r.random() < 0.5) if r.random() < 0.7 else None,
        high=at(str(high), r.random() < 0.5) if r.random() < 0.7 else None,
        integer=integer,
        multiple_of=None if integer or r.random() < 0.5 else Decimal(r.choice(STEPS)),
        excluded=frozenset(draw(r) for _ in range(r.choice([0, 0, 2]))),
        fractional=not integer and r.random() < 0.2,
    )


def candidates(r: random.Random, number: Number) -> list[Decimal]:
    values = [draw(r) for _ in range(20)] + [Decimal(0), *number.excluded]
    for bound in (number.low, number.high):
        if bound is not None:
            near = [Decimal(0), Decimal(1), Decimal("0.01"), Decimal("-0.001")]
            values += [bound.value + step for step in near]
    if number.multiple_of is not None:
        values += [value // number.multiple_of * number.multiple_of for value in values]
    return [abs(value) if value == 0 else value for value in values]


def grammar(number: Number, closed: bool) -> str | None:
    """None where the range holds no number."""
    try:
        return written(number, closed=closed).ebnf
    except ConstraintError:
        return None


@pytest.mark.parametrize("seed", range(60))
def test_ranges_and_multiples_are_exact(seed: int) -> None:
    r = random.Random(seed)
    number = shape(r)
    ebnf = grammar(number, closed=False)
    for value in candidates(r, number):
        for text in spellings(value):
            accepted = ebnf is not None and accepts(ebnf, text)
            assert accepted == belongs(number, value), (number, text)


@pytest.mark.parametrize("seed", range(60, 120))
def test_what_is_generated_belongs(seed: int) -> None:
    r = random.Random(seed)
    number = shape(r)
    ebnf = grammar(number, closed=True)
    for value in candidates(r, number) if ebnf else []:
        for text in spellings(value):
            if accepts(ebnf, text):
                assert belongs(number, value), (number, text)


@pytest.mark.parametrize(
    ("text", "good"),
    [("0", True), ("-0", True), ("10", True), ("01", False), ("1.", False), (".5", False),
     ("+1", False), ("1.50", True), ("1e5", True), ("1E+05", True), ("1.5e-7", True),
     ("1e308", True), ("2e308", False), ("1e400", False), ("-1e400", False), ("1e", False),
     ("1" + "0" * 400, False), ("NaN", False), ("Infinity", False)],
)  # fmt: skip
def test_free_numbers_are_json_and_finite(text: str, good: bool) -> None:
    assert accepts(written(Number(), closed=False).ebnf, text) == good


def test_an_integer_may_be_written_with_noughts_but_is_generated_plain() -> None:
    number = Number(integer=True)
    assert accepts(written(number, closed=False).ebnf, "10.0")
    assert not accepts(written(number, closed=False).ebnf, "10.5")
    assert accepts(written(number).ebnf, "10")
    assert not accepts(written(number).ebnf, "10.0")


def test_generated_digits_come_to_an_end() -> None:
    for number in (Number(), Number(integer=True), Number(low=at(0)), Number(high=at(-5))):
        matcher = compiled(written(number).ebnf).matcher()
        sign = b"-" if number.high else b""
        count = 0
        while matcher.accept_text(sign + b"9"):
            sign, count = b"", count + 1
        assert 15 <= count <= 20


def test_constants_are_equal_as_numbers() -> None:
    emitted = written(Literal(1), Literal(2.5), Literal("1"), closed=False)
    assert all(accepts(emitted.ebnf, text) for text in ("1", "1.0", "2.5", "2.50", '"1"'))
    assert not any(accepts(emitted.ebnf, text) for text in ("2", "1.5", "true", '"2.5"'))


def test_a_constant_keeps_the_digits_of_the_schema() -> None:
    assert accepts(written(Literal(1.0)).ebnf, "1.0")
    assert not accepts(written(Literal(1.0)).ebnf, "1")


def test_a_multiple_of_a_large_prime_is_left_to_validation() -> None:
    emitted = written(Number(integer=True, multiple_of=Decimal(999983)))
    assert [f.keyword for f in emitted.findings] == ["multipleOf"]
    bounded = Number(low=at(0), high=at(10**8), integer=True, multiple_of=Decimal(999983))
    assert written(bounded).exact
    assert accepts(written(bounded).ebnf, str(999983 * 7))
    assert not accepts(written(bounded).ebnf, str(999983 * 7 + 1))


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer"},
        {"type": "integer", "minimum": 1},
        {"type": "integer", "multipleOf": 2},
        {"type": ["integer", "null"], "enum": [1.0, 2, "a", None]},
        {"type": "integer", "not": {"enum": [3]}},
    ],
)
@pytest.mark.parametrize("closed", [True, False])
def test_in_draft_4_an_integer_has_no_fraction(schema: dict[str, Any], closed: bool) -> None:
    schema = {"$schema": "http://json-schema.org/draft-04/schema#", **schema}
    grammar = compile_schema(schema, closed=closed)
    assert grammar.exact
    assert accepts(grammar.ebnf, "2")
    assert not accepts(grammar.ebnf, "2.0")
