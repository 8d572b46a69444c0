"""`mlxjson bench`."""

from pathlib import Path
from typing import Annotated

import typer

from mlxjson.constraint import Layout


def bench(
    context: typer.Context,
    *,
    prompt: Annotated[
        list[str] | None,
        typer.Argument(metavar="PROMPT...", help="Prompts, each measured. Default: built-in ones."),
    ] = None,
    schema: Annotated[
        str | None,
        typer.Option(
            "-s",
            "--schema",
            help="JSON Schema: a file, the JSON itself, or - for stdin. Default: built-in ones, "
            "or any JSON if prompts are given.",
        ),
    ] = None,
    file: Annotated[
        list[str] | None,
        typer.Option("-f", "--file", help="Read a prompt from a file; give it several times."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("-m", "--model", help="'starter', a folder, a .gguf file or a hub id."),
    ] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Never ask the hub.")] = False,
    adapter: Annotated[
        str | None,
        typer.Option("--adapter", metavar="FOLDER", help="A LoRA adapter for the model."),
    ] = None,
    starter_adapter: Annotated[
        bool,
        typer.Option(
            "--starter-adapter/--no-starter-adapter", help="Let the starter have its own adapter."
        ),
    ] = True,
    layout: Annotated[
        Layout, typer.Option("--layout", help="White space in the JSON.")
    ] = Layout.SPACED,
    runs: Annotated[int, typer.Option("--runs", help="Rounds after the warm-up.", min=1)] = 5,
    max_tokens: Annotated[
        int, typer.Option("--max-tokens", help="At most this many tokens a run.", min=1)
    ] = 256,
    quality: Annotated[
        str | None,
        typer.Option(
            "--quality",
            metavar="FILE.jsonl",
            help="Measure right answers instead: rows with 'text', 'schema' and 'gold'.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON.")] = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE.svg|png", help="Draw the speeds, too.")
    ] = None,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="No progress.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> None:
    """Measure speed, start-up and answers on a model.

    Decoding unconstrained, masked, with jump-forward and with drafting, in alternation.
    """
    from mlxjson.bench.command import Options, bench

    options = Options(
        prompts=prompt or (),
        files=file or (),
        schema=schema,
        model=model,
        offline=offline,
        layout=layout,
        runs=runs,
        max_tokens=max_tokens,
        quality=quality,
        as_json=as_json,
        plot=plot,
        quiet=quiet,
        adapter=adapter,
        starter_adapter=starter_adapter,
    )
    text = bench(options, context.obj)
    context.obj.stdout.write(text.encode())
