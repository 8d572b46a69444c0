"""Rows to outcomes, one at a time."""

from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

from mlxjson.batch.records import Outcome, attempt, finished
from mlxjson.batch.rows import Row
from mlxjson.batch.tasks import Defaults
from mlxjson.task import Task

if TYPE_CHECKING:
    from mlxjson.session import Session


class Lane(Protocol):
    """Rows in, outcomes out: in groups that were finished together, in any order."""

    def __call__(self, rows: Iterable[Row]) -> Iterator[list[Outcome]]:
        """Take up rows as there is room for them."""


class SingleLane:
    """One row after the other, each with jump-forward and drafting."""

    def __init__(self, session: "Session", defaults: Defaults) -> None:
        self._session = session
        self._defaults = defaults

    def __call__(self, rows: Iterable[Row]) -> Iterator[list[Outcome]]:
        for row in rows:
            yield [attempt(row, lambda row=row: self._run(row))]  # type: ignore[misc]

    def _run(self, row: Row) -> Outcome:
        begin = perf_counter()
        task = self._defaults.task(row)
        return finished(row, task, self._session.run(task), begin)


def lane_of(session: "Session", defaults: Defaults, width: int | None) -> Lane:
    """A lane for `width` rows at a time; None: as many as suit model and machine.

    What rows can't be asked together (see `is_plain`), they are asked one after the other.
    """
    if width == 1 or not session.network.can_batch:
        return SingleLane(session, defaults)
    from mlxjson.batch.engine import BatchLane, is_plain

    if not is_plain(Task(defaults.constraint, "", **defaults.options)):
        return SingleLane(session, defaults)
    return BatchLane(session, defaults, width)
