"""`--prompt-cache`: the fixed beginning of a prompt is run once, and changes no byte."""

import json
from pathlib import Path

import pytest

from mlxjson import JsonSchema, Session, Task, open_session
from mlxjson.prompt import gen_messages
from tests.command import PERSON

pytestmark = pytest.mark.slow

SCHEMA = json.loads(Path(PERSON).read_text())
TEXTS = ("Ada Lovelace, 36, ada@example.org, lives in London.", "Bob, 7, bob@b.org, Rome")


@pytest.fixture(scope="module")
def session() -> Session:
    return open_session("starter")


def run(session: Session, text: str, file: Path | None) -> tuple[str, float]:
    task = Task(JsonSchema(SCHEMA), gen_messages(text, SCHEMA), prompt_cache=file)
    result = session.run(task)
    return result.text, result.stats.prefill_ms


def test_documents_share_the_file_and_come_out_the_same(session: Session, tmp_path: Path) -> None:
    file = tmp_path / "state"
    plain = [run(session, text, None)[0] for text in TEXTS]
    first, cold = run(session, TEXTS[0], file)
    state = file.stat().st_mtime_ns
    second, warm = run(session, TEXTS[1], file)
    assert [first, second] == plain
    assert file.stat().st_mtime_ns == state
    assert warm < cold


def test_a_broken_or_foreign_file_is_written_anew(session: Session, tmp_path: Path) -> None:
    file = tmp_path / "state"
    file.write_bytes(b"not a state")
    text, _ = run(session, TEXTS[1], file)
    assert json.loads(text)["name"] == "Bob"
    assert file.stat().st_size > 100_000
