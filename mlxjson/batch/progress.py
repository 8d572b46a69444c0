"""How far a batch is, on stderr."""

from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from mlxjson.batch.totals import Totals
from mlxjson.environment import Environment

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

_PLAIN_SECONDS = 60.0


class Progress(Protocol):
    """Is told how far things are."""

    def show(self, totals: Totals) -> None:
        """Some rows were done."""

    def say(self, line: str) -> None:
        """A line for people."""

    def close(self) -> None:
        """Nothing more comes."""


def progress(environment: Environment, quiet: bool, is_first: bool = True) -> Progress:
    """A line that is kept up to date on a terminal, a plain one a minute elsewhere.

    Of several processes only the first one shows how far it is.
    """
    if quiet:
        return _Silent()
    if not is_first:
        return _Plain(environment, inf)
    if environment.stderr_isatty and environment.variables.get("TERM") != "dumb":
        return _Live(environment)
    return _Plain(environment)


def summary(totals: Totals) -> str:
    """How far things are, in one line."""
    of = f" of {totals.rows}" if totals.rows is not None else ""
    failed = f", {totals.failed_in_all} failed" if totals.failed_in_all else ""
    left = totals.seconds_left
    time = f", {_clock(left)} left" if left else ""
    speed = f"{totals.rows_per_second:.2f} rows/s, {totals.tokens_per_second:.0f} tokens/s"
    return f"{totals.skipped + totals.done}{of} rows{failed}, {speed}{time}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class _Silent:
    def show(self, totals: Totals) -> None:
        return

    def say(self, line: str) -> None:
        return

    def close(self) -> None:
        return


class _Plain:
    def __init__(self, environment: Environment, every: float = _PLAIN_SECONDS) -> None:
        self._environment = environment
        self._every = every
        self._due = monotonic() + every

    def show(self, totals: Totals) -> None:
        if monotonic() >= self._due:
            self._due = monotonic() + self._every
            self.say(f"mlxjson: {summary(totals)}")

    def say(self, line: str) -> None:
        self._environment.say(line)

    def close(self) -> None:
        return


class _Live:
    def __init__(self, environment: Environment) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        console = Console(file=environment.stderr)
        self._bar: Bar = Progress(
            BarColumn(), TextColumn("{task.description}"), console=console, transient=True
        )
        self._task: Any = self._bar.add_task("the first rows", total=None)
        self._bar.start()

    def show(self, totals: Totals) -> None:
        self._bar.update(
            self._task,
            description=summary(totals),
            completed=totals.skipped + totals.done,
            total=totals.rows,
        )

    def say(self, line: str) -> None:
        self._bar.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def close(self) -> None:
        self._bar.stop()
