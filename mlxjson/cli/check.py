"""`mlxjson check`."""

from pathlib import Path
from typing import Annotated

import typer

from mlxjson.constraint import Layout


def check(
    context: typer.Context,
    schema: Annotated[
        str | None, typer.Argument(help="JSON Schema: a file, the JSON itself, or - for stdin.")
    ] = None,
    instances: Annotated[
        str | None,
        typer.Option("--instances", help="JSONL: is each accepted by the grammar, and valid?"),
    ] = None,
    cases: Annotated[
        str | None,
        typer.Option("--cases", help='JSONL of {"id", "schema", "instances"}, judged one by one.'),
    ] = None,
    local: Annotated[
        list[str] | None,
        typer.Option("--local", metavar="URI=FOLDER", help="Local copies of remote schemas."),
    ] = None,
    model: Annotated[
        str | None, typer.Option("-m", "--model", help="Whose vocabulary to compile for.")
    ] = None,
    layout: Annotated[Layout, typer.Option("--layout", help="White space.")] = Layout.SPACED,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit 3 when anything is only checked afterwards.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> None:
    """Say what the grammar enforces of a schema, and what is only checked afterwards."""
    from mlxjson.cli.inspection import Inspection

    inspection = Inspection(context.obj, model, layout, folders(local or ()))
    inspection.run(schema, instances=instances, cases=cases, strict=strict, as_json=as_json)


def folders(pairs: list[str] | tuple[()]) -> dict[str, Path]:
    """`URI=FOLDER` pairs by URI. Raises: UsageError."""
    from mlxjson.errors import UsageError

    found = {}
    for pair in pairs:
        base, equals, folder = pair.rpartition("=")
        if not equals:
            raise UsageError(f"--local {pair}: it has to be URI=FOLDER")
        found[base] = Path(folder)
    return found
