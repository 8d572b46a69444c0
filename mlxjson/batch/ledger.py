"""Output that is never torn and never lost: every line whole, and on disk before it counts."""

import fcntl
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Protocol, Self

from mlxjson.batch.interrupts import held_off
from mlxjson.batch.rows import Row, id_key
from mlxjson.batch.tasks import DOUBLE
from mlxjson.errors import UsageError
from mlxjson.stdout import failures_told


class Ledger(Protocol):
    """Takes whole lines."""

    def append(self, lines: Sequence[bytes]) -> None:
        """Write lines, each with its newline; on return they are there to stay."""


class StreamLedger:
    """Lines to a stream, such as stdout."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def append(self, lines: Sequence[bytes]) -> None:
        """Write and flush. Raises: ReaderClosed, UsageError."""
        with failures_told("the rows"), held_off():
            self._stream.write(b"".join(lines))
            self._stream.flush()


class FileLedger:
    """Lines at the end of a file that only one process writes to."""

    def __init__(self, path: Path, *, anew: bool = False) -> None:
        """Open or create the file; empty it, or cut off a torn last line. Raises: UsageError."""
        self._path = path
        with self._explained():
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            self._lock()
            self._length = 0 if anew else _whole_length(self._file)
            os.ftruncate(self._file, self._length)
            os.fsync(self._file)
            _sync_folder(path.parent)

    def append(self, lines: Sequence[bytes]) -> None:
        """Write and fsync; what can't be written whole is taken back. Raises: UsageError."""
        data = b"".join(lines)
        if not data:
            return
        with self._explained(), held_off():
            try:
                self._write(data)
                os.fsync(self._file)
            except OSError:
                os.ftruncate(self._file, self._length)
                raise
            self._length += len(data)

    def close(self) -> None:
        """Close the file and let others have it."""
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._file, rest) :]

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UsageError("another batch writes to this file", where=str(self._path)) from error

    def _explained(self) -> "_Explained":
        return _Explained(self._path)


@dataclass(slots=True)
class _Explained:
    """Turns errors of the system into errors that name the file."""

    path: Path

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        if isinstance(error, OSError):
            raise UsageError(f"can't write: {error.strerror}", where=str(self.path)) from error


@dataclass(slots=True)
class Done:
    """The rows that have their line already, and how many of these failed.

    A row whose id was given before has a line of its own, and is counted apart.
    """

    first: set[str] = field(default_factory=set)
    doubles: Counter[str] = field(default_factory=Counter)
    failed: int = 0

    def __len__(self) -> int:
        return len(self.first) + self.doubles.total()

    def read(self, path: Path) -> None:
        """Add the rows of an output; a torn last line does not count.

        Raises: UsageError when a line is not one of a batch.
        """
        for number, line in enumerate(whole_lines(path), 1):
            try:
                fields = json.loads(line)
                key, error = id_key(fields["id"]), fields["error"]
                is_double = error is not None and error["pointer"] == DOUBLE
            except (ValueError, KeyError, TypeError) as cause:
                raise UsageError(
                    "not a line of a batch, so it can't be gone on with",
                    where=f"{path}, line {number}",
                ) from cause
            if is_double or key not in self.first:
                self.failed += error is not None
            if is_double:
                self.doubles[key] += 1
            else:
                self.first.add(key)

    def left(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows that have no line yet."""
        doubles = self.doubles.copy()
        for row in rows:
            key = id_key(row.id)
            if row.is_double and doubles[key]:
                doubles[key] -= 1
            elif row.is_double or key not in self.first:
                yield row


def whole_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file that end in a newline; none where there is no file."""
    try:
        with path.open("rb") as file:
            for line in file:
                if line.endswith(b"\n"):
                    yield line
    except FileNotFoundError:
        return
    except OSError as error:
        raise UsageError(f"can't read: {error.strerror}", where=str(path)) from error


def _whole_length(file: int) -> int:
    """How long the file is up to its last newline."""
    end = os.fstat(file).st_size
    while end > 0:
        start = max(0, end - 65536)
        at = os.pread(file, end - start, start).rfind(b"\n")
        if at >= 0:
            return start + at + 1
        end = start
    return 0


def _sync_folder(folder: Path) -> None:
    """Make the name of a new file durable, too (fsync(2))."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
