"""A model's reasoning on stderr."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mlxjson.environment import Environment


@contextmanager
def shown_thoughts(
    environment: Environment, wanted: bool
) -> Iterator[Callable[[str], None] | None]:
    """What writes reasoning as it comes, and ends it with a newline; None if it is not wanted."""
    if not wanted:
        yield None
        return
    last = ""

    def write(text: str) -> None:
        nonlocal last
        last = text
        environment.stderr.write(text)
        environment.stderr.flush()

    try:
        yield write
    finally:
        if last and not last.endswith("\n"):
            environment.say("")
