"""Strict JSON: what is refused, where, and where each value stands."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlxjson.validate import JsonError, parse, spans

REFUSED = [
    ('{"a": 1, "a": 2}', "twice"),
    ('{"a": 1, "\\u0061": 2}', "twice"),
    ('[{"b": {"c": 1, "c": 1}}]', "twice"),
    ("NaN", "not a JSON value"),
    ("[-Infinity]", "not a JSON value"),
    ("True", "not a JSON value"),
    ("1e400", "too large"),
    ("-1e309", "too large"),
    ("9" * 400, "too large"),
    ('"\\ud800"', "surrogate"),
    ('"\\udc00\\ud800"', "surrogate"),
    ('{"\\uD83D": 1}', "surrogate"),
    ('"\ud800"', "surrogate"),
    ("1 2", "after the end"),
    ("{} x", "after the end"),
    ('"a\nb"', "control character"),
    ('"a\tb"', "control character"),
    ('"\x00"', "control character"),
    ('"abc', "not closed"),
    ('"\\x41"', "escape"),
    ('"\\u12"', "escape"),
    ("01", "malformed number"),
    ("1.", "malformed number"),
    ("1.e5", "malformed number"),
    ("-", "expected a value"),
    ("+1", "expected a value"),
    (".5", "expected a value"),
    ("'a'", "expected a value"),
    ("", "the text ends"),
    ("[1,", "the text ends"),
    ("[1,]", "expected a value"),
    ("[1 2]", "expected ','"),
    ('{"a" 1}', "expected ':'"),
    ('{"a": 1,}', "expected a key"),
    ("{1: 2}", "expected a key"),
    ("\ufeff1", "expected a value"),
    ("[" * 6000, "nested deeper"),
    ("// no\n1", "expected a value"),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED, ids=[text[:20] for text, _ in REFUSED])
@pytest.mark.parametrize("exact", [False, True])
def test_it_is_refused_with_a_reason(text: str, reason: str, exact: bool) -> None:
    with pytest.raises(JsonError, match=reason):
        parse(text, exact=exact)


def test_an_error_says_line_column_and_pointer() -> None:
    with pytest.raises(JsonError) as caught:
        parse('{"a/b": [1,\n  {"x": 1, "x": 2}]}')
    error = caught.value
    assert (error.line, error.column, error.pointer) == (2, 12, "/a~1b/1")
    assert error.offset == 23
    assert str(error) == "line 2, column 12: the key 'x' appears twice (at /a~1b/1)"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (" \t\r\n[] ", []),
        ('"\\ud83d\\ude00"', "😀"),
        ('"\\u0041\\/\\b"', "A/\b"),
        ("-0", 0),
        ("1E+2", 100.0),
        ("1e-400", 0.0),
        ("9" * 308, int("9" * 308)),
        ('{"": {"": null}}', {"": {"": None}}),
        ("[true, false, null]", [True, False, None]),
    ],
)
def test_it_is_read(text: str, value: object) -> None:
    assert parse(text) == value


def test_exact_numbers_are_decimal_and_integers_stay_integers() -> None:
    value = parse("[0.1, 1.0, 7, 1e2, 12345678901234567890.5]", exact=True)
    assert value == [
        Decimal("0.1"), Decimal("1.0"), 7, Decimal(100), Decimal("12345678901234567890.5"),
    ]  # fmt: skip
    assert [type(each) for each in value] == [Decimal, Decimal, int, Decimal, Decimal]


def test_an_exponent_beyond_decimal_is_zero() -> None:
    assert parse("1e-99999999999999999999999", exact=True) == 0


def test_deep_nesting_is_read() -> None:
    value = parse("[" * 4000 + "]" * 4000)
    depth = 0
    while value:
        value, depth = value[0], depth + 1
    assert depth == 3999


def test_spans_hold_every_value() -> None:
    text = ' {"a": [1, "x\\n", {}], "é": -1.5e3 } '
    found = {pointer: text[start:end] for pointer, (start, end) in spans(text).items()}
    assert found == {
        "": text.strip(),
        "/a": '[1, "x\\n", {}]',
        "/a/0": "1",
        "/a/1": '"x\\n"',
        "/a/2": "{}",
        "/é": "-1.5e3",
    }


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("ab~/\\", max_size=3), inner),
)  # fmt: skip


@given(JSON, st.sampled_from([None, 2]))
def test_what_json_writes_is_read_back_and_every_span_parses(value: object, indent: int) -> None:
    text = json.dumps(value, indent=indent)
    assert parse(text) == value
    for start, end in spans(text).values():
        parse(text[start:end])


@given(st.text('{}[]",:0123.eE-+ \\utrfalsn\n', max_size=30))
def test_no_text_is_read_that_the_json_module_refuses(text: str) -> None:
    try:
        value = parse(text)
    except JsonError:
        return
    assert value == json.loads(text)
