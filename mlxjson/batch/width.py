"""How many rows to work on at once: as many as memory holds and as still make it faster."""

from statistics import median

# Steps whose time is measured at each width, and how much faster the next must be to be kept.
_STEPS = 12
_GAIN = 1.1
_FIRST = 8


class Width:
    """A number of rows; `fixed`, or found by trying.

    Trying begins at 8 and doubles for as long as rows move on at least a tenth faster together,
    at most to `most`.
    """

    def __init__(self, fixed: int | None, most: int) -> None:
        self.most = fixed or max(1, most)
        self.now = fixed or min(_FIRST, self.most)
        self._settled = fixed is not None
        self._best = 0.0
        self._times: list[float] = []

    def note(self, rows: int, seconds: float) -> None:
        """Take in how long a step took that worked on `rows` rows and let none join."""
        if self._settled or rows != self.now:
            return
        self._times.append(seconds)
        if len(self._times) == _STEPS:
            self._judge(rows / max(median(self._times), 1e-9))
            self._times.clear()

    def _judge(self, rows_per_second: float) -> None:
        if rows_per_second < self._best * _GAIN:
            self.now, self._settled = self.now // 2, True
        elif self.now == self.most:
            self._settled = True
        else:
            self._best, self.now = rows_per_second, min(2 * self.now, self.most)
