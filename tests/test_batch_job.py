"""What a batch promises, with one row at a time on a scripted network."""

import json
import random
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from mlxjson.batch.settings import Settings
from mlxjson.constraint import Free, JsonSchema, Layout
from mlxjson.errors import BatchFailed, ConstraintError, UsageError
from mlxjson.session import Session
from tests.batch_helpers import Ran, ids, jsonl, run_batch, session_of, texts
from tests.command import ROOT

FIELDS = ["id", "ok", "result", "error", "finish", "tokens", "seconds"]


@pytest.fixture(scope="module")
def session() -> Session:
    return session_of()


def test_each_row_has_a_line_in_the_order_of_the_input(session: Session) -> None:
    ran = run_batch(session, texts(5))
    assert ran.error is None
    assert ids(ran.rows) == [f"row {i}" for i in range(5)]
    for row in ran.rows:
        assert list(row) == FIELDS
        assert row["ok"]
        assert re.fullmatch("[a-c]{2,6}", row["result"])
        assert row["finish"] == "stop"
        assert row["tokens"]["output_tokens"] > 0
        assert row["error"] is None


def test_a_bad_row_never_stops_the_others(session: Session) -> None:
    rows = [
        {"id": 1, "text": "fine"},
        {"id": 2},
        {"id": 3, "text": "x", "schema": {"type": "wrong"}},
        {"id": 4, "text": "x", "regex": "(?=a)"},
        {"id": 5, "text": "x", "schema": {"allOf": [{"const": 1}, {"const": 2}]}},
        {"id": 6, "text": "x", "regex": "[a-z]{90}"},
        {"id": 7, "text": "y" * 5000},
        {"id": 1, "text": "again"},
        {"id": 8, "text": "fine"},
    ]
    ran = run_batch(session, jsonl(rows) + b"not json\n")
    codes = [(row["error"] or {}).get("code", 0) for row in ran.rows]
    assert codes == [0, 2, 3, 3, 3, 4, 2, 2, 0, 2]
    assert isinstance(ran.error, BatchFailed)
    assert ran.error.message == "8 of 10 rows failed"
    assert [row["finish"] for row in ran.rows[4:7]] == [None, "length", None]
    assert all(row["result"] is None for row in ran.rows if not row["ok"])


def test_rows_that_failed_are_kept_to_be_run_again(session: Session, tmp_path: Path) -> None:
    errors = tmp_path / "errors.jsonl"
    rows = [{"id": "long", "text": "x", "regex": "[a-z]{90}", "note": 7}, *texts(2)]
    run_batch(session, rows, errors=errors)
    (kept,) = [json.loads(line) for line in errors.read_bytes().splitlines()]
    assert (kept["id"], kept["text"], kept["note"], kept["error"]["code"]) == ("long", "x", 7, 4)
    assert len(kept["rejected"]) >= 40
    again = run_batch(session, errors.read_bytes(), defaults={"options": {"max_tokens": 200}})
    assert again.error is None
    assert ids(again.rows) == ["long"]


def test_bare_prints_results_and_nothing_else(session: Session) -> None:
    rows = [{"text": "x"}, {"text": "x", "schema": {"const": {"a": [1, "é\n"]}}}, {"text": 0}]
    ran = run_batch(session, rows, bare=True)
    assert len(ran.out.splitlines()) == 2
    assert ran.out.splitlines()[1] == '{"a": [1, "é\\n"]}'.encode()


def test_a_result_of_many_lines_becomes_one(session: Session) -> None:
    schema = {"const": {"a": ["x\ny", 1.50]}}
    ran = run_batch(session, [{"text": "x"}], constraint=JsonSchema(schema, Layout.INDENT))
    assert len(ran.out.splitlines()) == 1
    assert ran.rows[0]["result"] == schema["const"]


def test_a_batch_is_given_up_after_so_many_failures(session: Session) -> None:
    rows = [*texts(1), {"id": "a"}, *texts(1, 1), {"id": "b"}, *texts(5, 2)]
    ran = run_batch(session, rows, max_failures=1)
    assert isinstance(ran.error, BatchFailed)
    assert ids(ran.rows) == ["row 0", "a", "row 1", "b"]
    assert "given up after 2" in ran.error.message


def test_what_would_fail_every_row_fails_before_the_first(session: Session) -> None:
    ran = run_batch(session, texts(3), constraint=JsonSchema({"type": 5}))
    assert isinstance(ran.error, ConstraintError)
    assert ran.out == b""


def test_rows_without_a_constraint_are_free(session: Session) -> None:
    ran = run_batch(session, texts(2), constraint=Free())
    assert all(row["ok"] or row["error"]["code"] == 4 for row in ran.rows)


def test_an_output_is_gone_on_with_where_it_ended(session: Session, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    whole = run_batch(session, texts(6), output=output).rows
    lines = output.read_bytes().splitlines(keepends=True)
    output.write_bytes(b"".join(lines[:3]) + lines[3][:20])
    ran = run_batch(session, texts(6), output=output, resume=True)
    assert without_seconds(ran.rows) == without_seconds(whole)
    assert ran.out.startswith(b"".join(lines[:3]))


def without_seconds(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**row, "seconds": 0} for row in rows]


