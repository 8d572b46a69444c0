"""The loop against the slow obvious way: whole forward passes and the engine's own matcher."""

import json
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

from mlxjson import JsonSchema, Session, Task, open_session
from mlxjson.enforcement import enforcement
from mlxjson.grammar.engine import xgr
from mlxjson.prompt import gen_messages
from tests.command import PERSON

pytestmark = pytest.mark.slow

SCHEMA = json.loads(Path(PERSON).read_text())
TEXTS = ("Ada Lovelace, 36, ada@example.org, lives in London.", "bob (7) bob@b.org Rome")


@pytest.fixture(scope="module")
def session() -> Session:
    return open_session("starter")


def plain(session: Session, text: str) -> str:
    """The whole sequence through mlx-lm's model at every step, one mask, one argmax."""
    vocabulary, source = session.vocabulary, enforcement(JsonSchema(SCHEMA)).source
    assert source is not None
    tokens = list(vocabulary.tokens)
    stops = sorted(vocabulary.stop_ids)
    info = xgr.TokenizerInfo(tokens, xgr.VocabType.RAW, stop_token_ids=stops)
    compiled = xgr.GrammarCompiler(info).compile_grammar(xgr.Grammar.from_ebnf(source.text))
    matcher = xgr.GrammarMatcher(compiled)
    ids = session.prompt_ids(gen_messages(text, SCHEMA))
    written: list[int] = []
    while not matcher.is_terminated():
        row = np.zeros((len(tokens) + 31) // 32, dtype=np.int32)
        matcher.fill_next_token_bitmask(row)
        allowed = np.unpackbits(row.view(np.uint8), bitorder="little")[: len(tokens)]
        logits = np.array(session.network.model(mx.array([[*ids, *written]]))[0, -1])
        best = int(np.argmax(np.where(allowed == 1, logits[: len(tokens)], -np.inf)))
        assert matcher.accept_token(best)
        written.append(best)
    return b"".join(tokens[i] for i in written[:-1]).decode()


@pytest.mark.parametrize("text", TEXTS)
def test_without_jumping_and_drafting_the_output_is_the_plain_one(
    session: Session, text: str
) -> None:
    task = Task(JsonSchema(SCHEMA), gen_messages(text, SCHEMA), jump=False, draft=0)
    assert session.run(task).text == plain(session, text)


@pytest.mark.parametrize("text", TEXTS)
def test_drafting_changes_no_byte(session: Session, text: str) -> None:
    def run(draft: int | None, jump: bool) -> str:
        messages = gen_messages(text, SCHEMA)
        return session.run(Task(JsonSchema(SCHEMA), messages, jump=jump, draft=draft)).text

    assert run(None, True) == run(0, True)
    assert run(None, False) == run(0, False)
