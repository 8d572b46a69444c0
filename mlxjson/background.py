"""Work beside the main thread, and work that waits until it is needed."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


def in_background(work: Callable[[], T]) -> "Future[T]":
    """Start `work` in a thread that does not keep the process alive; its result as a future."""
    future: Future[T] = Future()
    threading.Thread(target=_carry_out, args=(work, future), daemon=True).start()
    return future


class Later(Generic[T]):
    """Work that is done once, by the first who asks for its result."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work: Callable[[], T] | None = work
        self._future: Future[T] = Future()
        self._lock = Lock()

    def result(self) -> T:
        """What the work gives. Raises: what it raises, to all who ask."""
        with self._lock:
            if self._work is not None:
                _carry_out(self._work, self._future)
                self._work = None
        return self._future.result()


def _carry_out(work: Callable[[], T], future: "Future[T]") -> None:
    try:
        future.set_result(work())
    except BaseException as error:
        future.set_exception(error)
