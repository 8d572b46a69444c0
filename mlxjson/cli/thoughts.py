"""A model's reasoning on stderr."""

from collections.abc import Iterator
from contextlib import contextmanager

from mlxjson.environment import Environment
from mlxjson.task import OnText


class Shown:
    """Reasoning as it comes, and a newline behind it."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._last = "\n"

    def write(self, text: str) -> None:
        """Show a piece of it."""
        self._last = text or self._last
        self._environment.stderr.write(text)
        self._environment.stderr.flush()

    def end(self) -> None:
        """End the line, unless it is ended."""
        if not self._last.endswith("\n"):
            self.write("\n")

    def before(self, on_text: OnText) -> OnText:
        """The same as `on_text`, but on a line of its own if both go to one terminal."""

        def write(text: str) -> None:
            self.end()
            on_text(text)

        return write


@contextmanager
def shown_thoughts(environment: Environment, wanted: bool) -> Iterator[Shown | None]:
    """What shows reasoning; None if it is not wanted."""
    if not wanted:
        yield None
        return
    shown = Shown(environment)
    try:
        yield shown
    finally:
        shown.end()
