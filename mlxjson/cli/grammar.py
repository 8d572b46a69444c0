"""`mlxjson grammar`."""

from typing import Annotated

import typer

from mlxjson.cli.options import Common, Words, with_common


@with_common
def grammar(
    context: typer.Context,
    grammar: Annotated[str, typer.Argument(metavar="FILE", help="A grammar, or - for stdin.")],
    prompt: Words = None,
    lark: Annotated[
        bool | None,
        typer.Option("--lark/--ebnf", help="The notation. Default: by file name or content."),
    ] = None,
    *,
    common: Common,
) -> None:
    """Generate a text of a grammar in EBNF (as in GBNF) or Lark notation."""
    from mlxjson.cli.job import Job
    from mlxjson.inputs import grammar_of
    from mlxjson.prompt import plain_messages

    job = Job(context.obj, common)
    source = job.inputs.text(grammar, "grammar")
    text = job.inputs.prompt(prompt or (), common.file)
    job.generate(grammar_of(source, grammar, lark), plain_messages(text, common.system))
