"""Every error the tool reports, and the exit code of each.

    MlxjsonError                1  a bug: ask for a report
    ├── UsageError              2  bad option, or an input that can't be read
    ├── ConstraintError         3  can't be compiled, can't be satisfied
    │   └── NotEnforceable      3  not fully enforceable, under --strict
    ├── CutOff                  4  max-tokens or context length reached first
    ├── InvalidDocument         5  complete, but fails the whole schema
    ├── ModelError              6  the model can't be loaded
    ├── BatchFailed             7  a batch ended with some rows failed
    ├── Interrupted           130  Ctrl-C
    └── ReaderClosed          141  the reader closed the pipe

An error says what is wrong, where, and what to do next, in one or two lines. Errors of libraries
are mapped to these at the boundary of the layer that calls the library.
"""

from enum import IntEnum


class ExitCode(IntEnum):
    """What the process ends with. The README has the same table; a test compares them."""

    OK = 0
    BUG = 1
    USAGE = 2
    CONSTRAINT = 3
    CUT_OFF = 4
    INVALID = 5
    MODEL = 6
    BATCH = 7
    INTERRUPTED = 130
    READER_CLOSED = 141


class MlxjsonError(Exception):
    """Base of all errors. `where` is a file, pointer or line and column; `hint` the next step."""

    code = ExitCode.BUG

    def __init__(self, message: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        first = f"{self.where}: {self.message}" if self.where else self.message
        return f"{first}\n{self.hint}" if self.hint else first


class UsageError(MlxjsonError):
    """A bad option, or an input that can't be read."""

    code = ExitCode.USAGE


class ConstraintError(MlxjsonError):
    """A constraint that can't be compiled or can't be satisfied."""

    code = ExitCode.CONSTRAINT


class NotEnforceable(ConstraintError):
    """A constraint the grammar enforces only in part, refused under `--strict`."""


class CutOff(MlxjsonError):
    """The document was not complete at the token limit. `partial` is what there was."""

    code = ExitCode.CUT_OFF

    def __init__(self, message: str, *, partial: str = "", where: str = "", hint: str = "") -> None:
        super().__init__(message, where=where, hint=hint)
        self.partial = partial


class InvalidDocument(MlxjsonError):
    """A complete document that fails the schema: its text, and where and by which keyword."""

    code = ExitCode.INVALID

    def __init__(
        self,
        message: str,
        *,
        document: str = "",
        pointer: str = "",
        keyword: str = "",
        hint: str = "",
    ) -> None:
        super().__init__(message, hint=hint)
        self.document = document
        self.pointer = pointer
        self.keyword = keyword


class ModelError(MlxjsonError):
    """A model that is not there, broken, unsupported, offline, or does not fit."""

    code = ExitCode.MODEL


class BatchFailed(MlxjsonError):
    """A batch that ended with some rows failed."""

    code = ExitCode.BATCH


class Interrupted(MlxjsonError):
    """Ctrl-C."""

    code = ExitCode.INTERRUPTED


class ReaderClosed(MlxjsonError):
    """The reader of stdout went away."""

    code = ExitCode.READER_CLOSED
