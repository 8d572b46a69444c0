"""What goes wrong with standard output, told as what it is."""

from collections.abc import Iterator
from contextlib import contextmanager

from mlxjson.errors import ReaderClosed, UsageError


@contextmanager
def failures_told(what: str) -> Iterator[None]:
    """Around writing `what`, as in "the result". Raises: ReaderClosed, UsageError."""
    try:
        yield
    except BrokenPipeError as error:
        raise ReaderClosed("the reader closed the pipe") from error
    except OSError as error:
        raise UsageError(
            f"can't write {what}: {error.strerror}", where="standard output"
        ) from error
