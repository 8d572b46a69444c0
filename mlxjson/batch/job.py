"""A batch from its rows to its last line."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mlxjson.batch.lanes import Lane
from mlxjson.batch.ledger import Ledger
from mlxjson.batch.notices import Notices
from mlxjson.batch.order import AsTheyCome, InOrder
from mlxjson.batch.progress import Progress
from mlxjson.batch.records import Outcome
from mlxjson.batch.rows import Row
from mlxjson.batch.totals import Totals
from mlxjson.errors import BatchFailed


@dataclass(slots=True)
class Job:
    """Runs rows through a lane and writes a line for each.

    Attributes:
        ledger: gets the lines; those of bare results where `bare` says so.
        notices: says of which schemas there is no grammar.
        errors: gets the rows that failed, as they came in; None: nobody does.
        max_failures: how many rows may fail before the batch is given up; None: all.
    """

    lane: Lane
    ledger: Ledger
    totals: Totals
    progress: Progress
    notices: Notices
    errors: Ledger | None = None
    bare: bool = False
    unordered: bool = False
    max_failures: int | None = None

    def run(self, rows: Iterable[Row]) -> None:
        """Do it. Raises: BatchFailed when too many rows failed, UsageError when it can't write."""
        order = AsTheyCome() if self.unordered else InOrder()
        for group in self.lane(order.taken(rows)):
            self._write(order.add(group))

    def _write(self, outcomes: Sequence[Outcome]) -> None:
        """First the rejected rows: whoever goes on after a crash may repeat but not miss one."""
        rejected = [outcome.rejected() for outcome in outcomes if not outcome.ok]
        if self.errors is not None and rejected:
            self.errors.append(rejected)
        self.ledger.append([o.bare() if self.bare else o.line() for o in outcomes])
        self.notices.of_rows(outcomes)
        self.totals.add(outcomes)
        self.progress.show(self.totals)
        if self.max_failures is not None and self.totals.failed > self.max_failures:
            raise BatchFailed(f"given up after {self.totals.failed} rows failed")