def test_an_output_with_rows_is_never_overwritten_unasked(session: Session, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    first = run_batch(session, texts(2), output=output)
    again = run_batch(session, texts(3), output=output)
    assert isinstance(again.error, UsageError)
    assert "--resume" in again.error.hint
    assert again.out == first.out
    assert len(run_batch(session, texts(3), output=output, force=True).rows) == 3


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"constraint": JsonSchema({"type": "integer"})}, "the schema changed"),
        ({"defaults": {"instruction": "Other."}}, "the prompt changed"),
        ({"defaults": {"system": "Other."}}, "the prompt changed"),
    ],
)
def test_going_on_with_something_else_needs_force(
    session: Session, tmp_path: Path, changed: dict[str, Any], named: str
) -> None:
    output = tmp_path / "out.jsonl"
    run_batch(session, texts(2), output=output)
    refused = run_batch(session, texts(4), output=output, resume=True, **changed)
    assert isinstance(refused.error, UsageError)
    assert named in refused.error.message
    assert len(refused.rows) == 2
    forced = run_batch(session, texts(4), output=output, resume=True, force=True, **changed)
    assert ids(forced.rows) == [f"row {i}" for i in range(4)]


def test_another_model_is_noticed(session: Session, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    run_batch(session, texts(2), output=output)
    other = session_of()
    other.network.config["hidden_size"] = 7
    refused = run_batch(other, texts(4), output=output, resume=True)
    assert isinstance(refused.error, UsageError)
    assert "the model changed" in refused.error.message


def test_failures_of_an_earlier_run_still_count(session: Session, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    run_batch(session, [{"id": "bad"}], output=output)
    ran = run_batch(session, [{"id": "bad"}, *texts(2)], output=output, resume=True)
    assert isinstance(ran.error, BatchFailed)
    assert ran.error.message == "1 of 3 rows failed"


def test_a_manifest_records_what_was_done(session: Session, tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.json"
    run_batch(session, [{"id": "bad"}, *texts(2)], manifest=manifest)
    record = json.loads(manifest.read_text())
    assert record["versions"]["mlxjson"]
    assert record["model"]["reference"] == "scripted"
    assert record["options"]["max_tokens"] == 40
    assert record["options"]["on_uncompilable"] == "fail"
    assert record["totals"]["ok"] == 2
    assert record["totals"]["failed"] == 1
    assert record["totals"]["output_tokens"] > 0


@pytest.mark.parametrize(
    "settings",
    [{"bare": True, "unordered": True}, {"bare": True, "resume": True}, {"resume": True}],
)
def test_settings_that_contradict_each_other_are_refused(
    session: Session, settings: dict[str, Any]
) -> None:
    assert isinstance(run_batch(session, texts(1), **settings).error, UsageError)


_PLODDING = """
import sys, time
from pathlib import Path
from mlxjson.batch.job import Job
from mlxjson.batch.ledger import Done, FileLedger
from mlxjson.batch.notices import Notices
from mlxjson.batch.progress import _Silent
from mlxjson.batch.records import Fault, Outcome
from mlxjson.batch.source import from_name
from mlxjson.batch.totals import Totals

def lane(rows):
    waiting = []
    for row in rows:
        waiting.append(row)
        if len(waiting) == 3:
            time.sleep(0.002)
            yield [outcome(waiting.pop(at)) for at in (1, 0)]
    yield [outcome(row) for row in waiting]

def outcome(row):
    fault = Fault(2, row.fault, "/id") if row.is_double else None
    return Outcome(row, '"' + "x" * 300 + '"', fault=fault)

source, output = map(Path, sys.argv[1:3])
done = Done()
done.read(output)
with FileLedger(output) as ledger:
    job = Job(lane, ledger, Totals(), _Silent(), Notices(print), unordered=len(sys.argv) > 3)
    job.run(done.left(from_name(str(source)).rows()))
"""


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


@pytest.mark.slow
@pytest.mark.parametrize("unordered", [False, True])
def test_killed_at_any_moment_it_loses_nothing_and_doubles_nothing(
    tmp_path: Path, unordered: bool
) -> None:
    rng = random.Random(3)
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    rows = [*texts(400), {"id": "row 7", "text": "a double"}]
    source.write_bytes(jsonl(rows))
    command = [sys.executable, "-c", _PLODDING, str(source), str(output), *["u"] * unordered]
    kills = 0
    while kills < 25:
        before = size(output)
        process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE)
        while (
            process.poll() is None and (output.stat().st_size if output.exists() else 0) <= before
        ):
            time.sleep(0.001)
        time.sleep(rng.uniform(0, 0.02))
        process.kill()
        process.communicate()
        kills += 1
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0
    done = Ran(output.read_bytes(), "", None).rows
    assert sorted(map(str, ids(done))) == sorted(row["id"] for row in rows)
    if not unordered:
        assert ids(done) == [row["id"] for row in rows]
    assert sum(not row["ok"] for row in done) == 1


def test_no_file_is_input_and_output_at_once(tmp_path: Path) -> None:
    rows, other = tmp_path / "rows.jsonl", tmp_path / "other"
    rows.write_text('{"text": "x"}\n')
    (tmp_path / "link").symlink_to(rows)
    for settings in (
        Settings(str(rows), output=rows, force=True),
        Settings(str(rows), errors=tmp_path / "link"),
        Settings("-", output=other, errors=other),
        Settings("-", output=other, manifest=other),
    ):
        with pytest.raises(UsageError, match="same file"):
            settings.checked()
    assert Settings("-", output=Path("/dev/null"), errors=Path("/dev/null")).checked()
