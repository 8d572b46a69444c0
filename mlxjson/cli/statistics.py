"""The figures of a run on stderr."""

import json

from mlxjson.environment import Environment
from mlxjson.stats import Stats


def report(stats: Stats, wanted: str | None, environment: Environment) -> None:
    """Nothing, a table for a terminal, or a line of JSON."""
    if wanted is None:
        return
    if wanted == "json" or not environment.stderr_isatty:
        environment.say(json.dumps(stats.as_dict(), ensure_ascii=False))
    else:
        _table(stats, environment)


def _table(stats: Stats, environment: Environment) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim")
    table.add_column(justify="right")
    for name, value in stats.as_dict().items():
        table.add_row(name, f"{value:,}" if isinstance(value, int | float) else str(value))
    Console(file=environment.stderr).print(table)
