"""`mlxjson cache`."""

from typing import Annotated

import typer


def cache(
    context: typer.Context,
    clear: Annotated[bool, typer.Option("--clear", help="Remove everything in it.")] = False,
) -> None:
    """Show or clear what is kept on disk: tokenizers, vocabularies, grammars, weights."""
    from mlxjson.cachefiles import cache_report, clear_cache
    from mlxjson.environment import Environment
    from mlxjson.folders import cache_folder

    environment: Environment = context.obj
    folder = cache_folder(environment.variables)
    if clear:
        typer.echo(f"freed {_megabytes(clear_cache(folder))}")
        return
    for row in cache_report(folder):
        typer.echo(f"{row.kind:<14}{row.files:>6} files {_megabytes(row.size):>12}")
    typer.echo(f"in {folder}" if folder else "no cache: neither XDG_CACHE_HOME nor HOME is set")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
