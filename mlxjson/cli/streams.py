"""The process's own streams: none closed, and what goes wrong with stdout told as what it is."""

import io
import os
import sys

from mlxjson.stdout import failures_told


class _Stdout(io.FileIO):
    """Descriptor 1, for everything that prints, the option parser's help included."""

    def write(self, data: object) -> int:
        """Write. Raises: ReaderClosed, UsageError."""
        with failures_told("the result"):
            return super().write(data)  # type: ignore[arg-type]


def claim() -> None:
    """Set up `sys.stdout` and `sys.stderr`, and open what the caller closed.

    A descriptor left free goes to the next file that is opened: MLX takes 0 for a failure, and
    what a library prints would land in a file of weights. Writing to a closed stdout still fails.
    """
    for descriptor, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        if not _is_open(descriptor):
            os.open(os.devnull, mode)
    stdout = io.BufferedWriter(_Stdout(1, "w", closefd=False))
    sys.stdout = io.TextIOWrapper(stdout, "utf-8", write_through=True)
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
