"""Inputs on which other structured-output tools failed."""

import json

import pytest

from mlxjson.constraint import Regex
from mlxjson.enforcement import enforcement
from mlxjson.grammar import Compiled, EbnfSource, Engine, allowed_ids, empty_mask
from tests.grammar_helpers import SHARED, qwen3, small, small_engine


def accepts(compiled: Compiled, text: str) -> bool:
    m = compiled.matcher()
    return m.accept_text(text.encode()) and m.may_end


def compiled_regex(pattern: str) -> Compiled:
    enforced = enforcement(Regex(pattern))
    assert enforced.source is not None
    return small_engine().compile(enforced.source, trusted=enforced.trusted)


def test_the_handed_cases_come_out_right() -> None:
    path = SHARED / "cases" / "engine-cases.json"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    for case in json.loads(path.read_text()):
        if case["kind"] == "regex":
            compiled = compiled_regex(case["src"])
        elif case["kind"] == "ebnf":
            compiled = small_engine().compile(EbnfSource(case["src"]))
        else:
            continue
        for text, accepted in case["probes"]:
            assert accepts(compiled, text) is accepted, (case["id"], text)


@pytest.mark.parametrize(
    ("pattern", "good", "bad"),
    [
        ("[0-9]+", ["1", "12", "123456"], ["", "a"]),
        ("a|ab", ["a", "ab"], ["b", "abb"]),
        ("[a-z]{1,129}", ["q", "q" * 129], ["", "q" * 130]),
        ("[ab]*a[ab]{13}", ["a" * 14], ["b" * 14]),
        ("x{0}", [""], ["x"]),
    ],
)
def test_patterns_end_where_they_may(pattern: str, good: list[str], bad: list[str]) -> None:
    compiled = compiled_regex(pattern)
    assert all(accepts(compiled, text) for text in good)
    assert not any(accepts(compiled, text) for text in bad)


def test_padding_ids_of_a_real_model_are_masked() -> None:
    vocabulary = qwen3()
    m = Engine(vocabulary).compile(EbnfSource(r"root ::= [^\x00]*")).matcher()
    row = empty_mask(vocabulary.width)
    m.fill(row)
    assert len(vocabulary.tokens) == 151_669
    assert vocabulary.width == 151_936
    assert allowed_ids(row).max() < 151_669


def test_twenty_thousand_choices_compile_and_are_told_apart() -> None:
    words = [f"item number {i}" for i in range(20_000)]
    from mlxjson.constraint import Choice

    enforced = enforcement(Choice(tuple(words)))
    assert enforced.source is not None
    compiled = small_engine().compile(enforced.source, trusted=True)
    assert accepts(compiled, "item number 19999")
    assert accepts(compiled, "item number 1")
    assert not accepts(compiled, "item number 20000")


def test_three_hundred_nested_arrays_compile_and_end() -> None:
    text = '"[" ' * 300 + "[0-9]+ " + '"]" ' * 300
    compiled = Engine(small()).compile(EbnfSource(f"root ::= {text}"))
    assert accepts(compiled, "[" * 300 + "7" + "]" * 300)


def test_an_endless_array_can_always_end() -> None:
    m = small_engine().compile(EbnfSource('root ::= "[" [0-9] ("," [0-9])* "]"')).matcher()
    assert m.accept_text(b"[1" + b",1" * 5000)
    row = empty_mask(small().width)
    m.fill(row)
    assert ord("]") in allowed_ids(row)
