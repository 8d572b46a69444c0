"""From options to a task, and from its result to the streams."""

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mlxjson.cli.options import Common
from mlxjson.cli.progress import prefill_progress
from mlxjson.cli.statistics import report
from mlxjson.cli.thoughts import shown_thoughts
from mlxjson.confidence import envelope
from mlxjson.constraint import Choice, Constraint, JsonObject, JsonSchema, Regex
from mlxjson.environment import Environment
from mlxjson.errors import CutOff, InvalidDocument, UsageError
from mlxjson.inputs import Inputs
from mlxjson.model.ranks import is_launched
from mlxjson.prompt import Message, joined
from mlxjson.sink import FileSink, JsonString, RawString, Sink, StreamSink, write_atomically
from mlxjson.task import DRAFT_LENGTH, OnText, Result, Task

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
        self._refuse_contradictions()
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
        sink = self._bare_sink() if self._is_wrapped else self._sink(task.constraint)
        with closing(self.open_session()) as session:
            result = self._run(session, task, None if self._is_wrapped else sink.write)
        self._finish(task, result, sink)

    def _run(self, session: "Session", task: Task, on_text: OnText | None) -> Result:
        progress = prefill_progress(self.environment, self.common.quiet)
        with shown_thoughts(self.environment, self.common.show_thinking) as shown:
            if shown is None:
                return session.run(task, on_text, progress)
            return session.run(task, on_text and shown.before(on_text), progress, shown.write)

    def results(self, tasks: Sequence[Task]) -> tuple[str, list[Result]]:
        """The model's name, and what comes of each task, reported but not written."""
        with closing(self.open_session()) as session:
            done = [self._run(session, replace(task, stream=False), None) for task in tasks]
            name = session.name
        for result in done:
            self._report(result)
        return name, done

    def weigh(self, constraint: Choice, messages: Sequence[Message]) -> None:
        """Write how likely each option of a choice is, and report."""
        from mlxjson.weighing import option_probabilities

        if self._is_wrapped or self.common.min_confidence > 0 or self.common.raw:
            raise UsageError("--probs is the whole answer: leave --confidence and the like away")
        task = self._task(constraint, messages, None, None)
        progress = prefill_progress(self.environment, self.common.quiet)
        with (
            closing(self.open_session()) as session,
            shown_thoughts(self.environment, self.common.show_thinking) as shown,
        ):
            show = None if shown is None else shown.write
            weights = option_probabilities(session, task, progress, show)
        self.say(weights.notes)
        report(weights.stats, self.common.stats, self.environment)
        self.write(self._shown(weights.probabilities))

    def _shown(self, probabilities: dict[str, float]) -> str:
        """A table for a terminal, else JSON."""
        from mlxjson.probabilities import rounded, table

        if self.environment.stdout_isatty and self.common.output is None:
            return table(probabilities)
        return json.dumps(rounded(probabilities), ensure_ascii=False)

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
            draft_model=common.draft_model,
            offline=common.offline,
            cache=common.cache,
            environ=self.environment.variables,
            progress=self.environment.stderr_isatty and not common.quiet,
            shard=common.shard,
            adapter=common.adapter,
            starter_adapter=common.starter_adapter,
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
            "think": common.think,
            "think_budget": common.think_budget,
            "logprobs": common.logprobs or common.top_logprobs > 0,
            "top_logprobs": common.top_logprobs,
            "confidence": common.confidence,
            "min_confidence": common.min_confidence,
            "prompt_cache": common.prompt_cache,
            "draft": None if common.draft is None else DRAFT_LENGTH * common.draft,
        }

    @property
    def enforces(self) -> bool:
        """Whether the grammar is on."""
        return self.environment.variables.get("MLXJSON_GRAMMAR") != "0"

    @property
    def _is_wrapped(self) -> bool:
        """Whether the result is printed together with how sure the model was."""
        return self.common.confidence or self.common.logprobs or self.common.top_logprobs > 0

    def _refuse_contradictions(self) -> None:
        common = self.common
        if self._is_wrapped and common.raw:
            raise UsageError("--raw prints bare text, --confidence and --logprobs print JSON")
        if common.stream and (self._is_wrapped or common.min_confidence > 0):
            raise UsageError("--stream can't wait for how sure the model is")

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

    def _finish(self, task: Task, result: Result, sink: Sink) -> None:
        """Write what is left to write, then the notes: both may go to one terminal."""
        try:
            result.checked()
        except (CutOff, InvalidDocument):
            sink.discard()
            self._report(result)
            self.save_rejected(result)
            raise
        if self._is_wrapped:
            is_json = isinstance(task.constraint, JsonSchema | JsonObject)
            text = result.text if is_json else json.dumps(result.text, ensure_ascii=False)
            sink.write(envelope(text, result.confidence, result.logprobs))
        sink.close()
        self._report(result)

    def save_rejected(self, result: Result) -> None:
        """Keep a result that failed where the user wants it.

        Why it failed is the error of the run, also where it can't be kept.
        """
        if self.common.save_rejected is None:
            return
        try:
            write_atomically(self.common.save_rejected, result.text + "\n")
        except UsageError as error:
            self.environment.say(f"mlxjson: {error}")
