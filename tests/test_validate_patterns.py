"""`pattern` is ECMA-262, and no pattern hangs the process."""

import time

import pytest

from mlxjson.errors import ConstraintError
from mlxjson.validate import check
from mlxjson.validate.ecma import EcmaError, to_python
from mlxjson.validate.patterns import matches

CASES = [
    ("a", "xay", True), ("^a$", "a\n", False), ("^a$", "a", True), (r"^\d$", "५", False),
    (r"^\d$", "5", True), (r"^\D$", "५", True), (r"^\w$", "é", False), (r"^\W$", "é", True),
    (r"^\s$", "\ufeff", True), (r"^\S$", "\ufeff", False), (r"^\p{L}+$", "πa", True),
    (r"^\p{Lu}$", "é", False), (r"^\cC$", "\x03", True), (r"^\u0041$", "A", True),
    (r"^\u{1f600}$", "😀", True), (r"^\ud83d\ude00$", "😀", True), ("^.$", "\n", False),
    ("^.$", "\u2028", False), ("^.$", "😀", True), ("[^]", "\n", True), ("[]", "a", False),
    (r"^(?<y>\d)\k<y>$", "11", True), (r"^(a)\1$", "aa", True), (r"^(?=a)a", "a", True),
    (r"^(?!a)b", "b", True), (r"^(?!a).", "ab", False), (r"(?<=x)y", "xy", True),
    (r"\bfoo\b", "a foo b", True), (r"\bfoo\b", "éfoo", True), (r"^[\w-]+$", "a-b", True),
    (r"^[^\s]+$", "a b", False), ("^a{2,3}$", "aaaa", False), ("^a{,2}$", "a{,2}", True),
    (r"\/", "/", True), (r"^\-$", "-", True), ("^x-", "x-a", True), ("", "", True),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "text", "expected"), CASES)
def test_a_pattern_is_read_as_ecma_262(pattern: str, text: str, expected: bool) -> None:
    assert matches(pattern, text) is expected


@pytest.mark.parametrize(("pattern", "text", "expected"), CASES)
def test_the_backtracking_matcher_reads_them_the_same(
    pattern: str, text: str, expected: bool
) -> None:
    import regex

    assert (regex.search(to_python(pattern), text) is not None) is expected


@pytest.mark.parametrize(("pattern", "text"), [(r"\Aab\Z", "ab"), ("(?P<n>a)", "a")])
def test_a_pattern_written_for_python_still_works(pattern: str, text: str) -> None:
    assert matches(pattern, text)


@pytest.mark.parametrize(
    "pattern",
    [r"\a", "(?P<n>x)", "(?#c)", "(?i)a", "a++", "\\", "(", "[a", r"\u{110000}", "(?>a)", r"\q"],
)
def test_what_is_not_ecma_262_is_refused_as_a_regex_format(pattern: str) -> None:
    assert check(f'"{pattern}"'.replace("\\", "\\\\"), {"format": "regex"}) is not None


def test_an_unknown_escape_says_where() -> None:
    with pytest.raises(EcmaError, match="position 3"):
        to_python(r"a\q")


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "(x+x+)+y", r"^(\w+\s?)*$"])
def test_a_hostile_pattern_takes_no_time(pattern: str) -> None:
    start = time.monotonic()
    assert not matches(pattern, "a" * 5000 + "!")
    assert time.monotonic() - start < 2


def test_a_hostile_pattern_that_is_not_regular_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mlxjson.validate.patterns.TIME_LIMIT", 0.2)
    start = time.monotonic()
    with pytest.raises(ConstraintError, match="takes longer"):
        matches(r"^(a|aa)+\1?!$", "a" * 60)
    assert time.monotonic() - start < 5


def test_hostile_keys_are_matched_in_no_time() -> None:
    schema = {"patternProperties": {"^(a+)+$": True}, "additionalProperties": False}
    assert check('{"' + "a" * 3000 + '!": 1}', schema) is not None
