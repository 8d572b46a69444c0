"""Where the rows of a batch come from."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from mlxjson.batch.rows import Row, read_files, read_lines, text_files, without_doubles
from mlxjson.errors import UsageError


@dataclass(frozen=True, slots=True)
class Source:
    """Rows that can be read, and how many there are (None: not known)."""

    read: Callable[[], Iterator[Row]]
    count: int | None

    def rows(self) -> Iterator[Row]:
        """The rows, in order; one whose id was there before is a fault."""
        return without_doubles(self.read())


def from_stream(stream: BinaryIO) -> Source:
    """The rows of a stream, which can be read only once."""
    return Source(lambda: read_lines(stream), None)


def from_name(named: str) -> Source:
    """The rows of a file, or the files of a folder or glob. Raises: UsageError."""
    files = text_files(named)
    if files is not None:
        return Source(lambda: read_files(files), len(files))
    return Source(lambda: _rows_of(Path(named)), _count(Path(named)))


def _rows_of(path: Path) -> Iterator[Row]:
    with _opened(path) as file:
        yield from read_lines(file)


def _count(path: Path) -> int:
    with _opened(path) as file:
        return sum(1 for line in file if line.strip())


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise UsageError(f"can't read the input: {error.strerror}", where=str(path)) from error
