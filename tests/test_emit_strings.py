"""Strings: lengths in code points, however they are spelled, and always JSON."""

import json
import random

import pytest

from mlxjson.regular import Language
from mlxjson.schema.shapes import Literal, String
from tests.emit_helpers import accepts, takes, written

BOUNDS = [(0, None), (1, None), (5, None), (0, 0), (0, 3), (2, 2), (1, 20), (0, 128), (0, 129),
          (3, 200), (200, 300), (300, 300), (130, None)]  # fmt: skip


def texts(low: int, high: int | None) -> list[str]:
    r = random.Random(low)
    sizes = {0, 1, 2, 5, low - 1, low, low + 1, (high or 7) - 1, high or 7, (high or 7) + 1}
    chars = ["\n", '"', "\\", "\x01", "é", "😀", "a", "b", " "]
    return ["".join(r.choice(chars) for _ in range(size)) for size in sizes if size >= 0] * 2


@pytest.mark.parametrize(("low", "high"), BOUNDS)
def test_lengths_count_code_points(low: int, high: int | None) -> None:
    emitted = written(String(None, low, high), closed=False)
    for text in texts(low, high):
        fits = low <= len(text) <= (len(text) if high is None else high)
        for ascii_only in (True, False):
            assert accepts(emitted.ebnf, json.dumps(text, ensure_ascii=ascii_only)) == fits


@pytest.mark.parametrize(("low", "high"), BOUNDS)
def test_generated_strings_have_the_length_and_may_have_escapes(low: int, high: int | None) -> None:
    emitted = written(String(None, low, high))
    for text in texts(low, high):
        if takes(emitted, text):
            assert low <= len(text) <= (len(text) if high is None else high)
    for size in {low, low + 1 if high is None else high}:
        assert takes(emitted, "x" * size)
    if low <= 5 and (high is None or high - low > 40):
        assert takes(emitted, "\n" + "x" * low)
        assert takes(emitted, 'say "x" \\ ' + "x" * low)


SHAPES = [String(), String(None, 0, 20), String(None, 3, 300)]
SHAPES += [String(Language.pattern(source)) for source in ("^.*$", "a")]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("closed", [True, False])
def test_nothing_but_json_strings(shape: String, closed: bool) -> None:
    ebnf = written(shape, closed=closed).ebnf
    bad = [r'"\ud800"', r'"\udc00"', r'"\ud800A"', '"aaa\x01"', '"aaa\n"', r'"aa\x"', '"aaa', "aaa"]
    assert not any(accepts(ebnf, text) for text in bad)
    assert not accepts(ebnf, b'"aaa\xed\xa0\x80"')  # a surrogate in UTF-8


@pytest.mark.parametrize(
    "pattern",
    ["^[a-z]{2,5}$", "foo", "^.{2,40}$", r"^\S+$", "^[^x]*$", '^"q"$', "é", r"\d$", "^(a|b)+,$"],
)
@pytest.mark.parametrize("closed", [True, False])
def test_languages(pattern: str, closed: bool) -> None:
    language = Language.pattern(pattern)
    emitted = written(String(language), closed=closed)
    words = ["abc", "xfooy", "é", "a b", 'x"q"', '"q"', "ab,", "line\nfeed", "7", "x7", "", "ab\t"]
    for word in words:
        accepted = takes(emitted, word)
        assert accepted <= language.accepts(word), word
        # A counted run that is generated may leave out escapes close to its bounds.
        if not closed or "{" not in pattern or word.isprintable():
            assert accepted == language.accepts(word), word


def test_a_language_with_lengths_of_its_own() -> None:
    emitted = written(String(Language.pattern("^a+$"), 2, 3))
    assert [takes(emitted, "a" * n) for n in range(5)] == [False, False, True, True, False]


def test_constants_are_escaped_as_they_must_be() -> None:
    for text in ['a"b', "é\n", "\x00", "\x7f", "😀", "\\", "Ā9", "\x80a"]:
        assert takes(written(Literal(text)), text)
    assert accepts(written(Literal("\ud800")).ebnf, r'"\ud800"')


def test_many_constants_share_their_beginnings() -> None:
    words = [f"{a}{b}{n}" for a in "xyz" for b in ("one", "two") for n in range(30)]
    emitted = written(*map(Literal, [*words, "x", ""]))
    assert all(takes(emitted, word) for word in [*words, "x", ""])
    assert not any(takes(emitted, word) for word in ["xo", "xone", "xone30", "y", "zz"])


def test_an_automaton_too_large_leaves_the_length_to_validation() -> None:
    words = Language.pattern(r"^([^ ]+ ){0,99}[^ ]+$") & Language.length(0, 5000)
    emitted = written(String(words))
    assert [f.keyword for f in emitted.findings] == ["maxLength"]
    assert takes(emitted, "two words")
    assert not takes(emitted, " ")
