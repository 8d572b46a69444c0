"""Medians with their spread."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Figure:
    """The median of repeated measurements, and their median absolute deviation from it."""

    median: float
    deviation: float

    def as_dict(self) -> dict[str, float]:
        """Ready for JSON."""
        return {"median": round(self.median, 3), "deviation": round(self.deviation, 3)}


def figure(values: Iterable[float]) -> Figure:
    """The figure of at least one value."""
    measured = list(values)
    middle = median(measured)
    return Figure(middle, median(abs(value - middle) for value in measured))


def percentile(values: Iterable[float], share: float) -> float:
    """The smallest value that at least `share` (0 to 1) of the values do not exceed; 0 of none."""
    ordered = sorted(values)
    if not ordered:
        return 0.0
    rank = -(-len(ordered) * share // 1)
    return ordered[max(0, int(rank) - 1)]
