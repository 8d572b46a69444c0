"""What a matcher says about forced text."""

from mlxjson.grammar import EbnfSource, Engine, Matcher
from tests.grammar_helpers import longest_match, small

NAME = r'root ::= "{\"name\": \"" [a-z-]* "\"}"'


def matcher(text: str, encode=longest_match) -> Matcher:  # noqa: ANN001
    return Engine(small(), encode=encode).compile(EbnfSource(text)).matcher()


def written(ids: object) -> list[bytes]:
    return [small().tokens[i] for i in ids]  # type: ignore[attr-defined]


def test_forced_text_is_what_every_sentence_starts_with() -> None:
    m = matcher('root ::= "abc" ("x" | "y")')
    assert m.forced_text() == b"abc"
    assert m.accept_text(b"abcx")
    assert m.forced_text() == b""


def test_a_last_token_that_a_longer_one_could_stand_for_is_held_back() -> None:
    forced = matcher(NAME).forced(99)
    assert written(forced.ids) == [b'{"', b"name", b'":']
    assert written(forced.held) == [b' "']


def test_nothing_is_held_back_when_the_grammar_rules_the_longer_token_out() -> None:
    # ' "-' is in the vocabulary, and "-" can't follow here.
    forced = matcher(r'root ::= "{\"name\": \"" [a-z]* "\"}"').forced(99)
    assert written(forced.ids) == [b'{"', b"name", b'":', b' "']
    assert forced.held == ()


def test_several_tokens_that_one_longer_token_could_stand_for_are_held_back() -> None:
    def bytewise(text: str) -> list[int]:
        return list(text.encode())

    forced = matcher('root ::= "x \\"" [-a]', bytewise).forced(99)
    assert written(forced.ids) == [b"x"]
    assert written(forced.held) == [b" ", b'"']


def test_without_holding_back_all_is_forced() -> None:
    forced = matcher(NAME).forced(99, hold_back=False)
    assert written(forced.ids) == [b'{"', b"name", b'":', b' "']


def test_the_limit_holds() -> None:
    m = matcher(NAME)
    assert written(m.forced(2).ids) == [b'{"', b"name"]
    assert m.forced(2).held == ()
    assert written(m.forced(3).held) == [b' "']
    assert m.forced_ids(0) == []


def test_an_encoder_that_writes_something_else_is_not_believed() -> None:
    for wrong in (lambda text: longest_match(" " + text), lambda text: [267], lambda text: [999]):
        assert written(matcher(NAME, wrong).forced_ids(99)) == [b'{"', b"name", b'":']


def test_without_an_encoder_the_longest_matches_are_taken() -> None:
    assert written(matcher(NAME, None).forced_ids(99)) == [b'{"', b"name", b'":']


def test_bytes_forced_inside_a_code_point_are_found() -> None:
    m = matcher('root ::= "é" "x" | "é" "y"')
    assert m.accept(0xC3)
    assert m.forced_text() == b""
    assert written(m.forced_ids(9)) == [b"\xa9"]


def test_half_a_code_point_is_never_forced_text() -> None:
    m = matcher('root ::= "aé" | "aè"')
    assert m.forced_text() == b"a"


def test_forced_ids_are_accepted_and_write_the_forced_text() -> None:
    m = matcher('root ::= "caf\\u00e9 12" [0-9]')
    forced = m.forced(99)
    assert b"".join(written(forced.ids + forced.held)) == m.forced_text() == "café 12".encode()
    assert m.accept_ids(forced.ids + forced.held) == len(forced.ids + forced.held)


def test_asking_moves_nothing() -> None:
    m = matcher(NAME)
    first = m.forced(99)
    assert m.forced(99) == first
    assert m.accept_text(b'{"name"')
