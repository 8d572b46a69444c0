"""`mlxjson schema`."""

from typing import Annotated

import typer


def schema(
    context: typer.Context,
    schema: Annotated[
        str | None, typer.Argument(metavar="SCHEMA", help="Anything that --schema takes.")
    ] = None,
    like: Annotated[
        str | None, typer.Option("--like", help="An example document instead: a file, or -.")
    ] = None,
) -> None:
    """Print the JSON Schema that a short form, a class, a name or an example stands for."""
    import json

    from mlxjson.environment import Environment
    from mlxjson.errors import UsageError
    from mlxjson.inputs import Inputs
    from mlxjson.sources import schema_given

    environment: Environment = context.obj
    made = schema_given(schema, like, Inputs(environment))
    if made is None:
        raise UsageError("there is no schema to print", hint="Give one, or --like EXAMPLE.")
    environment.stdout.write((json.dumps(made, indent=2, ensure_ascii=False) + "\n").encode())
