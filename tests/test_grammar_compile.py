"""What is compiled once, what is tried out first, what is remembered."""

from pathlib import Path

import pytest

from mlxjson.errors import ConstraintError
from mlxjson.grammar import EbnfSource, Engine, LarkSource
from tests.grammar_helpers import small

MANY = EbnfSource("root ::= " + " | ".join(f'"{i:04}"' for i in range(1000)))


@pytest.fixture
def trials(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Why sources were tried out in a child."""
    seen: list[str] = []
    monkeypatch.setattr(
        "mlxjson.grammar.compiler.try_out", lambda source, vocabulary, burden: seen.append(burden)
    )
    return seen


def test_the_same_source_is_compiled_once() -> None:
    engine = Engine(small())
    source = EbnfSource('root ::= "a"')
    assert engine.compile(source) is engine.compile(EbnfSource('root ::= "a"'))
    assert engine.compile(source) is not engine.compile(EbnfSource('root ::= "b"'))


def test_a_thousand_grammars_do_not_stay_in_memory() -> None:
    engine = Engine(small())
    first = engine.compile(EbnfSource('root ::= "0"'), trusted=True)
    for i in range(1, 40):
        engine.compile(EbnfSource(f'root ::= "{i}"'), trusted=True)
    assert engine.compile(EbnfSource('root ::= "0"'), trusted=True) is not first


@pytest.mark.parametrize(
    "source",
    [
        EbnfSource('root ::= "{" [^"]* "}"'),
        EbnfSource("root ::= [ab]* [ab]{13} [0-9]{1,129}"),
        EbnfSource("root ::= " + " ".join(f'"a{i}"?' for i in range(15))),
        LarkSource("start: (WORD SP)*\nWORD: /[a-z]+/\nSP: /\\s+/"),
    ],
)
def test_small_grammars_are_never_tried_out(source: EbnfSource, trials: list[str]) -> None:
    Engine(small()).compile(source)
    assert trials == []


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (MANY, "1,000 alternatives"),
        (EbnfSource("root ::= " + '"a"? ' * 50), "50 parts in a row that may be empty"),
        (EbnfSource("root ::= ([ab]{0,100}){0,100}"), "repetitions within repetitions"),
        (EbnfSource("root ::= ([ab]+){1,100}"), "repetitions within repetitions"),
        (EbnfSource(f'root ::= "a" # {"x" * 100_000}'), "100,015 characters"),
    ],
)
def test_what_looks_expensive_is_tried_out(
    source: EbnfSource, told: str, trials: list[str]
) -> None:
    Engine(small()).compile(source)
    assert told in trials[0]


def test_grammars_of_our_own_are_tried_out_only_when_huge(trials: list[str]) -> None:
    Engine(small()).compile(MANY, trusted=True)
    assert trials == []
    Engine(small()).compile(EbnfSource(f'root ::= "a" # {"x" * 1_000_000}'), trusted=True)
    assert len(trials) == 1


def test_grammars_of_our_own_are_tried_out_when_a_pattern_made_them_ambiguous(
    trials: list[str],
) -> None:
    Engine(small()).compile(EbnfSource("root ::= " + '"a"* ' * 200), trusted=True)
    assert "200 parts in a row" in trials[0]


def test_a_passed_trial_is_remembered_on_disk(tmp_path: Path, trials: list[str]) -> None:
    Engine(small(), cache_dir=tmp_path).compile(MANY)
    Engine(small(), cache_dir=tmp_path).compile(MANY)
    assert len(trials) == 1


def test_a_real_trial_passes() -> None:
    m = Engine(small()).compile(MANY).matcher()
    assert m.accept_text(b"0999")
    assert m.must_end


def test_an_eager_engine_gives_the_same_masks() -> None:
    source = EbnfSource('root ::= "{" [a-z]+ "}"')
    from mlxjson.grammar import empty_mask

    rows = []
    for eager in (False, True):
        m = Engine(small(), eager=eager).compile(source).matcher()
        assert m.accept_text(b"{a")
        rows.append(empty_mask(small().width))
        m.fill(rows[-1])
    assert rows[0].tolist() == rows[1].tolist()


DOUBLING = EbnfSource(
    "root ::= r0\n" + "".join(f"r{i} ::= r{i + 1} r{i + 1}\n" for i in range(40)) + 'r40 ::= "a"'
)


@pytest.mark.parametrize("source", [DOUBLING, EbnfSource('root ::= "a" root')])
def test_our_own_grammars_are_checked_before_text_is_forced(source: EbnfSource) -> None:
    m = Engine(small()).compile(source, trusted=True).matcher()
    assert m.accept(ord("a"))
    for ask in (m.forced_text, lambda: m.forced_ids(5), lambda: m.fork().forced(5)):
        with pytest.raises(ConstraintError):
            ask()


def test_that_a_large_grammar_ends_is_remembered_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = EbnfSource(f'root ::= "abc" [xy] # {"-" * 20_000}')
    for _ in range(2):
        m = Engine(small(), cache_dir=tmp_path).compile(source, trusted=True).matcher()
        assert m.forced_text() == b"abc"
        monkeypatch.setattr("mlxjson.grammar.compiler.check_finite", pytest.fail)
