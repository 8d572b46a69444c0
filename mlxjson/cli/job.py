"""From options to a task, and from its result to the streams."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mlxjson.cli.options import Common
from mlxjson.cli.progress import prefill_progress
from mlxjson.cli.statistics import report
from mlxjson.constraint import Choice, Constraint, JsonObject, JsonSchema, Regex
from mlxjson.environment import Environment
from mlxjson.errors import CutOff, InvalidDocument, UsageError
from mlxjson.inputs import Inputs
from mlxjson.model.ranks import is_launched
from mlxjson.prompt import Message, joined
from mlxjson.sink import FileSink, JsonString, RawString, Sink, StreamSink, write_atomically
from mlxjson.task import Result, Task

if TYPE_CHECKING:
    from mlxjson.session import Session


@dataclass(slots=True)
class Job:
    """One generating command."""

    environment: Environment
    common: Common
    inputs: Inputs = field(init=False)

    def __post_init__(self) -> None:
        # A launcher gives every process a pipe that nobody writes to.
        ignore = self.common.ignore_stdin or is_launched(self.environment.variables)
        self.inputs = Inputs(self.environment, ignore)
        if self.common.stats not in (None, "auto", "json"):
            raise UsageError("there is only --stats and --stats=json")
        if not self.enforces:  # which every run says, however quiet
            self.environment.say("mlxjson: MLXJSON_GRAMMAR=0: no grammar, the form is only checked")

    def generate(
        self,
        constraint: Constraint,
        messages: Sequence[Message],
        untold: Sequence[Message] | None = None,
        fallback: Sequence[Message] | None = None,
    ) -> None:
        """Generate, write the result, and report. Raises what the run ends with."""
        self.run(self._task(constraint, messages, untold, fallback))

    def run(self, task: Task) -> None:
        """Do one task, write the result, and report. Raises what it ends with."""
        sink = self._sink(task.constraint)
        with closing(self.open_session()) as session:
            progress = prefill_progress(self.environment, self.common.quiet)
            result = session.run(task, sink.write, progress)
        self._finish(result, sink)

    def results(self, tasks: Sequence[Task]) -> tuple[str, list[Result]]:
        """The model's name, and what comes of each task, reported but not written."""
        progress = prefill_progress(self.environment, self.common.quiet)
        with closing(self.open_session()) as session:
            done = [session.run(replace(t, stream=False), None, progress) for t in tasks]
            name = session.name
        for result in done:
            self._report(result)
        return name, done

    def write(self, text: str) -> None:
        """Write a whole text and end it with a newline."""
        sink = self._bare_sink()
        sink.write(text)
        sink.close()

    def say(self, notes: Sequence[str]) -> None:
        """Notes for people, on stderr."""
        for note in () if self.common.quiet else notes:
            self.environment.say(f"mlxjson: {note}")

    def open_session(self) -> "Session":
        """The model that the options name."""
        from mlxjson.api import open_session

        common = self.common
        return open_session(
            common.model,
            offline=common.offline,
            cache=common.cache,
            environ=self.environment.variables,
            progress=self.environment.stderr_isatty and not common.quiet,
            shard=common.shard,
        )

    def _task(
        self,
        constraint: Constraint,
        messages: Sequence[Message],
        untold: Sequence[Message] | None,
        fallback: Sequence[Message] | None,
    ) -> Task:
        template = self.common.template
        return Task(
            constraint,
            messages if template else messages[-1]["content"],
            untold=untold if template else None,
            fallback=fallback if template or fallback is None else joined(fallback),
            **self.task_options(),
        )

    def task_options(self) -> dict[str, Any]:
        """What the options say of every task, whatever it is about."""
        common = self.common
        return {
            "max_tokens": common.max_tokens,
            "temperature": common.temp,
            "top_p": common.top_p,
            "top_k": common.top_k,
            "seed": common.seed,
            "retries": common.retries,
            "strict": common.strict,
            "stream": common.stream,
            "enforce": self.enforces,
            "jump": common.jump,
            "prompt_cache": common.prompt_cache,
            "draft": None if common.draft else 0,
        }

    @property
    def enforces(self) -> bool:
        """Whether the grammar is on."""
        return self.environment.variables.get("MLXJSON_GRAMMAR") != "0"

    def _sink(self, constraint: Constraint) -> Sink:
        sink = self._bare_sink()
        if isinstance(constraint, JsonSchema | JsonObject):
            return RawString(sink) if self.common.raw else sink
        is_bare_text = isinstance(constraint, Choice | Regex)
        return JsonString(sink) if is_bare_text and not self.common.raw else sink

    def _bare_sink(self) -> Sink:
        output = self.common.output
        return FileSink(output) if output else StreamSink(self.environment.stdout)

    def _report(self, result: Result) -> None:
        self.say(result.notes)
        report(result.stats, self.common.stats, self.environment)

    def _finish(self, result: Result, sink: Sink) -> None:
        self._report(result)
        try:
            result.checked()
        except (CutOff, InvalidDocument):
            sink.discard()
            self.save_rejected(result)
            raise
        sink.close()

    def save_rejected(self, result: Result) -> None:
        """Keep a result that failed where the user wants it."""
        if self.common.save_rejected is not None:
            write_atomically(self.common.save_rejected, result.text + "\n")
