"""The options that gen, choice, regex and grammar share."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from mlxjson.constraint import Layout

Words = Annotated[list[str] | None, typer.Argument(metavar="PROMPT", show_default=False)]

_MODEL = "Model"
_PROMPT = "Prompt"
_SAMPLING = "Sampling"
_OUTPUT = "Output"


def _option(*names: str, panel: str, help: str, **more: Any) -> Any:
    more = {"show_default": False, "show_envvar": False, **more}
    return typer.Option(*names, rich_help_panel=panel, help=help, **more)


@dataclass(frozen=True, slots=True)
class Common:
    """What every generating command takes."""

    model: Annotated[
        str | None,
        _option(
            "-m",
            "--model",
            panel=_MODEL,
            help="'starter', a folder, a .gguf file or a hub id. Default: $MLXJSON_MODEL, the "
            "config file, then 'starter' (135 M parameters: to try the tool with).",
        ),
    ] = None
    offline: Annotated[bool, _option("--offline", panel=_MODEL, help="Never ask the hub.")] = False
    file: Annotated[
        str | None, _option("-f", "--file", panel=_PROMPT, help="Read the prompt from a file.")
    ] = None
    ignore_stdin: Annotated[
        bool, _option("--ignore-stdin", panel=_PROMPT, help="Do not read standard input.")
    ] = False
    system: Annotated[
        str | None, _option("--system", panel=_PROMPT, help="Put this before the instructions.")
    ] = None
    template: Annotated[
        bool,
        _option(
            "--template/--no-template",
            panel=_PROMPT,
            help="Use the model's chat template (default), or give it the bare prompt.",
        ),
    ] = True
    told: Annotated[
        bool,
        _option(
            "--schema-in-prompt/--no-schema-in-prompt",
            panel=_PROMPT,
            help="Tell the model the form of the answer (default), or only enforce it.",
        ),
    ] = True
    max_tokens: Annotated[
        int,
        _option("--max-tokens", panel=_SAMPLING, help="At most this many tokens (1024).", min=0),
    ] = 1024
    temp: Annotated[
        float, _option("--temp", panel=_SAMPLING, help="Temperature; 0 is greedy (0).", min=0.0)
    ] = 0.0
    top_p: Annotated[
        float, _option("--top-p", panel=_SAMPLING, help="Nucleus sampling (1).", min=0.0, max=1.0)
    ] = 1.0
    top_k: Annotated[
        int, _option("--top-k", panel=_SAMPLING, help="Sample from the k likeliest (all).", min=0)
    ] = 0
    seed: Annotated[int, _option("--seed", panel=_SAMPLING, help="Seed for sampling (0).")] = 0
    jump: Annotated[
        bool,
        _option(
            "--jump/--no-jump",
            panel=_SAMPLING,
            help="Write forced text without asking the model.",
            envvar="MLXJSON_JUMP",
        ),
    ] = True
    draft: Annotated[
        bool,
        _option(
            "--draft/--no-draft",
            panel=_SAMPLING,
            help="Draft tokens from the prompt.",
            envvar="MLXJSON_DRAFT",
        ),
    ] = True
    retries: Annotated[
        int, _option("--retries", panel=_OUTPUT, help="Tries after an invalid document (2).", min=0)
    ] = 2
    strict: Annotated[
        bool,
        _option("--strict", panel=_OUTPUT, help="Refuse what the grammar can't enforce wholly."),
    ] = False
    layout: Annotated[
        Layout, _option("--layout", panel=_OUTPUT, help="White space in the JSON (spaced).")
    ] = Layout.SPACED
    stream: Annotated[
        bool | None,
        _option(
            "--stream/--no-stream",
            panel=_OUTPUT,
            help="Write as it is made, or only once it is valid. Default: stream what the grammar "
            "enforces wholly.",
        ),
    ] = None
    raw: Annotated[
        bool, _option("-r", "--raw", panel=_OUTPUT, help="Print a string's bare text, as jq does.")
    ] = False
    output: Annotated[
        Path | None, _option("-o", "--output", panel=_OUTPUT, help="Write to a file, atomically.")
    ] = None
    save_rejected: Annotated[
        Path | None,
        _option("--save-rejected", panel=_OUTPUT, help="Keep a cut-off or invalid result here."),
    ] = None
    stats: Annotated[
        str | None,
        _option("--stats", panel=_OUTPUT, metavar="[=json]", help="Figures of the run, on stderr."),
    ] = None
    quiet: Annotated[bool, _option("-q", "--quiet", panel=_OUTPUT, help="No notes.")] = False
    cache: Annotated[
        bool,
        _option(
            "--cache/--no-cache",
            panel=_OUTPUT,
            help="Use the cache on disk.",
            envvar="MLXJSON_CACHE",
        ),
    ] = True
    debug: Annotated[bool, _option("--debug", panel=_OUTPUT, help="Show tracebacks.")] = False


def with_common(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the common options; it receives them as one `common` argument."""
    shared = get_type_hints(Common, include_extras=True)
    own = get_type_hints(command, include_extras=True)
    own.pop("common")
    own.pop("return", None)

    @functools.wraps(command)
    def wrapper(**values: Any) -> None:
        command(
            **{name: values[name] for name in own}, common=Common(**{n: values[n] for n in shared})
        )

    parameters = [p for n, p in inspect.signature(command).parameters.items() if n != "common"]
    parameters += [_parameter(f.name, shared[f.name], f.default) for f in fields(Common)]
    keyword = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
    wrapper.__signature__ = inspect.Signature(keyword)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {**own, **shared}
    del wrapper.__wrapped__
    return wrapper


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)
