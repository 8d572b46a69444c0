"""Lines are whole and stay."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from mlxjson.batch.ledger import Done, FileLedger, StreamLedger
from mlxjson.batch.records import Fault, Outcome
from mlxjson.batch.rows import Row
from mlxjson.errors import ReaderClosed, UsageError

LINE = b'{"id": 1, "ok": true, "error": null}\n'


def test_lines_are_added_behind_what_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_bytes(LINE + b'{"id": 2, "torn')
    with FileLedger(path) as ledger:
        ledger.append([b"a\n", b"b\n"])
        ledger.append([])
        ledger.append([b"c\n"])
    assert path.read_bytes() == LINE + b"a\nb\nc\n"


@pytest.mark.parametrize("torn", [b"", b"x", b"x" * 200_000])
def test_a_torn_line_of_any_length_is_dropped(torn: bytes, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    for whole in (b"", LINE):
        path.write_bytes(whole + torn)
        FileLedger(path).close()
        assert path.read_bytes() == whole


def test_a_file_that_is_begun_anew_is_emptied(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_bytes(LINE)
    with FileLedger(path, anew=True) as ledger:
        ledger.append([b"a\n"])
    assert path.read_bytes() == b"a\n"


def test_two_batches_cannot_write_to_one_file(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with FileLedger(path), pytest.raises(UsageError, match="another batch"):
        FileLedger(path)
    FileLedger(path).close()


def test_a_disk_that_is_full_leaves_no_half_line(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with FileLedger(path) as ledger:
        ledger.append([b"first\n"])
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20, before[1]))
        try:
            with pytest.raises(UsageError, match="can't write"):
                ledger.append([b"a line that is much too long\n"])
            assert path.read_bytes() == b"first\n"
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        ledger.append([b"second\n"])
    assert path.read_bytes() == b"first\nsecond\n"


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="can't write: No such file"):
        FileLedger(tmp_path / "none" / "out.jsonl")


def test_a_closed_pipe_is_told_from_a_full_disk() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb", buffering=0) as stream, pytest.raises(ReaderClosed):
        StreamLedger(stream).append([LINE])
    with (
        open("/dev/full", "wb", buffering=0) as stream,
        pytest.raises(UsageError, match="No space"),
    ):
        StreamLedger(stream).append([LINE])


def outcome(row: Row, pointer: str | None = None) -> bytes:
    fault = None if pointer is None else Fault(2, "wrong", pointer)
    return Outcome(row, "1", fault=fault).line()


def test_rows_done_are_known_by_their_ids(tmp_path: Path) -> None:
    a, b, again = Row(1, "a", {}), Row(2, "b", {}), Row(3, "a", {}, "twice", is_double=True)
    path = tmp_path / "out.jsonl"

    def left(*lines: bytes) -> list[Row]:
        path.write_bytes(b"".join(lines))
        done = Done()
        done.read(path)
        return list(done.left([a, b, again]))

    assert left() == [a, b, again]
    assert left(outcome(a)) == [b, again]
    assert left(outcome(again, "/id")) == [a, b]
    assert left(outcome(a, "/text"), outcome(b), outcome(again, "/id")) == []
    assert left(outcome(a), outcome(b)[:-1]) == [b, again]


def test_what_is_no_output_of_a_batch_is_not_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    for strange in (b"{}\n", b"hello\n", b"[1]\n", b'{"id": 1, "error": 5}\n'):
        path.write_bytes(LINE + strange)
        with pytest.raises(UsageError, match="line 2"):
            Done().read(path)


def test_an_interrupt_inside_a_line_comes_behind_it(tmp_path: Path) -> None:
    script = f"""
import os, signal
from pathlib import Path
from mlxjson.batch import ledger
write = os.write
def interrupted(file, data):
    os.kill(os.getpid(), signal.SIGINT)
    return write(file, data[:3])
ledger.os.write = interrupted
with ledger.FileLedger(Path({str(tmp_path / "out")!r})) as file:
    file.append([b"ab\\n"])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert b"KeyboardInterrupt" in done.stderr
    assert (tmp_path / "out").read_bytes() == b"ab\n"
