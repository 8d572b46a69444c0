"""Reading the rows of a batch: JSON Lines, or a folder or glob of text files."""

import glob
import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlxjson.errors import UsageError

Id = str | int | float


@dataclass(frozen=True, slots=True)
class Row:
    """One row as it was read.

    Attributes:
        number: its place in the input, from 1: the line, or the file's place in the sorted list.
        id: what the row calls itself as `id` (or `custom_id`, as in OpenAI's batches); its number
            if it has no name, its path if it is a file.
        fields: the row's object; empty where it can't be read.
        fault: why it can't be read, or "".
        is_double: whether the fault is that an earlier row has the same id.
    """

    number: int
    id: Id
    fields: dict[str, Any]
    fault: str = ""
    is_double: bool = False


def read_lines(lines: Iterable[bytes]) -> Iterator[Row]:
    """The rows of JSON Lines; empty lines are passed over."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _row(line, number)


def read_files(paths: Iterable[Path]) -> Iterator[Row]:
    """A row for each text file, with its text as `text` and its path as id."""
    for number, path in enumerate(paths, 1):
        try:
            yield Row(number, str(path), {"text": path.read_bytes().decode("utf-8-sig")})
        except UnicodeDecodeError as error:
            yield Row(number, str(path), {}, f"not UTF-8 text (byte {error.start})")
        except OSError as error:
            yield Row(number, str(path), {}, f"can't read the file: {error.strerror}")


def without_doubles(rows: Iterable[Row]) -> Iterator[Row]:
    """The same rows; one whose id was there before is marked as a fault."""
    seen: dict[str, int] = {}
    for row in rows:
        first = seen.setdefault(id_key(row.id), row.number)
        if first != row.number:
            fault = f"the id was given before, in row {first}"
            yield Row(row.number, row.id, row.fields, fault, is_double=True)
        else:
            yield row


def id_key(row_id: Id) -> str:
    """Ids that are told apart have different keys: 1 and "1" are."""
    return json.dumps(row_id)


def text_files(named: str) -> list[Path] | None:
    """The files of a folder or of a glob, sorted; None where `named` is a file of rows.

    Raises: UsageError when there is nothing of that name.
    """
    path = Path(named)
    if path.is_dir():
        found = [p for p in sorted(path.iterdir()) if p.is_file() and not p.name.startswith(".")]
        return _some(found, named, "the folder has no files")
    if path.exists():
        return None
    if not glob.has_magic(named):
        raise UsageError("no such file or folder", where=named)
    found = [p for p in map(Path, sorted(glob.glob(named, recursive=True))) if p.is_file()]
    return _some(found, named, "no file matches")


def _some(found: list[Path], named: str, otherwise: str) -> list[Path]:
    if not found:
        raise UsageError(otherwise, where=named)
    return found


def _row(line: bytes, number: int) -> Row:
    try:
        fields = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
    except UnicodeDecodeError as error:
        return Row(number, number, {}, f"line {number}: not UTF-8 text (byte {error.start})")
    except json.JSONDecodeError as error:
        place = f"line {number}, column {error.colno}"
        return Row(number, number, {}, f"{place}: not JSON: {error.msg}")
    except (RecursionError, ValueError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        return Row(number, number, {}, f"line {number}: not JSON: {reason}")
    if not isinstance(fields, dict):
        return Row(number, number, {}, f"line {number}: a row must be an object")
    return _named(fields, number)


def _named(fields: dict[str, Any], number: int) -> Row:
    row_id = fields.get("id", fields.get("custom_id", number))
    if isinstance(row_id, bool) or not isinstance(row_id, str | int | float) or _endless(row_id):
        return Row(number, number, fields, f"line {number}: 'id' must be a string or a number")
    return Row(number, row_id, fields)


def _endless(row_id: Id) -> bool:
    return isinstance(row_id, float) and not math.isfinite(row_id)
