"""The options of `mlxjson gen --input`, and from them to a batch."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from mlxjson.cli.options import Common, option
from mlxjson.constraint import Constraint
from mlxjson.errors import UsageError

if TYPE_CHECKING:
    from mlxjson.batch.settings import Settings
    from mlxjson.batch.tasks import Defaults
    from mlxjson.cli.job import Job

_BATCH = "Batches"


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """What `gen` takes for many documents at once."""

    input: Annotated[
        str | None,
        option(
            "--input",
            panel=_BATCH,
            help="Rows instead of one prompt: a JSONL file, - for stdin, a folder or a glob of "
            "text files. Each gives one line of JSON.",
        ),
    ] = None
    text_field: Annotated[
        str, option("--text-field", panel=_BATCH, help="The field with the document (text).")
    ] = "text"
    prompt_text: Annotated[
        str | None,
        option(
            "--prompt",
            panel=_BATCH,
            help="The instruction put with every document, at {text} or before it.",
        ),
    ] = None
    schema_dir: Annotated[
        Path | None,
        option("--schema-dir", panel=_BATCH, help="Where rows may name schema files."),
    ] = None
    batch: Annotated[
        str,
        option(
            "--batch",
            panel=_BATCH,
            metavar="N|auto",
            help="Rows worked on at once (auto).",
            envvar="MLXJSON_BATCH",
        ),
    ] = "auto"
    bare: Annotated[bool, option("--bare", panel=_BATCH, help="Only the results.")] = False
    unordered: Annotated[bool, option("--unordered", panel=_BATCH, help="Rows as they finish.")] = (
        False
    )
    resume: Annotated[
        bool, option("--resume", panel=_BATCH, help="Go on with what is in --output.")
    ] = False
    force: Annotated[
        bool,
        option(
            "--force",
            panel=_BATCH,
            help="Write --output anew; with --resume, go on though something changed.",
        ),
    ] = False
    errors: Annotated[
        Path | None,
        option("--errors", panel=_BATCH, help="Rows that failed, as they came in, with the error."),
    ] = None
    max_failures: Annotated[
        int | None,
        option("--max-failures", panel=_BATCH, help="Give up after more failed rows.", min=0),
    ] = None
    manifest: Annotated[
        Path | None,
        option("--manifest", panel=_BATCH, help="Write versions, options and totals to a file."),
    ] = None


def run_batch(
    job: "Job",
    options: BatchOptions,
    words: Sequence[str],
    constraint: Constraint,
    schema: Any,
    *,
    degrade: bool,
) -> None:
    """Run the batch that the options describe. Raises what it ends with."""
    from mlxjson.batch.command import Batch

    common, environment = job.common, job.environment
    _refuse_others(common)
    batch = Batch(
        _settings(options, common),
        _defaults(options, job, words, constraint, schema, degrade),
        environment,
        job.inputs,
        quiet=common.quiet,
        stats=common.stats is not None,
    )
    batch.run(job.open_session)


def _refuse_others(common: Common) -> None:
    """Options of single documents that say nothing about many."""
    given = {
        "--raw": common.raw,
        "--stream": common.stream,
        "--save-rejected": common.save_rejected,
        "--show-thinking": common.show_thinking,
    }
    for name, value in given.items():
        if value:
            raise UsageError(f"{name} is for single documents, not for --input")


def _settings(options: BatchOptions, common: Common) -> "Settings":
    from mlxjson.batch.settings import Settings, parse_width

    assert options.input is not None
    return Settings(
        options.input,
        output=common.output,
        bare=options.bare,
        unordered=options.unordered,
        resume=options.resume,
        force=options.force,
        errors=options.errors,
        max_failures=options.max_failures,
        manifest=options.manifest,
        width=parse_width(options.batch),
        sharded=common.shard,
    )


def _defaults(
    options: BatchOptions,
    job: "Job",
    words: Sequence[str],
    constraint: Constraint,
    schema: Any,
    degrade: bool,
) -> "Defaults":
    from mlxjson.batch.tasks import Defaults

    common = job.common
    spoken = job.inputs.instruction(words, common.file)
    if spoken and options.prompt_text:
        raise UsageError("the instruction is given twice: as --prompt and as an argument")
    return Defaults(
        constraint,
        schema,
        instruction=options.prompt_text or spoken,
        system=common.system,
        text_field=options.text_field,
        schema_dir=options.schema_dir,
        told=common.told,
        template=common.template,
        degrade=degrade,
        # A row is written whole, so it may be held and tried again even where it is exact.
        options={**job.task_options(), "stream": False},
    )
