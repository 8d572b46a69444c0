"""Milliseconds since this process was started, and how long stages take."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_IMPORTED = time.perf_counter()


def since_start() -> float:
    """Milliseconds since the process started (on Linux; elsewhere since this module loaded)."""
    return _BEFORE_IMPORT + (time.perf_counter() - _IMPORTED) * 1000


def _before_import() -> float:
    """Process age at import, from the start time in /proc/self/stat (proc(5), field 22)."""
    try:
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        started = int(fields[19]) / os.sysconf("SC_CLK_TCK")
        return max(0.0, (time.clock_gettime(time.CLOCK_BOOTTIME) - started) * 1000)
    except (OSError, ValueError, AttributeError):
        return 0.0


_BEFORE_IMPORT = _before_import()


@contextmanager
def timed(into: dict[str, float], stage: str) -> Iterator[None]:
    """Add the milliseconds spent inside to `into[stage]`."""
    begin = time.perf_counter()
    try:
        yield
    finally:
        into[stage] = into.get(stage, 0.0) + (time.perf_counter() - begin) * 1000
