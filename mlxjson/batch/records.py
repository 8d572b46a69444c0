"""What came of a row, and the line that says it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from mlxjson.batch.rows import Row
from mlxjson.batch.tasks import is_json
from mlxjson.constraint import Constraint
from mlxjson.errors import ExitCode, MlxjsonError
from mlxjson.stats import Stats
from mlxjson.task import Result, Task
from mlxjson.text import on_one_line

if TYPE_CHECKING:
    from mlxjson.confidence import TokenScore

# Of the figures of a run, those that count something and add up over rows.
COUNTS = (
    "prompt_tokens",
    "output_tokens",
    "forward_passes",
    "forced_tokens",
    "drafted_tokens",
    "accepted_tokens",
    "thinking_tokens",
    "retries",
)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a row has no result: an exit code, what is wrong, and where (a JSON Pointer)."""

    code: int
    message: str
    pointer: str = ""

    def as_dict(self) -> dict[str, Any]:
        """As it stands in the line of the row."""
        return {"code": self.code, "message": self.message, "pointer": self.pointer}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a row.

    Attributes:
        row: the row.
        text: what was generated, also where it was rejected.
        is_json: the text is a JSON document; else it is bare text.
        stats: the figures of the row's run; all zero where there was none.
        fault: why it failed; None where it did not.
        seconds: how long it took, from when it was taken up.
        confidence, logprobs: how sure the model was, where that is asked for.
        unenforced: the schema for which there was no grammar, and why; None where there was one.
    """

    row: Row
    text: str = ""
    is_json: bool = True
    stats: Stats | None = None
    fault: Fault | None = None
    seconds: float = 0.0
    confidence: dict[str, float] | None = None
    logprobs: "tuple[TokenScore, ...] | None" = None
    unenforced: tuple[Constraint, str] | None = None

    @property
    def ok(self) -> bool:
        """Whether the row has a result."""
        return self.fault is None

    def result(self) -> str:
        """The result as JSON on one line, byte for byte as generated but for its line breaks."""
        if not self.is_json:
            return json.dumps(self.text, ensure_ascii=False)
        return on_one_line(self.text)

    def line(self) -> bytes:
        """The row's line of the output, with its newline."""
        stats = self.stats or Stats()
        fields = {
            "id": _dumps(self.row.id),
            "ok": _dumps(self.ok),
            "result": self.result() if self.ok else "null",
            **self._certainty(),
            "error": _dumps(self.fault.as_dict() if self.fault else None),
            "finish": _dumps(stats.finish or None),
            "tokens": _dumps({name: getattr(stats, name) for name in COUNTS}),
            "seconds": _dumps(round(self.seconds, 3)),
        }
        return f"{_object(fields)}\n".encode()

    def bare(self) -> bytes:
        """The result alone, with its newline; nothing for a row that failed.

        Where it is asked for, how sure the model was stands beside it, as in a single run.
        """
        if not self.ok:
            return b""
        parts = {"result": self.result(), **self._certainty()}
        return f"{self.result() if len(parts) == 1 else _object(parts)}\n".encode()

    def _certainty(self) -> dict[str, str]:
        """What is known of how sure the model was, as JSON."""
        known = {}
        if self.confidence is not None:
            known["confidence"] = _dumps(self.confidence)
        if self.logprobs is not None:
            known["logprobs"] = _dumps([score.as_dict() for score in self.logprobs])
        return known

    def rejected(self) -> bytes:
        """A failed row as it came in, with its error and what was rejected, for `--errors`."""
        fields = {**self.row.fields, "id": self.row.id}
        fields["error"] = self.fault.as_dict() if self.fault else None
        if self.text:
            fields["rejected"] = self.text
        return f"{_dumps(fields)}\n".encode()


def failed(row: Row, error: BaseException, begin: float) -> Outcome:
    """The outcome of a row that ended in an error."""
    return Outcome(row, fault=fault_of(error), seconds=perf_counter() - begin)


def finished(row: Row, task: Task, result: Result, begin: float) -> Outcome:
    """The outcome of a row that was generated, cut off and invalid ones included."""
    fault = None
    try:
        result.checked()
    except MlxjsonError as error:
        fault = fault_of(error)
    return Outcome(
        row,
        result.text,
        is_json(task.constraint),
        result.stats,
        fault,
        perf_counter() - begin,
        result.confidence,
        result.logprobs,
        (task.constraint, result.unenforced) if result.unenforced else None,
    )


def fault_of(error: BaseException) -> Fault:
    """An error as it stands in the line of a row."""
    if isinstance(error, MlxjsonError):
        place = f"{error.where}: " if error.where else ""
        return Fault(int(error.code), f"{place}{error.message}", getattr(error, "pointer", ""))
    if isinstance(error, RecursionError):
        return Fault(int(ExitCode.CONSTRAINT), "nested too deeply")
    return Fault(int(ExitCode.BUG), f"unexpected error: {type(error).__name__}: {error}"[:500])


def attempt(row: Row, work: Callable[[], Outcome]) -> Outcome:
    """The outcome of `work`, or of the error it ends in: a bad row never stops the others."""
    begin = perf_counter()
    try:
        return work()
    except Exception as error:
        return failed(row, error, begin)


def _object(parts: Mapping[str, str]) -> str:
    """A JSON object of values that are JSON already."""
    return "{" + ", ".join(f'"{name}": {value}' for name, value in parts.items()) + "}"


def _dumps(value: Any) -> str:
    """One line of JSON; what UTF-8 can't say is escaped."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text
