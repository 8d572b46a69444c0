"""Work beside the main thread."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def in_background(work: Callable[[], T]) -> "Future[T]":
    """Start `work` in a thread that does not keep the process alive; its result as a future."""
    future: Future[T] = Future()

    def carry_out() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=carry_out, daemon=True).start()
    return future
