"""Where a result goes: stdout as it is made, or a file that appears whole."""

import json
import os
import tempfile
from pathlib import Path
from typing import BinaryIO, Protocol

from mlxjson.errors import UsageError
from mlxjson.stdout import failures_told


class Sink(Protocol):
    """Takes the text of a result in pieces."""

    def write(self, text: str) -> None:
        """Take one piece."""

    def close(self) -> None:
        """The result is complete: end it with a newline."""

    def discard(self) -> None:
        """The result failed: leave nothing that looks whole."""


class StreamSink:
    """Writes UTF-8 to a stream at once."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._wrote = False

    def write(self, text: str) -> None:
        self._send(text)
        self._wrote = True

    def close(self) -> None:
        self._send("\n")

    def discard(self) -> None:
        if self._wrote:
            self._send("\n")

    def _send(self, text: str) -> None:
        with failures_told("the result"):
            self._stream.write(text.encode())
            self._stream.flush()


class FileSink:
    """Collects the text and puts it in place of a file in one step (rename(2))."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._parts: list[str] = []

    def write(self, text: str) -> None:
        self._parts.append(text)

    def close(self) -> None:
        write_atomically(self._path, "".join(self._parts) + "\n")

    def discard(self) -> None:
        """Nothing was written."""


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write to `path`, a text as UTF-8, so that it holds what it did before or all of `content`.

    Devices and pipes are written to as they are. Raises: UsageError.
    """
    data = content.encode() if isinstance(content, str) else content
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
        else:
            _replace(path, data)
    except OSError as error:
        raise UsageError(f"can't write: {error.strerror}", where=str(path)) from error


def _replace(path: Path, data: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, path.stat().st_mode if path.exists() else 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


class JsonString:
    """Wraps bare text, in pieces, into one JSON string."""

    def __init__(self, inner: Sink) -> None:
        self._inner = inner
        self._open = False

    def write(self, text: str) -> None:
        body = json.dumps(text, ensure_ascii=False)[1:-1]
        self._inner.write(body if self._open else '"' + body)
        self._open = True

    def close(self) -> None:
        self._inner.write('"' if self._open else '""')
        self._inner.close()

    def discard(self) -> None:
        self._inner.discard()


class RawString:
    """Holds a JSON document and, where it is a string, writes the bare text instead."""

    def __init__(self, inner: Sink) -> None:
        self._inner = inner
        self._parts: list[str] = []

    def write(self, text: str) -> None:
        self._parts.append(text)

    def close(self) -> None:
        text = "".join(self._parts)
        value = json.loads(text)
        self._inner.write(value if isinstance(value, str) else text)
        self._inner.close()

    def discard(self) -> None:
        self._inner.discard()
