"""The dialect of Python: `re.fullmatch` is the judge of everything accepted."""

import json
import random
import re
from pathlib import Path

import pytest

from mlxjson.regular import Language, RegexError, TooLarge, to_ebnf
from tests.regular_fuzz import Grammar, expression, text

CASES = Path(__file__).resolve().parents[2] / "shared/cases/regex-cases.json"
TEXTS = (
    "", "a", "b", "ab", "abc", "a\nc", "a\nb", "a b", "axc", "123", "cat", "dog", "xbcy", "xy", "A",
    "\n", "\0", "\x01", "aab", "ABC", "É", "]a]", "😀", "а", "2024-05", "a{b}", "a\n", "1.2.3", "h",
    " ", "\f\v", '"a"', "@", "_:", "/abc/i", "aaab", 'say "hi"', "a\0b", "l:]", "127.0.0.1",
)  # fmt: skip


def judged_alike(pattern: str, texts: tuple[str, ...] | list[str]) -> None:
    """Ours and `re` agree, but for the ASCII classes, where ours accepts less."""
    language, compiled = Language.pattern(pattern, "python"), re.compile(pattern)
    narrower = re.search(r"\\[dws]", pattern, re.IGNORECASE) is not None
    for candidate in texts:
        ours, theirs = language.accepts(candidate), compiled.fullmatch(candidate) is not None
        assert ours <= theirs, (pattern, candidate)
        odd = not candidate.isascii() or "\x1f" in candidate
        assert ours == theirs or (narrower and odd), (pattern, candidate)


@pytest.mark.skipif(not CASES.exists(), reason=f"the everyday expressions are not at {CASES}")
@pytest.mark.filterwarnings("ignore:Possible nested set:FutureWarning")
def test_everyday_expressions_are_right_or_refused_with_their_place() -> None:
    refused: list[tuple[str, int]] = []
    for case in json.loads(CASES.read_text(encoding="utf-8")):
        try:
            Language.pattern(case["regex"], "python")
        except RegexError as error:
            refused.append((case["name"], error.position))
            continue
        if r"\p" not in case["regex"]:
            judged_alike(case["regex"], TEXTS)
    assert refused == [
        ("lookahead (?=)", 0), ("neg lookahead (?!)", 0), ("neg lookbehind (?<!)", 1),
        ("backref \\1", 5), ("\\cX", 0), ("\\h", 0), ("malformed (", 0), ("malformed )", 2),
        ("malformed [", 0), ("malformed a**", 2), ("malformed trailing \\", 2),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "accepted", "refused"),
    [
        (r"a$", ["a"], ["a\n"]),
        (r"a$\n", ["a\n"], ["a", "a\n\n"]),
        (r"(?m)a$\n^b", ["a\nb"], ["ab"]),
        (r"a|^b", ["a", "b"], ["ab"]),
        (r"(a$|b)c?", ["a", "b", "bc"], ["ac"]),
        (r"\Aabc\Z", ["abc"], ["abc\n"]),
        (r"(?P<year>\d{4})-(?P<month>\d\d)", ["2024-05"], ["2024-5"]),
        (r"(?i)straße", ["STRAẞE", "straße"], ["STRASSE"]),
        (r"(?i:k)b", ["Kb", "\u212ab"], ["KB"]),
        (r"(?ia:k)", ["K"], ["\u212a"]),
        (r"(?s).", ["\n"], [""]),
        (r".", ["\r", "\u2028"], ["\n"]),
        (r"(?x) a b # c", ["ab"], ["a b"]),
        (r"a{,2}", ["", "aa"], ["aaa"]),
        (r"x{,}", ["", "xxx"], ["y"]),
        (r"a{b}", ["a{b}"], ["ab"]),
        (r"a++b", ["aab"], ["a"]),
        (r"a++a", [], ["aa", "a"]),
        (r"a{1,2}+a", ["aaa"], ["a", "aa"]),
        (r"(?:ab)*+c", ["c", "ababc"], ["abab"]),
        (r"(?>a+)ab|c", ["c"], ["aab"]),
        (r"\p{Lu}\p{Ll}+", ["Éa"], ["éA"]),
        (r"\P{L}", ["1"], ["é"]),
        (r"\d+\w\s", ["12é"[:2] + "a "], ["１a "]),
        (r"[^\d]", ["a"], ["１", "1"]),
        (r"\0\07\101\x41\u0041\U00000041\N{DIGIT ONE}", ["\0\x07AAAA1"], []),
        (r"[\b\]\-\\]", ["\b", "]", "-", "\\"], ["b"]),
        (r"[]a-]", ["]", "-", "a"], ["b"]),
        (r"(?#note)a", ["a"], ["(?#note)a"]),
    ],
)
def test_python_accepts(pattern: str, accepted: list[str], refused: list[str]) -> None:
    language = Language.pattern(pattern, "python")
    assert [word for word in accepted if not language.accepts(word)] == []
    assert [word for word in refused if language.accepts(word)] == []


