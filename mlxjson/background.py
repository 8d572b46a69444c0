"""Work beside the main thread, and work that waits until it is needed."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Later(Generic[T]):
    """Work that is done once, by the first who asks for its result.

    As a `concurrent.futures.Future` to those who ask; importing that takes 8 ms.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._work: Callable[[], T] | None = work
        self._values: list[T] = []
        self._error: BaseException | None = None
        self._lock = threading.Lock()

    def done(self) -> bool:
        """Whether the work is behind us, well or badly."""
        return self._work is None

    def exception(self) -> BaseException | None:
        """What the work raised; None if it went well."""
        with self._lock:
            if self._work is not None:
                self._carry_out(self._work)
                self._work = None
        return self._error

    def result(self) -> T:
        """What the work gives. Raises: what it raises, to all who ask."""
        error = self.exception()
        if error is not None:
            raise error
        return self._values[0]

    def _carry_out(self, work: Callable[[], T]) -> None:
        try:
            self._values.append(work())
        except BaseException as error:
            self._error = error


def in_background(work: Callable[[], T]) -> Later[T]:
    """Start `work` in a thread that does not keep the process alive."""
    later = Later(work)
    threading.Thread(target=later.exception, daemon=True).start()
    return later
