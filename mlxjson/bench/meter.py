"""A matcher that is timed from outside, so that the loop needs no clock."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mlxjson.decode.matcher import Forced, Matcher


@dataclass(slots=True)
class Metered:
    """Forwards to a matcher and keeps what each mask took, in microseconds.

    A mask may be made when it is filled or when it is asked whether the text must end, so the
    time of both, between two accepted ids, is one mask's.
    """

    matcher: Matcher
    masks_us: list[float] = field(default_factory=list)
    _spent: float = 0.0

    @property
    def width(self) -> int:
        return self.matcher.width

    @property
    def finished(self) -> bool:
        return self.matcher.finished

    @property
    def may_end(self) -> bool:
        return self.matcher.may_end

    @property
    def must_end(self) -> bool:
        with self._timed():
            return self.matcher.must_end

    def accept(self, token_id: int) -> bool:
        return self.matcher.accept(token_id)

    def fill(self, row: NDArray[np.int32]) -> None:
        with self._timed():
            self.matcher.fill(row)
        self.masks_us.append(self._spent * 1e6)
        self._spent = 0.0

    def forced(self, limit: int) -> Forced:
        return self.matcher.forced(limit)

    def rollback(self, count: int) -> None:
        self.matcher.rollback(count)

    @contextmanager
    def _timed(self) -> Iterator[None]:
        begin = time.perf_counter()
        try:
            yield
        finally:
            self._spent += time.perf_counter() - begin
