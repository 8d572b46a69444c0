"""Outcomes in the order of their rows, whatever order they come in."""

from collections.abc import Iterable, Iterator

from mlxjson.batch.records import Outcome
from mlxjson.batch.rows import Row


class InOrder:
    """Holds an outcome back until all rows that were taken up before it have theirs."""

    def __init__(self) -> None:
        self._waiting: dict[int, int] = {}
        self._held: dict[int, Outcome] = {}
        self._taken = 0
        self._next = 0

    def taken(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Pass the rows on, and remember their order."""
        for row in rows:
            self._waiting[row.number] = self._taken
            self._taken += 1
            yield row

    def add(self, outcomes: Iterable[Outcome]) -> list[Outcome]:
        """Take outcomes in; give out those whose turn it is."""
        for outcome in outcomes:
            self._held[self._waiting.pop(outcome.row.number)] = outcome
        ready = []
        while self._next in self._held:
            ready.append(self._held.pop(self._next))
            self._next += 1
        return ready


class AsTheyCome:
    """Gives outcomes out at once."""

    def taken(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Pass the rows on."""
        yield from rows

    def add(self, outcomes: Iterable[Outcome]) -> list[Outcome]:
        """Give outcomes out again."""
        return list(outcomes)
