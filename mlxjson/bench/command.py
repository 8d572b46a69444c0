"""`mlxjson bench` from options to text."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlxjson.api import open_session
from mlxjson.bench.chart import bars
from mlxjson.bench.draw import check_drawable, draw
from mlxjson.bench.grades import grades, grades_text
from mlxjson.bench.quality import examples
from mlxjson.bench.samples import BUILT_IN, Sample
from mlxjson.bench.start import Command, start
from mlxjson.bench.tables import speed_text
from mlxjson.constraint import Layout
from mlxjson.environment import Environment
from mlxjson.errors import UsageError
from mlxjson.inputs import Inputs
from mlxjson.session import Session
from mlxjson.sources import schema_of

if TYPE_CHECKING:
    from mlxjson.bench.report import Report


@dataclass(frozen=True, slots=True)
class Options:
    """What `mlxjson bench` takes."""

    prompts: Sequence[str]
    files: Sequence[str]
    schema: str | None
    model: str | None
    offline: bool
    layout: Layout
    runs: int
    max_tokens: int
    quality: str | None
    as_json: bool
    plot: Path | None
    quiet: bool
    adapter: str | None = None
    starter_adapter: bool = True


def bench(options: Options, environment: Environment) -> str:
    """The text for stdout. Raises what a generation raises, and UsageError for its options."""
    _check_plot(options)
    if options.quality is not None:
        return _quality(options, environment)
    samples = _samples(options, Inputs(environment, ignore_stdin=True))
    report = _speed(options, environment, samples).as_dict()
    if options.plot is not None:
        draw(bars(report), options.plot)
    if options.as_json:
        return json.dumps(report, ensure_ascii=False) + "\n"
    return speed_text(report, environment.stdout_isatty)


def _check_plot(options: Options) -> None:
    if options.plot is None:
        return
    if options.quality is not None:
        raise UsageError("--plot draws speed; it can't be given with --quality")
    check_drawable(options.plot)


def _samples(options: Options, inputs: Inputs) -> list[Sample]:
    """The user's schema and prompts; where there is but one of the two, built-in others."""
    texts = [*(inputs.text(name, "prompt") for name in options.files), *options.prompts]
    if options.schema is None and not texts:
        return list(BUILT_IN)
    schema: Any = True if options.schema is None else schema_of(options.schema, inputs)
    if not texts:
        return [Sample(sample.name, sample.text, schema) for sample in BUILT_IN]
    return [Sample(f"prompt {n}", text, schema) for n, text in enumerate(texts, 1)]


def _session(options: Options, environment: Environment) -> Session:
    return open_session(
        options.model,
        offline=options.offline,
        environ=environment.variables,
        progress=environment.stderr_isatty and not options.quiet,
        adapter=options.adapter,
        starter_adapter=options.starter_adapter,
    )


def _speed(options: Options, environment: Environment, samples: Sequence[Sample]) -> "Report":
    say = _progress(options, environment)
    session = _session(options, environment)
    # Only now: opening a session loads OpenBLAS, which has to come before MLX.
    from mlxjson.bench.report import Report, Setting
    from mlxjson.bench.speed import jobs, measure

    work = jobs(session, samples, options.layout)
    measured = measure(session, work, options.runs, options.max_tokens, say("round"))
    setting = Setting(
        model=session.name,
        device=session.network.device,
        layout=str(options.layout),
        runs=options.runs,
        max_tokens=options.max_tokens,
        samples=[sample.name for sample in samples],
    )
    command = Command(
        samples[0],
        options.model,
        options.layout,
        options.max_tokens,
        options.offline,
        environment.variables,
        options.adapter,
        options.starter_adapter,
    )
    say("start of the command")(0, 1)
    cached = start(command, options.runs, cached=True)
    uncached = start(command, options.runs, cached=False)
    say("start of the command")(1, 1)
    return Report(setting, measured, cached, uncached)


def _quality(options: Options, environment: Environment) -> str:
    assert options.quality is not None
    text = Inputs(environment, ignore_stdin=True).text(options.quality, "examples")
    rows = examples(text, options.quality)
    if not rows:
        raise UsageError("there is no example in it", where=options.quality)
    say = _progress(options, environment)
    session = _session(options, environment)
    entries = grades(session, rows, options.max_tokens, say("setting"))
    if options.as_json:
        names = {"model": session.name, "adapter": session.adapter}
        found = {**names, "file": options.quality, "settings": entries}
        return json.dumps(found, ensure_ascii=False) + "\n"
    return grades_text(entries, environment.stdout_isatty)


Say = Callable[[int, int], None]


def _progress(options: Options, environment: Environment) -> Callable[[str], Say]:
    """A line on a terminal's stderr that says what is being measured."""
    shown = environment.stderr_isatty and not options.quiet

    def named(what: str) -> Say:
        def say(done: int, total: int) -> None:
            if shown:
                line = "" if done >= total else f"measuring: {what} {done + 1} of {total}"
                environment.stderr.write(f"\r\x1b[K{line}")
                environment.stderr.flush()

        return say

    return named
