"""The output of a batch: one file, and a part for each process while several work on it.

`out.jsonl` is the whole; `out.0.jsonl`, `out.1.jsonl`, … are the parts, until they are joined.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mlxjson.batch.ledger import Done, whole_lines
from mlxjson.batch.rows import Row, id_key
from mlxjson.batch.tasks import DOUBLE
from mlxjson.errors import UsageError


def part(output: Path, rank: int) -> Path:
    """The part of one process."""
    return output.with_name(f"{output.stem}.{rank}{output.suffix}")


def parts(output: Path) -> list[Path]:
    """The parts that are there, of however many processes, in order."""
    pattern = re.compile(rf"{re.escape(output.stem)}\.(\d+){re.escape(output.suffix)}")
    found = [
        (int(match[1]), path)
        for path in (output.parent.iterdir() if output.parent.is_dir() else ())
        if (match := pattern.fullmatch(path.name))
    ]
    return [path for _, path in sorted(found)]


def with_rows(output: Path) -> list[Path]:
    """The output and its parts, as far as they have content."""
    return [path for path in (output, *parts(output)) if _has_content(path)]


def done_in(output: Path) -> Done:
    """The rows that have their line, in the output or a part. Raises: UsageError."""
    done = Done()
    for path in with_rows(output):
        done.read(path)
    return done


def refuse_to_overwrite(output: Path) -> None:
    """Raises: UsageError when there are rows already."""
    for path in with_rows(output):
        raise UsageError(
            "the output has rows already",
            where=str(path),
            hint="Go on with --resume, or write it anew with --force.",
        )


def remove(paths: Iterable[Path]) -> None:
    """Remove files. Raises: UsageError."""
    for path in paths:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise UsageError(f"can't remove it: {error.strerror}", where=str(path)) from error


@dataclass(slots=True)
class _Places:
    """Where the line of each row stands."""

    lines: dict[tuple[str, bool], list[tuple[Path, int, int]]] = field(default_factory=dict)

    def read(self, path: Path) -> None:
        offset = 0
        for line in whole_lines(path):
            fields = json.loads(line)
            error = fields["error"]
            key = (id_key(fields["id"]), error is not None and error["pointer"] == DOUBLE)
            self.lines.setdefault(key, []).append((path, offset, len(line)))
            offset += len(line)

    def in_order(self, rows: Iterable[Row]) -> Iterator[tuple[Path, int, int]]:
        """The places of the lines of `rows`, then those of rows that are no longer among them."""
        asked = set()
        for row in rows:
            key = (id_key(row.id), row.is_double)
            asked.add(key)
            # A line that is there twice was being moved when the power went.
            if self.lines.get(key):
                yield self.lines[key].pop(0)
        for key, left in self.lines.items():
            if key not in asked:
                yield left[0]


def join(output: Path, rows: Iterable[Row]) -> None:
    """Put the lines of all parts into the output, in the order of `rows`; remove the parts.

    The output is put in place in one step: at any moment every line is in it or in a part.

    Raises: UsageError when it can't be written.
    """
    sources = with_rows(output)
    if not parts(output):
        return
    places = _Places()
    for path in sources:
        places.read(path)
    temporary = output.with_name(f".{output.name}.joining")
    try:
        _copy(places.in_order(rows), sources, temporary)
        os.replace(temporary, output)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise UsageError(f"can't write: {error.strerror}", where=str(output)) from error
    remove(parts(output))


def append_parts(output: Path) -> None:
    """Put the lines of all parts behind those of `output`, and remove the parts."""
    from mlxjson.batch.ledger import FileLedger

    found = parts(output)
    if found:
        with FileLedger(output) as ledger:
            for path in found:
                ledger.append(list(whole_lines(path)))
        remove(found)


def _copy(places: Iterable[tuple[Path, int, int]], sources: list[Path], into: Path) -> None:
    opened = {path: os.open(path, os.O_RDONLY) for path in sources}
    try:
        with into.open("wb") as file:
            for path, offset, length in places:
                file.write(os.pread(opened[path], length, offset))
            file.flush()
            os.fsync(file.fileno())
    finally:
        for handle in opened.values():
            os.close(handle)


def _has_content(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False