@pytest.mark.parametrize(
    ("pattern", "position"),
    [
        (r"a(?=b)", 1), (r"(?<=a)b", 0), (r"(a)\1", 3), (r"(?P<n>a)(?P=n)", 8), (r"a\bc", 1),
        (r"a**", 2), (r"*a", 0), (r"^*", 1), (r"(a", 0), (r"a)", 1), (r"[a", 0), (r"a" + "\\", 1),
        (r"[z-a]", 2), (r"[a-\d]", 2), (r"a{2,1}", 1), (r"\8", 0), (r"\q", 0), (r"a(?i)b", 1),
        (r"(?P<1>a)", 0), (r"(?P<n>a)(?P<n>b)", 8), (r"(?>a|ab)c", 0), (r"(?:a|ab)++", 8),
        (r"(?(1)a)", 0), (r"\p{Nope}", 0), (r"\x4", 0), (r"a{4294967297}", 2), ("(" * 40000, 100),
        ("a" * 60000, 50000),
    ],
)  # fmt: skip
def test_refused_with_its_position(pattern: str, position: int) -> None:
    with pytest.raises(RegexError) as caught:
        Language.pattern(pattern, "python")
    assert caught.value.position == position


def test_large_counts_stay_counts() -> None:
    start, rules = to_ebnf(Language.pattern("[ab]*a[ab]{13}", "python"), "p")
    assert (start, rules) == ('([a-b]* "a" [a-b]{13})', [])
    assert to_ebnf(Language.pattern("[a-z]{1,129}", "python"), "p") == ("[a-z]{1,129}", [])
    assert to_ebnf(Language.pattern("((a{1,9}){1,9}){1,9}", "python"), "p")[0] == '"a"{1,729}'


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_random_expressions_agree_with_re_and_with_the_matcher(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(150):
        pattern = expression(rng)
        try:
            re.compile(pattern)
        except re.error:
            with pytest.raises(RegexError):
                Language.pattern(pattern, "python")
            continue
        language = Language.pattern(pattern, "python")
        texts = [text(rng) for _ in range(20)]
        judged_alike(pattern, texts)
        if not language.is_empty():
            agrees_with_grammar(language, [*texts, language.shortest()])


def agrees_with_grammar(language: Language, texts: list[str]) -> None:
    """The matcher takes, in both encodings, exactly what the language accepts."""
    try:
        bare = Grammar(*to_ebnf(language, "p"))
        inside = Grammar(*to_ebnf(language, "p", "json"))
    except TooLarge:
        return
    for candidate in texts:
        expected = language.accepts(candidate)
        assert bare.accepts(candidate) == expected, candidate
        for ascii_only in (True, False):
            spelled = json.dumps(candidate, ensure_ascii=ascii_only)[1:-1]
            assert inside.accepts(spelled) == expected, spelled
