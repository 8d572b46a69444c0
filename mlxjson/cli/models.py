"""`mlxjson models` and `mlxjson pull`."""

from typing import Annotated

import typer


def models(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON.")] = False,
) -> None:
    """Show the models on this machine, whether they can be used, and one to fetch."""
    import json

    from mlxjson.environment import Environment
    from mlxjson.inventory import as_text, inventory

    environment: Environment = context.obj
    found = inventory(environment.variables)
    text = json.dumps(found.as_dict()) if as_json else as_text(found)
    environment.stdout.write(f"{text}\n".encode())


def pull(
    context: typer.Context,
    reference: Annotated[
        str, typer.Argument(metavar="ID", help="A hub id org/name, or org/name@REVISION.")
    ],
    revision: Annotated[
        str | None, typer.Option("--revision", help="A branch, a tag or a commit.")
    ] = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="Only say whether it is there.")
    ] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="No notes and no progress.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> None:
    """Fetch a model from the hub, or bring it up to date, and print its folder."""
    from mlxjson.environment import Environment
    from mlxjson.pulling import pull_model

    environment: Environment = context.obj
    progress = environment.stderr_isatty and not quiet
    folder, note = pull_model(
        reference, revision, offline=offline, progress=progress, environ=environment.variables
    )
    if not quiet:
        environment.say(f"mlxjson: {note}")
    environment.stdout.write(f"{folder}\n".encode())
