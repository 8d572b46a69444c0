"""Languages as sets: operators, questions, and bounds on what they may cost."""

import random
import time

import pytest

from mlxjson.errors import ConstraintError
from mlxjson.regular import EmptyLanguage, Language, TooLarge
from tests.regular_fuzz import expression, text

EVERYTHING, NOTHING = Language.everything(), Language.nothing()


def pattern(source: str) -> Language:
    return Language.pattern(source, "python")


def same(a: Language, b: Language) -> bool:
    return (a - b).is_empty() and (b - a).is_empty()


def test_operators_are_those_of_sets() -> None:
    a, b = pattern("[ab]+"), pattern("[bc]+")
    assert same(a & b, pattern("b+"))
    assert same(a - b, pattern("[ab]*a[ab]*"))
    assert same(a | b, b | a)
    assert same(~~a, a)
    assert same(a + b, pattern("[ab]+[bc]+"))
    assert (a & ~a).is_empty()
    assert (a | ~a).is_everything()
    assert same(~(a | b), ~a & ~b)


def test_what_is_nothing_and_what_is_everything() -> None:
    assert NOTHING.is_empty()
    assert not EVERYTHING.is_empty()
    assert EVERYTHING.is_everything()
    assert (~NOTHING).is_everything()
    assert not pattern(".*").is_everything()
    assert pattern("(?s:.*)").is_everything()
    assert (NOTHING + EVERYTHING).is_empty()
    assert Language.literals([]).is_empty()
    assert Language.literal("\ud800").is_empty()
    assert not EVERYTHING.accepts("\ud800")


def test_finite_languages_give_their_words() -> None:
    assert Language.literals(["b", "a", "b"]).words() == ["b", "a"]
    assert pattern("(a|b)c?").words(4) == ["a", "ac", "b", "bc"]
    assert pattern("(a|b)c?").words(3) is None
    assert pattern("[a-z]{1,129}").words(100) is None
    assert pattern("a*").words() is None
    assert (pattern("[a-e]") - Language.literal("c")).words() == ["a", "b", "d", "e"]
    assert NOTHING.words() == []
    assert (pattern("a*") & Language.length(0, 2)).words() == ["", "a", "aa"]


@pytest.mark.parametrize(
    ("language", "lengths"),
    [
        (pattern("a{2,5}"), (2, 5)),
        (pattern("ab*"), (1, None)),
        (pattern("(a|bcd)e?"), (1, 4)),
        (Language.length(3, 7), (3, 7)),
        (pattern("[ab]*") - pattern("a?"), (1, None)),
        (pattern("[ab]{2,3}") - pattern("..."), (2, 2)),
    ],
)
def test_lengths(language: Language, lengths: tuple[int, int | None]) -> None:
    assert (language.min_length(), language.max_length()) == lengths
    assert len(language.shortest()) == lengths[0]
    assert language.accepts(language.shortest())
    assert language.is_finite() == (lengths[1] is not None)


@pytest.mark.parametrize(
    ("source", "least", "most", "expected"),
    [
        ("^[A-Z]+$", 0, 4, "^[A-Z]{1,4}$"),
        ("^[a-z][a-z0-9]*$", 3, 63, "^[a-z][a-z0-9]{2,62}$"),
        ("^[a-z]([a-z-]*[a-z])?$", 0, 5, "^[a-z]([a-z-]{0,3}[a-z])?$"),
        ("^(ab)*$", 3, 7, "^(ab){2,3}$"),
        ("^a{3}$", 0, 100, "^a{3}$"),
        ("^a{3}$", 4, None, "^(?!)$"),
    ],
)
def test_length_bounds_move_into_the_pattern(
    source: str, least: int, most: int | None, expected: str
) -> None:
    bounded = Language.pattern(source) & Language.length(least, most)
    assert bounded == Language.pattern(expected) or same(bounded, Language.pattern(expected))
    assert bounded._dfa is None


def test_errors_are_constraint_errors() -> None:
    with pytest.raises(EmptyLanguage) as caught:
        (NOTHING & EVERYTHING).shortest()
    assert isinstance(caught.value, ConstraintError)
    with pytest.raises(EmptyLanguage):
        (pattern("a") & pattern("b+c")).max_length()


def test_a_large_automaton_is_refused_in_bounded_time() -> None:
    started = time.monotonic()
    hard = pattern("[ab]*a[ab]{20}") & pattern("[ab]*b[ab]{21}")
    with pytest.raises(TooLarge):
        hard.dfa()
    assert time.monotonic() - started < 10


def test_equal_values_are_equal_and_hash_alike() -> None:
    assert pattern("a[bc]") == pattern("a(?:b|c)")
    assert len({pattern("a"), pattern("a"), Language.literal("a")}) == 1
    assert repr(pattern("a[bc]{2}")).startswith("Language(")


@pytest.mark.slow
def test_random_combinations_are_what_their_parts_say() -> None:
    rng = random.Random(11)
    for _ in range(120):
        a, b = (pattern_or_nothing(expression(rng, 2)) for _ in range(2))
        both, either, minus, joined = a & b, a | b, a - b, a + b
        for _ in range(30):
            word = text(rng)
            left, right = a.accepts(word), b.accepts(word)
            assert both.accepts(word) == (left and right)
            assert either.accepts(word) == (left or right)
            assert minus.accepts(word) == (left and not right)
            assert joined.accepts(word) == any(
                a.accepts(word[:cut]) and b.accepts(word[cut:]) for cut in range(len(word) + 1)
            )
        assert both.is_empty() == (not any(both.dfa().accepting))


def pattern_or_nothing(source: str) -> Language:
    try:
        return pattern(source)
    except ConstraintError:
        return NOTHING
