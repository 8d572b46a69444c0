"""Work beside the main thread, and work that waits until somebody needs it."""

import threading
from collections.abc import Callable
from concurrent.futures import Future

import pytest

from mlxjson.background import Later, in_background


def fail() -> int:
    raise KeyError("gone")


@pytest.mark.parametrize("start", [in_background, Later])
def test_the_result_or_the_error_is_given_to_all_who_ask(
    start: Callable[[Callable[[], int]], "Future[int] | Later[int]"],
) -> None:
    good, bad = start(lambda: 3), start(fail)
    assert (good.result(), good.result()) == (3, 3)
    for _ in range(2):
        with pytest.raises(KeyError, match="gone"):
            bad.result()


def test_what_is_done_later_is_done_once_and_by_the_first_who_asks() -> None:
    done: list[str] = []
    work = Later(lambda: done.append(threading.current_thread().name))
    assert done == []
    askers = [threading.Thread(target=work.result, name=f"asker {i}") for i in range(4)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert len(done) == 1
    assert done[0].startswith("asker")
