"""Where the CPU time of a whole run of the command goes, from the start of the process.

    python -m tests.tools.start_cost
    python -m tests.tools.start_cost --runs 9 gen --schema big.json "some text"

Without arguments it measures `choice` with a prompt of ten tokens and three options. The run is
repeated with warm caches; `rest` is all CPU time, user and system, that is not loading the model,
prefill or decoding. MLX computes in threads of its own, so a stage's CPU time is what the whole
process spent meanwhile; for that to be the stage's own, background work is done in turn. A run
as users have it, overlapped, is timed in alternation: `overlapped_total`.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

CHOICE = ["choice", "Is snow white, black or red?", "-c", "white", "-c", "black", "-c", "red"]
NOT_START = ("load_ms", "prefill_ms", "decode_ms")
_MARK = "CPU "

T = TypeVar("T")


def main() -> None:
    import argparse  # here, for the watched process is not to pay for it

    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="a command of mlxjson")
    options = parser.parse_args()
    print("CPU ms               median    least     most")
    for name, figures in measured(options.arguments or CHOICE, options.runs).items():
        print(f"{name:18}" + "".join(f"{figure:9.1f}" for figure in figures))


def measured(arguments: list[str], runs: int) -> dict[str, list[float]]:
    """Median, least and most of each figure over `runs` runs, in milliseconds."""
    import statistics

    _overlapped(arguments)
    seen: dict[str, list[float]] = {}
    for _ in range(runs):
        figures = _in_turn(arguments)
        figures["rest"] = figures["total"] - sum(figures.get(name, 0.0) for name in NOT_START)
        figures["overlapped_total"] = _overlapped(arguments)
        for name, value in figures.items():
            seen.setdefault(name, []).append(value)
    return {
        name: [round(part, 1) for part in (statistics.median(v), min(v), max(v))]
        for name, v in seen.items()
    }


def _overlapped(arguments: list[str]) -> float:
    """CPU time of a run as users have it."""
    import subprocess

    command = [sys.executable, "-m", "mlxjson", *arguments]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"the command ended with exit code {process.returncode}")
    return (usage.ru_utime + usage.ru_stime) * 1000


def _in_turn(arguments: list[str]) -> dict[str, float]:
    """CPU time by stage of a run without threads of its own."""
    import subprocess

    code = "from tests.tools.start_cost import watched; watched()"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    (line,) = (line for line in done.stderr.splitlines() if line.startswith(_MARK))
    figures: dict[str, float] = json.loads(line.removeprefix(_MARK))
    return figures


def watched() -> None:
    """Run the command of `sys.argv` in this process, and end it with a line on stderr."""
    from mlxjson import background, clock

    stages: dict[str, float] = {}
    clock.timed = _timed_into(stages)  # type: ignore[assignment]
    background.in_background = _at_once
    leave = os._exit

    def report(code: int) -> None:
        print(_MARK + json.dumps({**stages, "total": _cpu_ms()}), file=sys.stderr, flush=True)
        leave(code)

    os._exit = report  # type: ignore[assignment]
    from mlxjson.cli import main as command

    command()


def _timed_into(stages: dict[str, float]) -> Any:
    @contextmanager
    def timed(into: dict[str, float], stage: str) -> Iterator[None]:
        begin, cpu = time.perf_counter(), _cpu_ms()
        try:
            yield
        finally:
            into[stage] = into.get(stage, 0.0) + (time.perf_counter() - begin) * 1000
            stages[stage] = stages.get(stage, 0.0) + _cpu_ms() - cpu

    return timed


def _at_once(work: Callable[[], T]) -> Any:
    from mlxjson.background import Later

    later = Later(work)
    later.exception()
    return later


def _cpu_ms() -> float:
    return time.process_time() * 1000


if __name__ == "__main__":
    main()
