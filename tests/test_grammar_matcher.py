"""What a matcher promises: ids, masks, ends."""

import numpy as np
import pytest

from mlxjson.errors import MlxjsonError
from mlxjson.grammar import (
    EbnfSource,
    Engine,
    LarkSource,
    Matcher,
    allowed_ids,
    empty_mask,
    fill_many,
    is_allowed,
    mask_of,
    mask_words,
)
from tests.grammar_helpers import SPECIAL, STOP, llama2, qwen3, small, small_engine


def matcher(text: str, engine: Engine | None = None) -> Matcher:
    return (engine or small_engine()).compile(EbnfSource(text)).matcher()


def allowed(m: Matcher) -> list[int]:
    row = empty_mask(300)
    m.fill(row)
    return allowed_ids(row).tolist()


def test_importing_the_layer_loads_neither_xgrammar_nor_numpy() -> None:
    import subprocess
    import sys

    code = (
        "import sys, mlxjson.grammar\n"
        "assert not {'xgrammar', 'numpy', 'torch'} & set(sys.modules)\n"
        "mlxjson.grammar.Engine\n"
        "assert 'xgrammar' in sys.modules\n"
        "assert not {'torch', 'transformers'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_mask_allows_exactly_what_the_grammar_does() -> None:
    m = matcher('root ::= "ab" | "x"')
    assert allowed(m) == [ord("a"), ord("x"), small().tokens.index(b"ab")]


def test_ids_that_write_nothing_and_padding_are_never_allowed() -> None:
    m = matcher(r"root ::= [\x00-\U0010ffff]*")
    ids = allowed(m)
    assert SPECIAL not in ids
    assert max(ids) == STOP
    assert not m.accept(SPECIAL)
    assert not m.accept(299)
    assert not m.accept(300)
    assert not m.accept(-1)
    assert allowed(m) == ids


def test_refused_ids_print_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    m = matcher('root ::= "a"')
    for token_id in (SPECIAL, 299, 300, -1, STOP, ord("b")):
        assert not m.accept(token_id)
    assert m.accept(ord("a"))
    assert m.accept(STOP)
    assert not m.accept(ord("a"))
    assert capfd.readouterr() == ("", "")


def test_may_end_is_not_must_end() -> None:
    m = matcher('root ::= "a" | "ab"')
    assert (m.may_end, m.must_end) == (False, False)
    assert m.accept(ord("a"))
    assert (m.may_end, m.must_end) == (True, False)
    assert allowed(m) == [ord("b"), STOP]
    assert m.accept(ord("b"))
    assert (m.may_end, m.must_end) == (True, True)
    assert allowed(m) == [STOP]


def test_an_integer_can_have_two_digits() -> None:
    m = matcher("root ::= [0-9]+")
    assert m.accept_text(b"7")
    assert not m.must_end
    assert ord("3") in allowed(m)


def test_the_empty_sentence_is_a_sentence() -> None:
    m = matcher('root ::= ""')
    assert m.must_end
    assert m.forced_ids(5) == []
    assert m.accept(STOP)
    assert m.finished


def test_a_finished_matcher_is_never_filled() -> None:
    m = matcher('root ::= "a"')
    assert m.accept_ids([ord("a"), STOP]) == 2
    assert m.finished
    assert not m.may_end
    assert not m.must_end
    assert not m.accept(STOP)
    assert not m.accept_text(b"a")
    assert m.forced_text() == b""
    assert m.forced_ids(3) == []
    with pytest.raises(MlxjsonError, match="finished"):
        m.fill(empty_mask(300))
    with pytest.raises(MlxjsonError, match="finished"):
        fill_many([m], empty_mask(300, 1))


def test_a_mask_that_allows_nothing_is_an_internal_error() -> None:
    m = small_engine().compile(EbnfSource('root ::= "a" []'), trusted=True).matcher()
    assert m.accept(ord("a"))
    with pytest.raises(MlxjsonError, match="no token"):
        m.fill(empty_mask(300))


def test_a_refused_id_moves_nothing() -> None:
    m = matcher('root ::= "abc"')
    assert m.accept_ids([ord("a"), ord("x"), ord("b")]) == 1
    assert allowed(m) == [ord("b")]


def test_rollback_goes_back_also_over_the_end() -> None:
    m = matcher('root ::= "abc"')
    assert m.accept_text(b"ab")
    assert m.accept_ids([ord("c"), STOP]) == 2
    m.rollback(2)
    assert not m.finished
    assert allowed(m) == [ord("c")]
    m.rollback()
    assert ord("a") in allowed(m)


def test_a_fork_is_independent() -> None:
    m = matcher('root ::= "a" [xy]')
    twin = m.fork()
    assert twin.accept_text(b"ax")
    assert ord("a") in allowed(m)
    assert twin.must_end


def test_rows_filled_together_are_the_rows_filled_alone() -> None:
    grammars = ["root ::= [0-9]+", 'root ::= "yes" | "no"', 'root ::= "{" [a-z]* "}"']
    matchers = [matcher(g) for g in grammars]
    rows = empty_mask(300, 3)
    fill_many(matchers, rows)
    for m, row in zip(matchers, rows, strict=True):
        assert allowed_ids(row).tolist() == allowed(m)


def test_masks_are_bits_low_bit_first() -> None:
    row = mask_of([0, 33, 299], 300)
    assert (row.dtype, row.shape) == (np.int32, (mask_words(300),))
    assert row.tolist()[:2] == [1, 2]
    assert allowed_ids(row).tolist() == [0, 33, 299]
    assert is_allowed(row, 33)
    assert not is_allowed(row, 32)


def test_lark_is_compiled_too() -> None:
    m = small_engine().compile(LarkSource('start: "a" B\nB: /[0-9]/')).matcher()
    assert m.accept_text(b"a7")
    assert m.must_end


@pytest.mark.parametrize("make", [qwen3, llama2])
def test_real_vocabularies_are_masked_in_full_width(make) -> None:  # noqa: ANN001
    vocabulary = make()
    m = matcher(r"root ::= [^\x00]*", Engine(vocabulary))
    row = empty_mask(vocabulary.width)
    m.fill(row)
    for token_id in allowed_ids(row).tolist():
        assert token_id in vocabulary.stop_ids or vocabulary.tokens[token_id]


@pytest.mark.parametrize("word", ["né", "한", "a\tb", 'q"uote', "back\\slash", "line\nbreak"])
def test_words_come_out_as_they_went_in_with_byte_fallback(word: str) -> None:
    vocabulary = llama2()
    quoted = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    m = matcher(f'root ::= "{quoted}"', Engine(vocabulary))
    out = b""
    while not m.must_end:
        row = empty_mask(vocabulary.width)
        m.fill(row)
        token_id = int(allowed_ids(row)[0])
        assert m.accept(token_id)
        out += vocabulary.tokens[token_id]
    assert out == word.encode()
