"""What a batch adds up to."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from mlxjson.batch.records import COUNTS, Outcome
from mlxjson.stats import peak_memory_mb


@dataclass(slots=True)
class Totals:
    """Figures of a batch so far.

    Attributes:
        rows: how many rows there are in all; None while nobody knows.
        skipped: rows that an earlier run had done, and `failed_before` of them without a result.
        done: rows of this run that have their line, and `failed` of them without a result.
        counts: the counts of all runs of rows, summed.
    """

    rows: int | None = None
    skipped: int = 0
    failed_before: int = 0
    done: int = 0
    failed: int = 0
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTS, 0))
    begin: float = field(default_factory=perf_counter)

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Count rows whose line is written."""
        for outcome in outcomes:
            self.done += 1
            self.failed += not outcome.ok
            for name in COUNTS if outcome.stats else ():
                self.counts[name] += getattr(outcome.stats, name)

    @property
    def failed_in_all(self) -> int:
        """Rows without a result, those of earlier runs included."""
        return self.failed + self.failed_before

    @property
    def seconds(self) -> float:
        """How long this run has been going."""
        return perf_counter() - self.begin

    @property
    def rows_per_second(self) -> float:
        """Rows done a second in this run."""
        return self.done / max(self.seconds, 1e-9)

    @property
    def tokens_per_second(self) -> float:
        """Tokens written a second in this run."""
        return self.counts["output_tokens"] / max(self.seconds, 1e-9)

    @property
    def seconds_left(self) -> float | None:
        """How long it will take at this speed; None where that can't be said."""
        if self.rows is None or not self.done:
            return None
        return max(0, self.rows - self.skipped - self.done) / self.rows_per_second

    def as_dict(self) -> dict[str, Any]:
        """The figures ready for JSON."""
        return {
            "rows": self.skipped + self.done,
            "skipped": self.skipped,
            "ok": self.done - self.failed,
            "failed": self.failed,
            "failed_before": self.failed_before,
            **self.counts,
            "seconds": round(self.seconds, 3),
            "rows_per_second": round(self.rows_per_second, 3),
            "tokens_per_second": round(self.tokens_per_second, 2),
            "peak_memory_mb": round(peak_memory_mb(), 1),
        }
