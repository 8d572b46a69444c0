"""`mlxjson gen`."""

from typing import Annotated, Any

import typer

from mlxjson.cli.options import Common, Words, with_common
from mlxjson.constraint import JsonObject, JsonSchema


@with_common
def gen(
    context: typer.Context,
    prompt: Words = None,
    schema: Annotated[
        str | None,
        typer.Option(
            "-s", "--schema", help="JSON Schema: a file, the JSON itself, or - for stdin."
        ),
    ] = None,
    any_object: Annotated[bool, typer.Option("--object", help="Any JSON object.")] = False,
    *,
    common: Common,
) -> None:
    """Generate a JSON document that validates against a schema."""
    from mlxjson.cli.job import Job
    from mlxjson.errors import UsageError
    from mlxjson.prompt import gen_messages

    if schema is not None and any_object:
        raise UsageError("--schema and --object can't both be given")
    job = Job(context.obj, common)
    parsed: Any = True if schema is None else job.inputs.json(schema, "schema")
    text = job.inputs.prompt(prompt or (), common.file)
    constraint = JsonObject(common.layout) if any_object else JsonSchema(parsed, common.layout)
    told = parsed if schema is not None and common.told else None
    job.generate(
        constraint,
        gen_messages(text, told, common.system),
        gen_messages(text, None, common.system),
    )
