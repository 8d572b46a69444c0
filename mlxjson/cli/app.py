"""The command tree."""

from collections.abc import Sequence
from importlib import import_module

import typer

from mlxjson.cli.command import Command, Group

# The module of each command, in the order of the help.
_COMMANDS = {
    "gen": "gen",
    "choice": "choice",
    "regex": "regex",
    "grammar": "grammar",
    "schema": "schema",
    "check": "check",
    "bench": "bench",
    "models": "models",
    "pull": "models",
    "cache": "cache",
}


def tree(arguments: Sequence[str]) -> typer.Typer:
    """The commands that `arguments` may be meant for: the one they begin with, or all."""
    app = typer.Typer(
        cls=Group,
        name="mlxjson",
        help="Schema-constrained generation with local models on MLX.",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(root)
    for name in arguments[:1] if arguments and arguments[0] in _COMMANDS else _COMMANDS:
        module = import_module(f"mlxjson.cli.{_COMMANDS[name]}")
        app.command(name, cls=Command)(getattr(module, name))
    return app


def root(
    version: bool = typer.Option(False, "--version", help="Print the version.", is_eager=True),
) -> None:
    """Schema-constrained generation with local models on MLX."""
    if version:
        from mlxjson import __version__

        typer.echo(f"mlxjson {__version__}")
        raise typer.Exit
