"""`check --cases`: many schemas, one line each, judged in a child process that may die.

The child answers a line with a line. Where it takes too long, too much memory, or crashes, the
line gets an error and a fresh child goes on with the next.
"""

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import IO, Any

from mlxjson.environment import Environment

# The compile bound of a schema is 10 s and 1 GiB; its instances come on top.
SECONDS = 60.0
MEMORY_BYTES = 4 << 30

Locals = Mapping[str, Path]


def judged(lines: Iterable[str], model: str | None, local: Locals) -> Iterator[str]:
    """One line of JSON for every line, in order.

    Args:
        lines: each `{"id", "schema", "instances": […]}`; blank ones are passed over.
        model: whose vocabulary to compile for, as `--model`.
        local: folders with copies of remote schemas, by the URI they stand for.
    """
    child: _Child | None = None
    for line in filter(str.strip, lines):
        if child is None:
            child = _Child(model, local)
        answer = child.ask(line)
        if answer is None:
            answer = _lost(line, child.close())
            child = None
        yield answer
    if child is not None:
        child.close()


def _lost(line: str, code: int | None) -> str:
    reason = (
        f"took more than {SECONDS:.0f} s"
        if code is None
        else f"the process that judged it ended (status {code}): too large or too deep"
    )
    return json.dumps(_failed(_id(line), reason))


def _failed(row_id: Any, reason: str) -> dict[str, Any]:
    empty = {"exact": False, "unenforced": [], "compile_ms": None, "accepted": [], "valid": []}
    return {"id": row_id, "error": reason, **empty}


def _id(line: str) -> Any:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row.get("id") if isinstance(row, dict) else None


class _Child:
    """A process that judges lines."""

    def __init__(self, model: str | None, local: Locals) -> None:
        settings = json.dumps([model, {base: str(folder) for base, folder in local.items()}])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mlxjson.cases", settings],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._rest = b""
        _limit_memory(self._process.pid)
        self._patience = SECONDS + 30  # the first line waits for the vocabulary, too

    def ask(self, line: str) -> str | None:
        """The answer to a line; None when the process died or ran out of time."""
        try:
            _pipe(self._process.stdin).write(line.strip().encode() + b"\n")
            _pipe(self._process.stdin).flush()
        except BrokenPipeError:
            return None
        answer = self._line()
        self._patience = SECONDS
        return answer

    def _line(self) -> str | None:
        out = _pipe(self._process.stdout)
        while b"\n" not in self._rest:
            ready, _, _ = select.select([out], [], [], self._patience)
            data = os.read(out.fileno(), 1 << 16) if ready else b""
            if not data:
                return None
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode()

    def close(self) -> int | None:
        """End the process; its status, or None when it had to be killed."""
        _pipe(self._process.stdin).close()
        _pipe(self._process.stdout).close()
        try:
            return self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return None


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


def _limit_memory(pid: int) -> None:
    """Linux only: elsewhere the time limit has to do."""
    if sys.platform == "linux":
        import resource

        resource.prlimit(pid, resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def main(settings: str) -> None:
    """The child: answer every line of stdin."""
    model, local = json.loads(settings)
    environment = Environment.of_process()
    for line in _pipe(environment.stdin):
        answer = json.dumps(_answer(line, model, local), ensure_ascii=False)
        environment.stdout.write(answer.encode(errors="replace") + b"\n")
        environment.stdout.flush()


def _answer(line: bytes, model: str | None, local: Mapping[str, str]) -> dict[str, Any]:
    from mlxjson.check import check_case

    try:
        row = _row(line)
    except RecursionError:
        return _failed(None, "the line is nested too deeply to be read")
    except ValueError as error:
        return _failed(None, f"the line is not JSON: {error}")
    return check_case(row, _compile(model), store=_store(tuple(local.items())))


def _row(line: bytes) -> Any:
    """The line; numbers of its instances keep the digits they are written with."""
    row = json.loads(line)
    if isinstance(row, dict) and "instances" in row:
        row["instances"] = json.loads(line, parse_float=Decimal)["instances"]
    return row


@cache
def _compile(model: str | None) -> Any:
    from mlxjson.api import open_engine
    from mlxjson.check import compiler

    return compiler(open_engine(model))


@cache
def _store(local: tuple[tuple[str, str], ...]) -> Mapping[str, Any]:
    from mlxjson.validate.store import read_store

    store: dict[str, Any] = {}
    for base, folder in local:
        store.update(read_store(Path(folder), base))
    return store


if __name__ == "__main__":
    main(sys.argv[1])
