"""The command tree."""

import typer

from mlxjson.cli import bench, cache, check, choice, gen, grammar, models, regex, schema

app = typer.Typer(
    name="mlxjson",
    help="Schema-constrained generation with local models on MLX.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def root(
    version: bool = typer.Option(False, "--version", help="Print the version.", is_eager=True),
) -> None:
    """Schema-constrained generation with local models on MLX."""
    if version:
        from mlxjson import __version__

        typer.echo(f"mlxjson {__version__}")
        raise typer.Exit


app.command("gen")(gen.gen)
app.command("choice")(choice.choice)
app.command("regex")(regex.regex)
app.command("grammar")(grammar.grammar)
app.command("schema")(schema.schema)
app.command("check")(check.check)
app.command("bench")(bench.bench)
app.command("models")(models.models)
app.command("pull")(models.pull)
app.command("cache")(cache.cache)
