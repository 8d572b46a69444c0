"""The options of `mlxjson gen` that come from servers, and from them to an answer."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mlxjson.cli.options import option
from mlxjson.errors import UsageError

if TYPE_CHECKING:
    from mlxjson.cli.job import Job

_REQUESTS = "Request bodies"


class Uncompilable(StrEnum):
    """What becomes of a run whose schema can't be compiled."""

    FAIL = "fail"
    PROMPT = "prompt"


# Options of the command line that a body has fields for, and the fields of a task they set.
_FIELDS = {
    "max_tokens": "max_tokens",
    "temp": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "seed": "seed",
    "layout": "layout",
    "logprobs": "logprobs",
    "top_logprobs": "top_logprobs",
}
# What a body says itself.
_EXCLUDED = ("prompt", "schema", "like", "any_object", "file", "system", "input")


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """What `gen` takes for a body as an OpenAI-like server gets it."""

    request: Annotated[
        str | None,
        option(
            "--request",
            panel=_REQUESTS,
            help="A request body (JSON) as OpenAI's or vLLM's server takes it: a file, or -.",
        ),
    ] = None
    response: Annotated[
        bool,
        option("--response", panel=_REQUESTS, help="Print the answer as a server would."),
    ] = False


def answer(job: "Job", options: RequestOptions, context: typer.Context, *, degrade: bool) -> None:
    """Do what a body asks for. Raises what the run ends with."""
    from mlxjson.request import Answer, Settings, first_failure, plan, read_body

    _refuse_others(context)
    assert options.request is not None
    where = "standard input" if options.request == "-" else options.request
    body = read_body(_parsed(job.inputs.text(options.request, "request"), where), where)
    settings = Settings(
        job.common.layout,
        # Like a server, do not tell the schema; but nothing else would say it without a grammar.
        told=job.common.told if _is_given(context, "told") else not job.enforces,
        degrade=degrade,
        scores=options.response,
        options=job.task_options(),
        given=frozenset(field for name, field in _FIELDS.items() if _is_given(context, name)),
    )
    planned = plan(body, settings, where)
    job.say([*planned.notes, *_model_note(job, body.model)])
    if len(planned.tasks) == 1 and not options.response:
        job.run(planned.tasks[0])
        return
    model, results = job.results(planned.tasks)
    written = Answer(results, planned, model).text(
        as_response=options.response, raw=job.common.raw, environ=job.environment.variables
    )
    if written is not None:
        job.write(written)
    failure = first_failure(results)
    if failure is not None:
        job.save_rejected(failure)
        failure.checked()


def _parsed(text: str, where: str) -> Any:
    """The JSON of a body. Raises: UsageError, also for one that has others behind it."""
    from mlxjson.inputs import parse_json

    try:
        return parse_json(text, where)
    except UsageError as error:
        if "Extra data" in error.message:
            error.hint = "Many bodies, a line each, are rows: give them with --input."
        raise


def _refuse_others(context: typer.Context) -> None:
    for name in _EXCLUDED:
        if _is_given(context, name) and context.params.get(name):
            shown = {"any_object": "--object", "prompt": "a prompt"}.get(name, f"--{name}")
            raise UsageError(f"{shown} and --request can't both be given: the body says it")


def _is_given(context: typer.Context, name: str) -> bool:
    """Whether the user set an option, so that it is no default."""
    source = context.get_parameter_source(name)
    return source is not None and source.name in ("COMMANDLINE", "ENVIRONMENT")


def _model_note(job: "Job", named: str | None) -> list[str]:
    """A body comes from anywhere, and a model from the hub: only the user names it."""
    if named is None or job.common.model is not None:
        return []
    return [f"the body's model '{named}' is not used: name one with -m"]
