"""What surrounds a run: streams, whether they are terminals, and the process's variables.

Handed to everything that reads or writes, so that a test sets a flag instead of patching.
"""

import os
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, TextIO


@dataclass(slots=True)
class Environment:
    """Streams and their kinds. `stdin` is None when it is closed."""

    stdin: BinaryIO | None
    stdout: BinaryIO
    stderr: TextIO
    stdin_is_data: bool
    stdout_isatty: bool
    stderr_isatty: bool
    variables: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_process(cls) -> "Environment":
        """The environment of this process."""
        sys.stderr.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        return cls(
            stdin=sys.stdin.buffer if sys.stdin else None,
            stdout=sys.stdout.buffer,
            stderr=sys.stderr,
            stdin_is_data=_is_data(sys.stdin),
            stdout_isatty=sys.stdout.isatty(),
            stderr_isatty=sys.stderr.isatty(),
            variables=os.environ,
        )

    def say(self, line: str) -> None:
        """One line to stderr."""
        print(line, file=self.stderr, flush=True)


def _is_data(stream: TextIO | None) -> bool:
    """Whether a stream is a pipe, a socket or a file, not a terminal or another device."""
    if stream is None:
        return False
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)
