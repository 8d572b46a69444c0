"""`mlxjson regex`."""

from typing import Annotated

import typer

from mlxjson.cli.options import Common, Words, with_common
from mlxjson.constraint import Regex


@with_common
def regex(
    context: typer.Context,
    pattern: Annotated[str, typer.Argument(help="A regular expression, as in Python's re.")],
    prompt: Words = None,
    *,
    common: Common,
) -> None:
    """Generate a text that matches a regular expression as a whole."""
    from mlxjson.cli.job import Job
    from mlxjson.prompt import pattern_messages

    job = Job(context.obj, common)
    text = job.inputs.prompt(prompt or (), common.file)
    told = pattern if common.told else None
    job.generate(Regex(pattern), pattern_messages(text, told, common.system))
