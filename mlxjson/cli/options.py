"""The options that gen, choice, regex and grammar share."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from mlxjson.constraint import Layout
from mlxjson.thinking import Think

Words = Annotated[list[str] | None, typer.Argument(metavar="PROMPT", show_default=False)]

_MODEL = "Model"
_PROMPT = "Prompt"
_SAMPLING = "Sampling"
_OUTPUT = "Output"
_THINKING = "Reasoning"
_CERTAINTY = "How sure it is"


def option(*names: str, panel: str, help: str, **more: Any) -> Any:
    """An option of a shared set, under a heading of the help."""
    more = {"show_default": False, "show_envvar": False, **more}
    return typer.Option(*names, rich_help_panel=panel, help=help, **more)


@dataclass(frozen=True, slots=True)
class Common:
    """What every generating command takes."""

    model: Annotated[
        str | None,
        option(
            "-m",
            "--model",
            panel=_MODEL,
            help="'starter', a folder, a .gguf file or a hub id. Default: $MLXJSON_MODEL, the "
            "config file, then 'starter' (135 M parameters: to try the tool with).",
        ),
    ] = None
    offline: Annotated[bool, option("--offline", panel=_MODEL, help="Never ask the hub.")] = False
    adapter: Annotated[
        str | None,
        option(
            "--adapter",
            panel=_MODEL,
            metavar="FOLDER",
            help="A LoRA adapter, of mlx-lm or PEFT, that changes the model's weights.",
        ),
    ] = None
    starter_adapter: Annotated[
        bool,
        option(
            "--starter-adapter/--no-starter-adapter",
            panel=_MODEL,
            help="Let the starter have the adapter that comes with it (default).",
        ),
    ] = True
    shard: Annotated[
        bool,
        option(
            "--shard",
            panel=_MODEL,
            help="Spread the model over the processes that mlx.launch started.",
        ),
    ] = False
    file: Annotated[
        str | None, option("-f", "--file", panel=_PROMPT, help="Read the prompt from a file.")
    ] = None
    ignore_stdin: Annotated[
        bool, option("--ignore-stdin", panel=_PROMPT, help="Do not read standard input.")
    ] = False
    system: Annotated[
        str | None, option("--system", panel=_PROMPT, help="Put this before the instructions.")
    ] = None
    template: Annotated[
        bool,
        option(
            "--template/--no-template",
            panel=_PROMPT,
            help="Use the model's chat template (default), or give it the bare prompt.",
        ),
    ] = True
    told: Annotated[
        bool,
        option(
            "--schema-in-prompt/--no-schema-in-prompt",
            panel=_PROMPT,
            help="Tell the model the form of the answer (default), or only enforce it.",
        ),
    ] = True
    max_tokens: Annotated[
        int,
        option("--max-tokens", panel=_SAMPLING, help="At most this many tokens (1024).", min=0),
    ] = 1024
    temp: Annotated[
        float, option("--temp", panel=_SAMPLING, help="Temperature; 0 is greedy (0).", min=0.0)
    ] = 0.0
    top_p: Annotated[
        float, option("--top-p", panel=_SAMPLING, help="Nucleus sampling (1).", min=0.0, max=1.0)
    ] = 1.0
    top_k: Annotated[
        int, option("--top-k", panel=_SAMPLING, help="Sample from the k likeliest (all).", min=0)
    ] = 0
    seed: Annotated[int, option("--seed", panel=_SAMPLING, help="Seed for sampling (0).")] = 0
    draft_model: Annotated[
        str | None,
        option(
            "--draft-model",
            panel=_MODEL,
            help="A smaller model with the same tokenizer that drafts tokens.",
        ),
    ] = None
    prompt_cache: Annotated[
        Path | None,
        option(
            "--prompt-cache",
            panel=_PROMPT,
            help="Keep the state of instructions and schema in this file between runs.",
        ),
    ] = None
    jump: Annotated[
        bool,
        option(
            "--jump/--no-jump",
            panel=_SAMPLING,
            help="Write forced text without asking the model.",
            envvar="MLXJSON_JUMP",
        ),
    ] = True
    draft: Annotated[
        bool | None,
        option(
            "--draft/--no-draft",
            panel=_SAMPLING,
            help="Draft tokens from the prompt. Default: yes, but not on CUDA.",
            envvar="MLXJSON_DRAFT",
        ),
    ] = None
    think: Annotated[
        Think,
        option(
            "--think",
            panel=_THINKING,
            help="Let a model that can reason do so before it answers. auto (default): as its chat "
            "template has it.",
        ),
    ] = Think.AUTO
    think_budget: Annotated[
        int | None,
        option(
            "--think-budget",
            panel=_THINKING,
            help="End the reasoning after this many tokens (2048). They are no part of "
            "--max-tokens.",
            min=0,
        ),
    ] = None
    show_thinking: Annotated[
        bool, option("--show-thinking", panel=_THINKING, help="Write the reasoning to stderr.")
    ] = False
    confidence: Annotated[
        bool,
        option(
            "--confidence",
            panel=_CERTAINTY,
            help='Print {"result": ..., "confidence": {"/age": 0.93}}: how likely each value was.',
        ),
    ] = False
    min_confidence: Annotated[
        float,
        option(
            "--min-confidence",
            panel=_CERTAINTY,
            help="Replace values less likely than this by null; exit 5 where null is not allowed.",
            min=0.0,
            max=1.0,
        ),
    ] = 0.0
    logprobs: Annotated[
        bool,
        option(
            "--logprobs",
            panel=_CERTAINTY,
            help='Print {"result": ..., "logprobs": [...]}: how likely each token was.',
        ),
    ] = False
    top_logprobs: Annotated[
        int,
        option(
            "--top-logprobs",
            panel=_CERTAINTY,
            help="The likeliest tokens at each place, too.",
            min=0,
            max=20,
        ),
    ] = 0
    retries: Annotated[
        int, option("--retries", panel=_OUTPUT, help="Tries after an invalid document (2).", min=0)
    ] = 2
    strict: Annotated[
        bool,
        option("--strict", panel=_OUTPUT, help="Refuse what the grammar can't enforce wholly."),
    ] = False
    layout: Annotated[
        Layout, option("--layout", panel=_OUTPUT, help="White space in the JSON (spaced).")
    ] = Layout.SPACED
    stream: Annotated[
        bool | None,
        option(
            "--stream/--no-stream",
            panel=_OUTPUT,
            help="Write as it is made, or only once it is valid. Default: stream what the grammar "
            "enforces wholly.",
        ),
    ] = None
    raw: Annotated[
        bool, option("-r", "--raw", panel=_OUTPUT, help="Print a string's bare text, as jq does.")
    ] = False
    output: Annotated[
        Path | None, option("-o", "--output", panel=_OUTPUT, help="Write to a file, atomically.")
    ] = None
    save_rejected: Annotated[
        Path | None,
        option("--save-rejected", panel=_OUTPUT, help="Keep a cut-off or invalid result here."),
    ] = None
    stats: Annotated[
        str | None,
        option("--stats", panel=_OUTPUT, metavar="[=json]", help="Figures of the run, on stderr."),
    ] = None
    quiet: Annotated[bool, option("-q", "--quiet", panel=_OUTPUT, help="No notes.")] = False
    cache: Annotated[
        bool,
        option(
            "--cache/--no-cache",
            panel=_OUTPUT,
            help="Use the cache on disk.",
            envvar="MLXJSON_CACHE",
        ),
    ] = True
    debug: Annotated[bool, option("--debug", panel=_OUTPUT, help="Show tracebacks.")] = False


def with_common(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of its dataclass parameters; it receives them as these.

    `common: Common` is one of them; any other whose fields are options works as well.
    """
    hints = get_type_hints(command, include_extras=True)
    hints.pop("return", None)
    sets: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    own = {name: hint for name, hint in hints.items() if name not in sets}

    @functools.wraps(command)
    def wrapper(**values: Any) -> None:
        made = {
            name: kind(**{f.name: values[f.name] for f in fields(kind)})
            for name, kind in sets.items()
        }
        command(**{name: values[name] for name in own}, **made)

    parameters = [p for n, p in inspect.signature(command).parameters.items() if n not in sets]
    shared: dict[str, Any] = {}
    for kind in sets.values():
        annotations = get_type_hints(kind, include_extras=True)
        parameters += [_parameter(f.name, annotations[f.name], f.default) for f in fields(kind)]
        shared |= annotations
    keyword = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
    wrapper.__signature__ = inspect.Signature(keyword)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {**own, **shared}
    del wrapper.__wrapped__
    return wrapper


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)
