"""xgrammar's errors and warnings as ours: where and what, without C++ path and time stamp."""

import os
import re
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import IO

from mlxjson.errors import ConstraintError
from mlxjson.grammar.sources import Source

# "[21:26:52] /project/cpp/grammar_parser.cc:820: " and the name of a failed check.
_ORIGIN = re.compile(r"\[\d\d:\d\d:\d\d\] \S+:\d+: (?:Check failed: \(.*?\) is false: )?")
_PLACE = re.compile(r"(?:EBNF (?:parser|lexer)|Lark) error at line (\d+), column (\d+): ")
_WARNING = re.compile(r"Warning: (.*)")

_stderr_lock = threading.Lock()


def clean(message: str) -> str:
    """`message` of xgrammar on one line, without time stamps, C++ paths and source excerpts."""
    return _ORIGIN.sub("", message).strip().split("\n")[0].rstrip(". ")


def constraint_error(message: str, source: Source) -> ConstraintError:
    """The error of `source` that xgrammar tells in `message`."""
    if "bad_alloc" in message:
        return ConstraintError("the grammar takes more memory than there is", where=source.name)
    text = clean(message)
    place = _PLACE.match(text)
    if place is None:
        return ConstraintError(text, where=source.name)
    line, column = place.groups()
    reason = text[place.end() :] or "unexpected end"
    return ConstraintError(reason, where=f"{source.name}:{line}:{column}")


@contextmanager
def placed(source: Source) -> Iterator[None]:
    """Say in which source a ConstraintError without a place is."""
    try:
        yield
    except ConstraintError as error:
        error.where = error.where or source.name
        raise


@contextmanager
def reported(source: Source, *, quiet: bool = False) -> Iterator[None]:
    """Run a conversion of `source`; its errors become ConstraintError.

    C++ writes its warnings to file descriptor 2. They mean that the grammar isn't what the user
    wrote, so they are errors too. `quiet` is for text of our own, which has none to catch.
    """
    try:
        if quiet:
            yield
            return
        warnings: list[str] = []
        with _captured_stderr(warnings):
            yield
    except RuntimeError as error:
        raise constraint_error(str(error), source) from None
    if warnings:
        raise ConstraintError(warnings[0], where=source.name)


@contextmanager
def _captured_stderr(lines: list[str]) -> Iterator[None]:
    """Collect the warnings that go to file descriptor 2 meanwhile into `lines`.

    The descriptor belongs to the whole process, hence the lock; what other threads write to it
    at the same time is handed on afterwards.
    """
    with _stderr_lock, ExitStack() as stack:
        file = _scratch_file(stack)
        if file is None:
            yield
            return
        try:
            with _stderr_into(file):
                yield
        finally:
            _sort_out(file, lines)


def _scratch_file(stack: ExitStack) -> IO[bytes] | None:
    """A file until `stack` closes; None where stderr can't or must not be redirected."""
    if sys.__stderr__ is None:
        return None  # started without one: descriptor 2 may be anybody's file by now
    with suppress(OSError):
        return stack.enter_context(tempfile.TemporaryFile())
    return None


@contextmanager
def _stderr_into(file: IO[bytes]) -> Iterator[None]:
    saved = os.dup(2)
    os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)


def _sort_out(file: IO[bytes], lines: list[str]) -> None:
    file.seek(0)
    for line in file.read().decode(errors="replace").splitlines(keepends=True):
        warning = _WARNING.search(line)
        if warning:
            lines.append(clean(warning[1]))
        else:
            os.write(2, line.encode())
