"""`mlxjson gen`."""

from typing import Annotated, Any

import typer

from mlxjson.cli.batch import BatchOptions
from mlxjson.cli.options import Common, Words, with_common
from mlxjson.cli.request import RequestOptions, Uncompilable
from mlxjson.constraint import JsonObject, JsonSchema


@with_common
def gen(
    context: typer.Context,
    prompt: Words = None,
    schema: Annotated[
        str | None,
        typer.Option(
            "-s",
            "--schema",
            help="JSON Schema: a file (JSON or YAML, FILE#/pointer), the JSON itself, - for stdin, "
            "module:Class, a name, or the short form 'name, age: int, status: open|closed'.",
        ),
    ] = None,
    like: Annotated[
        str | None, typer.Option("--like", help="Take the schema from an example document.")
    ] = None,
    any_object: Annotated[bool, typer.Option("--object", help="Any JSON object.")] = False,
    degrade: Annotated[
        Uncompilable,
        typer.Option(
            "--on-uncompilable",
            help="A schema that can't be compiled: fail, or only ask for it in the prompt and "
            "check the result.",
            show_default=False,
        ),
    ] = Uncompilable.FAIL,
    *,
    request: RequestOptions,
    batch: BatchOptions,
    common: Common,
) -> None:
    """Generate a JSON document that validates against a schema, or one for each of many rows."""
    from mlxjson.cli.job import Job
    from mlxjson.errors import UsageError
    from mlxjson.prompt import gen_messages
    from mlxjson.sources import schema_given

    if any_object and (schema is not None or like is not None):
        raise UsageError("a schema and --object can't both be given")
    job = Job(context.obj, common)
    degrades = degrade is Uncompilable.PROMPT or not job.enforces
    if request.response and request.request is None:
        raise UsageError("--response needs --request")
    if request.request is not None:
        from mlxjson.cli.request import answer

        answer(job, request, context, degrade=degrades)
        return
    given: Any = schema_given(schema, like, job.inputs)
    parsed = True if given is None else given
    constraint = JsonObject(common.layout) if any_object else JsonSchema(parsed, common.layout)
    if batch.input is not None:
        from mlxjson.cli.batch import run_batch

        run_batch(job, batch, prompt or (), constraint, given, degrade=degrades)
        return
    text = job.inputs.prompt(prompt or (), common.file)
    told = given if common.told else None
    job.generate(
        constraint,
        gen_messages(text, told, common.system),
        gen_messages(text, None, common.system),
        gen_messages(text, parsed, common.system) if degrades and not any_object else None,
    )
