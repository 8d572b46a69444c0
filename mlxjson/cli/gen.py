"""`mlxjson gen`."""

from typing import Annotated, Any

import typer

from mlxjson.cli.batch import BatchOptions
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
    batch: BatchOptions,
    common: Common,
) -> None:
    """Generate a JSON document that validates against a schema, or one for each of many rows."""
    from mlxjson.cli.job import Job
    from mlxjson.errors import UsageError
    from mlxjson.prompt import gen_messages

    if schema is not None and any_object:
        raise UsageError("--schema and --object can't both be given")
    job = Job(context.obj, common)
    parsed: Any = True if schema is None else job.inputs.json(schema, "schema")
    constraint = JsonObject(common.layout) if any_object else JsonSchema(parsed, common.layout)
    if batch.input is not None:
        from mlxjson.cli.batch import run_batch

        run_batch(job, batch, prompt or (), constraint, None if schema is None else parsed)
        return
    text = job.inputs.prompt(prompt or (), common.file)
    told = parsed if schema is not None and common.told else None
    job.generate(
        constraint,
        gen_messages(text, told, common.system),
        gen_messages(text, None, common.system),
    )
