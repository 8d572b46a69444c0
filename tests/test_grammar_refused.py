"""Grammars that are refused before the first token, each with a reason, none by a crash."""

import json

import pytest

from mlxjson.errors import ConstraintError
from mlxjson.grammar import EbnfSource, LarkSource
from mlxjson.grammar.lark import with_schemas
from tests.grammar_helpers import small_engine


def refusal(source: EbnfSource | LarkSource) -> str:
    with pytest.raises(ConstraintError) as caught:
        small_engine().compile(source)
    text = str(caught.value)
    assert len(text.splitlines()) <= 2
    assert "/project/" not in text
    assert "cpp" not in text
    return text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('root ::= "a" b', 'g.ebnf:1:14: Rule "b" is not defined'),
        ('root ::= "a"\nb ::= (', "g.ebnf:2:8: Expect element"),
        ('root ::= "a', "g.ebnf:1:12: Expect"),
        ("root ::= [z-a]", "g.ebnf:1:11: Invalid character class"),
        ("", 'g.ebnf:1:1: The root rule with name "root" is not found'),
        ('root ::= "a"{3,2}', "g.ebnf:1:16: Lower bound"),
        ('root ::= "a"{4294967297}', "g.ebnf:1:13: a repetition of 4294967297 is too large"),
        ('root ::= "a"{2,99999999999999999999}', "too large"),
        ('root ::= "a\0"', "g.ebnf:1:12: a NUL character"),
        ('root ::= "\ud800"', "g.ebnf:1:11: half a surrogate pair"),
        ('root ::= "\\ud800"', "half a surrogate pair"),
        ('root ::= Token(3) "a"', "can't name tokens"),
        ("root ::= " + "(" * 40_000 + '"a"' + ")" * 40_000, "Nest layer"),
    ],
)
def test_malformed_ebnf_is_told_with_line_and_column(text: str, told: str) -> None:
    assert told in refusal(EbnfSource(text, "g.ebnf"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('start: "a" b', "g.lark:1:12: unknown name 'b'"),
        ("start: (", "g.lark:1:9: expected ')'"),
        ("", "g.lark:1:1: no start rule"),
        ("start: /(?=a)/", "g.lark:1:8: failed to compile regular expression"),
        ("start: /a^b/", "should be at the start"),
        ("start: /a{4294967297}/", "g.lark:1:10: a repetition of 4294967297"),
        ('start: "a"~4294967297', "g.lark:1:12: invalid repetition count"),
        ('start: <[5]> "a"', "can't name tokens"),
        ('start: %json {"type": "integer"}', "%json is not supported here"),
        ("start: " + "(" * 40_000 + '"a"' + ")" * 40_000, "nested deeper"),
        ("start: /" + "(" * 40_000 + "a" + ")" * 40_000 + "/", "Nest layer"),
    ],
)
def test_malformed_lark_is_told_with_line_and_column(text: str, told: str) -> None:
    assert told in refusal(LarkSource(text, "g.lark"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('root ::= "a" root', "no finite sentence"),
        ("root ::= root", "no finite sentence"),
        ("root ::= []", "no finite sentence"),
        ('root ::= "x" | "a" loop\nloop ::= "a" loop', "rule 'loop' can be entered but never ends"),
        ('root ::= "x" | loop*\nloop ::= ("a" | "b") loop', "rule 'loop'"),
        ('root ::= "x" | "y" []', "an alternative of rule 'root' matches nothing"),
        ('root ::= "x" | "a"{1000001}', "1,000,001 characters"),
        (
            "root ::= r0\n"
            + "".join(f"r{i} ::= r{i + 1} r{i + 1}\n" for i in range(60))
            + 'r60 ::= "a"',
            "characters",
        ),
    ],
)
def test_a_grammar_that_can_begin_and_never_end_is_refused(text: str, told: str) -> None:
    assert told in refusal(EbnfSource(text))


def test_lark_that_never_ends_is_refused() -> None:
    assert "no finite sentence" in refusal(LarkSource('start: "a" start'))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("root ::= " + '"a"* ' * 3000, "3,000 parts in a row that may be empty"),
        ("root ::= (([a-z]{0,1000}){0,1000}){0,1000}", "repetitions within repetitions"),
    ],
)
@pytest.mark.slow
def test_a_grammar_that_takes_for_ever_ends_with_a_reason(
    text: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mlxjson.grammar.trial.SECONDS", 2)
    assert told in refusal(EbnfSource(text))


@pytest.mark.parametrize(
    ("text", "good", "bad"),
    [
        ('root ::= root "+" n | n\nn ::= [0-9]+', "1+2+3", "+"),
        ('root ::= a root "x" | "y"\na ::= "" | "z"', "zyx", "x"),
        ("root ::= [a-z]{1,129}", "q" * 129, "q" * 130),
        ('root ::= [ab]* "a" [ab]{13}', "a" * 14, "b" * 14),
        ("root ::= [a-z]{0,200000}", "abc", "A"),
        ("root ::= [^x]*", "é한", "x"),
        ('root ::= "' + "(" * 300 + '"', "(" * 300, ")"),
    ],
)
def test_hard_but_healthy_grammars_work(text: str, good: str, bad: str) -> None:
    compiled = small_engine().compile(EbnfSource(text))
    m = compiled.matcher()
    assert m.accept_text(good.encode())
    assert m.may_end
    m = compiled.matcher()
    assert not (m.accept_text(bad.encode()) and m.may_end)


def test_unreachable_rules_may_be_endless() -> None:
    small_engine().compile(EbnfSource('root ::= "x"\nloop ::= "a" loop'))


@pytest.mark.parametrize("text", [r"root ::= [^\x00]*", r"root ::= [\u0020-\uffff]*"])
def test_no_grammar_lets_half_a_surrogate_pair_out(text: str) -> None:
    compiled = small_engine().compile(EbnfSource(text))
    assert not compiled.matcher().accept_text(b"\xed\xa0\x80")
    assert compiled.matcher().accept_text("\ud7ff\ue000".encode())


def test_case_insensitive_lark_terminals_work() -> None:
    m = small_engine().compile(LarkSource('start: A "!"\nA: /ab+/i')).matcher()
    assert m.accept_text(b"aBb!")
    assert m.must_end


def test_a_schema_in_lark_becomes_a_grammar_of_ours() -> None:
    seen = []

    def to_ebnf(schema: object) -> str:
        seen.append(schema)
        return "root ::= [0-9]"

    text = 'start: "a" %json {\n "type": "integer"} B // %json x\nB: /%json/ "%json" C'
    source = with_schemas(LarkSource(text, "g.lark"), to_ebnf)
    assert seen == [{"type": "integer"}]
    # The lines below keep their numbers.
    assert refusal(source).startswith("g.lark:3:")
    whole = with_schemas(LarkSource('start: "a" %json ' + json.dumps({"type": 1})), to_ebnf)
    m = small_engine().compile(whole).matcher()
    assert m.accept_text(b"a7")
    assert m.must_end


def test_a_schema_in_lark_that_is_no_json_is_told_where() -> None:
    with pytest.raises(ConstraintError, match=r"g\.lark:2:10"):
        with_schemas(LarkSource('start: "a"\n  %json {x}', "g.lark"), lambda schema: "")


def test_warnings_of_the_engine_do_not_reach_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    refusal(LarkSource("start: /a^b/"))
    assert capfd.readouterr() == ("", "")
