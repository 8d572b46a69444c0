"""`mlxjson choice`."""

from typing import Annotated

import typer

from mlxjson.cli.options import Common, Words, with_common
from mlxjson.constraint import Choice


@with_common
def choice(
    context: typer.Context,
    prompt: Words = None,
    option: Annotated[
        list[str] | None, typer.Option("-c", "--choice", help="One option; give it several times.")
    ] = None,
    choices: Annotated[
        str | None, typer.Option("--choices", help="Options, separated by commas.")
    ] = None,
    choices_file: Annotated[
        str | None, typer.Option("--choices-file", help="A file with one option a line.")
    ] = None,
    probs: Annotated[
        bool,
        typer.Option("--probs", help="Print how likely each option is, instead of choosing one."),
    ] = False,
    *,
    common: Common,
) -> None:
    """Choose exactly one of the options, or say how likely each is."""
    from mlxjson.cli.job import Job
    from mlxjson.prompt import choice_messages

    job = Job(context.obj, common)
    options = job.inputs.choices(option or (), choices, choices_file)
    text = job.inputs.prompt(prompt or (), common.file)
    told = options if common.told else None
    messages = choice_messages(text, told, common.system)
    if probs:
        job.weigh(Choice(options), messages)
    else:
        job.generate(Choice(options), messages)
