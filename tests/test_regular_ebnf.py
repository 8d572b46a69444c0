"""The grammar text of languages, judged by the engine's matcher."""

import json
import time
from collections.abc import Callable

import pytest

from mlxjson.regular import EmptyLanguage, Language, to_ebnf
from tests.regular_fuzz import Grammar

AWKWARD = (
    'quo"te', "back\\slash", "tab\there", "nul\0",
    "\x1fab", "\x7fa", "é", "éa", "ßab", "ÿ0", "日本ab",
    "😀a", "-]^[", "a\nb", "\u2028", "/", "\ud7ff\ue000", "\U0010ffff",
)  # fmt: skip


@pytest.mark.parametrize("word", AWKWARD)
@pytest.mark.parametrize(
    "wrap",
    [
        Language.literal,
        lambda word: Language.literals([word, word + "a", "b"]),
        lambda word: Language.literal(word) + Language.literal("f0"),
        lambda word: Language.pattern("^[" + escaped(word) + "abc]*$"),
        lambda word: ~Language.literals(["a", "b"]),
    ],
)
def test_every_character_is_written_so_that_the_engine_reads_it(
    word: str, wrap: Callable[[str], Language]
) -> None:
    language = wrap(word)
    bare, inside = Grammar(*to_ebnf(language, "p")), Grammar(*to_ebnf(language, "p", "json"))
    for candidate in (word, word + "a", word + "f0", "a", "b", "", *word):
        expected = language.accepts(candidate)
        assert bare.accepts(candidate) == expected, candidate
        for ascii_only in (True, False):
            spelled = json.dumps(candidate, ensure_ascii=ascii_only)[1:-1]
            assert inside.accepts(spelled) == expected, spelled


def escaped(word: str) -> str:
    return "".join("\\" + char if char in "\\]^[-" else char for char in word)


@pytest.mark.parametrize("bad", ['"', "\n", "\\q", "\\x", "\\u12", "\\ud800", "\\udc00", "\0"])
def test_json_strings_stay_json(bad: str) -> None:
    grammar = Grammar(*to_ebnf(Language.everything(), "p", "json"))
    assert not grammar.accepts(bad)
    assert not grammar.accepts(f"a{bad}g")


def test_hexadecimal_escapes_may_have_either_case() -> None:
    grammar = Grammar(*to_ebnf(Language.literals(["é", "😀"]), "p", "json"))
    for spelled in ("\\u00e9", "\\u00E9", "\\ud83d\\ude00", "\\uD83D\\uDE00"):
        assert grammar.accepts(spelled)
    assert not grammar.accepts("\\ud83d")


def test_printable_ascii_is_written_as_itself_only() -> None:
    grammar = Grammar(*to_ebnf(Language.pattern("^[a/]$"), "p", "json"))
    assert grammar.accepts("a")
    assert grammar.accepts("/")
    assert not grammar.accepts("\\u0061")
    assert not grammar.accepts("\\/")


def test_a_language_without_words_has_no_grammar() -> None:
    with pytest.raises(EmptyLanguage):
        to_ebnf(Language.pattern("a") & Language.pattern("^b*$"), "p")


def test_a_branch_without_words_is_left_out() -> None:
    language = Language.literal("x") | (Language.pattern("^a+$") & Language.pattern("^b+$"))
    assert to_ebnf(language, "p") == ('"x"', [])


def test_rules_have_the_prefix_and_the_grammar_does_not_change_from_run_to_run() -> None:
    language = Language.pattern("^(?!.*--)[a-z]([a-z-]*[a-z])?$")
    start, rules = to_ebnf(language, "name_")
    assert all(rule.startswith("name_") for rule in rules)
    assert to_ebnf(Language.pattern("^(?!.*--)[a-z]([a-z-]*[a-z])?$"), "name_") == (start, rules)


@pytest.mark.parametrize(
    ("language", "word"),
    [
        (Language.pattern("foo|ba[rz]+"), "ab" * 500 + "foo"),
        (Language.pattern("^(a+)+b$"), "a" * 999 + "b"),
        (Language.pattern("^(?=.*[0-9]).{8,}$"), "a" * 999 + "1"),
        (~Language.literals([f"name{i}" for i in range(30)]), "name" * 250),
        (Language.literals(["a" * i for i in range(300)]), "a" * 299),
        (Language.length(0, 200_000), "a" * 1000),
    ],
)
def test_a_thousand_characters_are_matched_at_once(language: Language, word: str) -> None:
    grammar = Grammar(*to_ebnf(language, "p", "json"))
    started = time.monotonic()
    assert grammar.accepts(word)
    assert time.monotonic() - started < 1


def test_twenty_thousand_words_are_written_by_their_beginnings() -> None:
    words = [f"{i * 7919 % 99991:x}-{i}" for i in range(20_000)]
    start, rules = to_ebnf(Language.literals(words), "p", "json")
    assert len(start) + sum(map(len, rules)) < 600_000
    assert max(map(len, rules)) < 20_000


def test_the_import_brings_in_no_engine_and_no_tables() -> None:
    import subprocess
    import sys

    code = (
        "import sys, mlxjson.regular as r; r.Language.pattern('^[a-z]+$');"
        "bad = {'xgrammar', 'numpy', 'mlx', 'torch', 'transformers'} & set(sys.modules);"
        "from mlxjson.regular import unicode_sets as u, case as c;"
        "assert not bad and not u._by_category.cache_info().currsize, bad;"
        "assert not c._classes.cache_info().currsize"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
