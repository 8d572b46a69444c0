"""The dialect of `pattern`: what is generated satisfies ECMA-262 and Python's `re` alike."""

import random
import re

import pytest

from mlxjson.regular import Language, RegexError, to_ebnf
from tests.regular_fuzz import Grammar, ecma_expression


@pytest.mark.parametrize(
    ("pattern", "accepted", "refused"),
    [
        ("[0-9]{3}", ["123", "no 123 here"], ["12"]),
        ("^a", ["a", "ab\n"], ["ba"]),
        ("a$", ["a", "ba"], ["ab", "a\n"]),
        ("^a|b$", ["ax", "xb"], ["xa", "bx"]),
        ("^(a|b$)", ["ax", "b"], ["bx", "xb"]),
        ("(^|,)x", ["x", "a,xz"], ["ax"]),
        ("", ["", "anything"], []),
        ("^.$", ["a", "😀"], ["\n", "\r", "\u2028", ""]),
        (r"^\d\w\s$", ["1a\u00a0"], ["１a ", "1é ", "1a\ufeff", "1a\x1c"]),
        (r"^\D$", ["a", "é"], ["1", "１"]),
        (r"^\S$", ["a"], ["\ufeff", "\x1c", " "]),
        (r"^[\s\S]$", ["a", "\n", "\ufeff"], ["ab"]),
        (r"^[\w-.]+$", ["a-b.c"], ["a b"]),
        (r"^\-\_\/\@$", ["-_/@"], []),
        (r"^a{$|^]$|^}$|^x{1$", ["a{", "]", "}", "x{1"], ["a"]),
        (r"^\cA\u{1F600}\uD83D\uDE00\x41$", ["\x01😀😀A"], []),
        (r"^\p{Letter}\p{Lu}\p{digit}\P{L}$", ["éÉ１1"], ["1É11"]),
        (r"^\p{Script=Greek}+$", ["αβγ"], ["abc"]),
        (r"^(?<y>a)(?P<m>b)(?:c)$", ["abc"], []),
        (r"(?i)^abc$", ["aBc"], ["ab"]),
        (r"^(?!foo)[a-z]+$", ["bar", "fo"], ["foo", "foobar"]),
        (r"^(?=.*\d)(?=.*[a-z]).{4,}$", ["abc1"], ["abcd", "a1"]),
        (r"^(?!.*--)[a-z-]+$", ["a-b"], ["a--b"]),
        (r"^(?!(if|for)$)[a-z]+$", ["iff", "fo"], ["if", "for"]),
        (r"^(?:(?!ab).)*$", ["ba", "aab"[:2]], ["ab", "cabc"]),
        (r"^[a-z]+(?<!x)$", ["ab"], ["ax"]),
        (r"a(?!b)", ["a", "abac"], ["ab"]),
        (r"^(?!a$)", ["b", "ab"], ["a", "a\n"]),
        (r"^(a+)+$", ["aaa"], ["b"]),
    ],
)
def test_ecma_accepts(pattern: str, accepted: list[str], refused: list[str]) -> None:
    language = Language.pattern(pattern)
    assert [word for word in accepted if not language.accepts(word)] == []
    assert [word for word in refused if language.accepts(word)] == []


@pytest.mark.parametrize(
    "pattern",
    [
        r"\bfoo\b", r"(a)\1", r"\k<n>", r"(?<n>a)\k<n>", r"(?<=ab)c", r"\Aa\Z", "a{,3}", "[]a]",
        "[]", "(?>a)", "a++", "a**", "(", ")", "[a", "\\", r"\q", r"\u{110000}", r"\p{Nope}",
        "(?z:a)",
        "x{5000000}", "(" * 40000,
    ],
)  # fmt: skip
def test_what_is_not_regular_or_read_in_two_ways_is_refused(pattern: str) -> None:
    with pytest.raises(RegexError) as caught:
        Language.pattern(pattern)
    assert caught.value.reason


def test_a_pattern_without_any_text_is_empty_not_wrong() -> None:
    assert Language.pattern("/^[0-9]{4}$/").is_empty()
    assert Language.pattern("a^").is_empty()
    assert Language.pattern("(?!)").is_empty()


@pytest.mark.parametrize(
    ("pattern", "only_own"),
    [(r"^\D$", "１"), (r"^\W$", "é"), (r"^\s$", "\ufeff"), ("^(?!a$)", "a\n")],
)
def test_the_own_reading_is_that_of_ecma_alone(pattern: str, only_own: str) -> None:
    assert Language.pattern(pattern, own=True).accepts(only_own)
    assert not Language.pattern(pattern).accepts(only_own)
    assert not (~Language.pattern(pattern, own=True)).accepts(only_own)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_random_patterns_with_look_around_agree_with_re(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(120):
        pattern = rng.choice(("", "^")) + ecma_expression(rng) + rng.choice(("", "$"))
        # re reads [\w-] as we do; Annex B's dash beside a class is not in these.
        compiled, language = re.compile(pattern), Language.pattern(pattern)
        grammar = None if language.is_empty() else Grammar(*to_ebnf(language, "p"))
        for _ in range(20):
            word = "".join(rng.choice("aaabbcc1-_\n") for _ in range(rng.randint(0, 6)))
            ours, theirs = language.accepts(word), compiled.search(word) is not None
            assert ours <= theirs, (pattern, word)
            assert ours == theirs or "\n" in word, (pattern, word)
            assert grammar is None or grammar.accepts(word) == ours, (pattern, word)
