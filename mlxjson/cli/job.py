"""From options to a task, and from its result to the streams."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mlxjson.cli.options import Common
from mlxjson.cli.progress import prefill_progress
from mlxjson.cli.statistics import report
from mlxjson.constraint import Choice, Constraint, JsonObject, JsonSchema, Regex
from mlxjson.environment import Environment
from mlxjson.errors import CutOff, InvalidDocument, UsageError
from mlxjson.inputs import Inputs
from mlxjson.model.ranks import is_launched
from mlxjson.prompt import Message
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

    def generate(
        self,
        constraint: Constraint,
        messages: Sequence[Message],
        untold: Sequence[Message] | None = None,
    ) -> None:
        """Generate, write the result, and report. Raises what the run ends with."""
        session = self.open_session()
        sink = self._sink(constraint)
        task = self._task(constraint, messages, untold)
        progress = prefill_progress(self.environment, self.common.quiet)
        try:
            result = session.run(task, sink.write, progress)
        finally:
            session.close()
        self._finish(result, sink)

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
    ) -> Task:
        template = self.common.template
        return Task(
            constraint,
            messages if template else messages[-1]["content"],
            untold=untold if template else None,
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
            "enforce": self._enforces(),
            "jump": common.jump,
            "draft": None if common.draft else 0,
        }

    def _enforces(self) -> bool:
        """Whether the grammar is on; a run without it always says so."""
        if self.environment.variables.get("MLXJSON_GRAMMAR") != "0":
            return True
        self.environment.say("mlxjson: MLXJSON_GRAMMAR=0: no grammar, the form is only checked")
        return False

    def _sink(self, constraint: Constraint) -> Sink:
        output = self.common.output
        sink: Sink = FileSink(output) if output else StreamSink(self.environment.stdout)
        if isinstance(constraint, JsonSchema | JsonObject):
            return RawString(sink) if self.common.raw else sink
        is_bare_text = isinstance(constraint, Choice | Regex)
        return JsonString(sink) if is_bare_text and not self.common.raw else sink

    def _finish(self, result: Result, sink: Sink) -> None:
        for note in () if self.common.quiet else result.notes:
            self.environment.say(f"mlxjson: {note}")
        report(result.stats, self.common.stats, self.environment)
        try:
            result.checked()
        except (CutOff, InvalidDocument):
            sink.discard()
            self._save_rejected(result)
            raise
        sink.close()

    def _save_rejected(self, result: Result) -> None:
        if self.common.save_rejected is not None:
            write_atomically(self.common.save_rejected, result.text + "\n")
