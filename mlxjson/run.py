"""One task from constraint to checked text: compile, prefill, decode, validate, try again."""

from collections.abc import Callable
from itertools import chain
from typing import TYPE_CHECKING

from mlxjson.beginning import beginning_of
from mlxjson.clock import since_start, timed
from mlxjson.confidence import Weighed, Written, is_weighed, scorer_of, weigh
from mlxjson.decode.loop import Decoder, Finish, Switches
from mlxjson.decode.matcher import Matcher
from mlxjson.decode.sample import Sampling
from mlxjson.decode.state import Network, Progress
from mlxjson.decode.thinking import Thinking
from mlxjson.enforcement import Enforcement
from mlxjson.errors import UsageError
from mlxjson.prepared import matcher_of
from mlxjson.ready import ready
from mlxjson.reasoning import BUDGET, Thoughts, shares
from mlxjson.stats import Stats, peak_memory_mb
from mlxjson.stops import Stops
from mlxjson.task import OnText, Result, Task
from mlxjson.text import TextStream, index_of
from mlxjson.thinking import Prompt, Stance, Think

if TYPE_CHECKING:
    from mlxjson.session import Session
    from mlxjson.validate.failure import Failure


class Run:
    """The state of one task on a session."""

    def __init__(
        self,
        session: "Session",
        task: Task,
        on_text: OnText | None,
        progress: Progress | None,
        on_thought: OnText | None = None,
    ) -> None:
        self._session = session
        self._task = task
        self._on_text = on_text or (lambda _text: None)
        self._on_thought = on_thought
        self._progress = progress
        self._stats = Stats()
        self._times: dict[str, float] = {}
        self._ids: list[int] = []
        self._notes: list[str] = []
        self._stopped: str | None = None

    def result(self) -> Result:
        """Do it. Raises what `Session.run` says."""
        enforced, matcher = self._prepare()
        prompt = self._prompt()
        answer, thoughts = thoughts_for(self._session, self._task, prompt, self._on_thought)
        decoder = self._decoder(matcher, answer, thoughts.thinking)
        with timed(self._times, "prefill_ms"):
            beginning = beginning_of(self._session, self._task, prompt.ids)
            opening = decoder.start(prompt.ids, self._progress, beginning)
        streams = self._streams(enforced)
        text = self._decode(decoder, opening, streams)
        failure = self._checked(decoder, text)
        while failure is not None and not streams and self._go_back(decoder, text, failure):
            text = self._decode(decoder, self._ids, streams)
            failure = self._checked(decoder, text)
        self._notes += thoughts.close()
        weighed = self._weighed(decoder, enforced, text, failure)
        if weighed.failure is None and decoder.finish is Finish.STOP and not streams:
            self._write(weighed.text)
        result = self._report(decoder, enforced, weighed.text, weighed.failure)
        result.thought, result.unenforced = thoughts.text, self._unenforced
        result.confidence, result.logprobs = weighed.confidence, weighed.logprobs
        return result

    def _prepare(self) -> tuple[Enforcement, Matcher]:
        made = ready(self._session, self._task, self._times)
        self._task, self._prepared, self._unenforced = made.task, made.prepared, made.unenforced
        self._notes += filter(None, [made.note])
        return made.enforced, made.matcher

    def _prompt(self) -> Prompt:
        prompt, notes = prompt_of(self._session, self._task)
        self._notes += notes
        return prompt

    def _streams(self, enforced: Enforcement) -> bool:
        if is_weighed(self._task):
            return False
        return self._task.stream if self._task.stream is not None else enforced.exact

    def _weighed(
        self, decoder: Decoder, enforced: Enforcement, text: str, failure: "Failure | None"
    ) -> Weighed:
        if not is_weighed(self._task):
            return Weighed(text, failure)
        written = Written(text, self._session.vocabulary.tokens, self._ids, decoder.scores)
        if failure is not None or decoder.finish is not Finish.STOP:
            return Weighed(text, failure, logprobs=written.tokens)
        return weigh(self._task, enforced.is_json, written, self._prepared.check)

    def _decoder(self, matcher: Matcher, max_tokens: int, thinking: Thinking | None) -> Decoder:
        task = self._task
        draft = self._session.draft_length if task.draft is None else task.draft
        return Decoder(
            self._network(),
            matcher,
            sampling=Sampling(task.temperature, task.top_p, task.top_k, task.seed),
            max_tokens=max_tokens,
            switches=Switches(task.jump and not task.logprobs, draft),
            lookup=self._session.lookup,
            thinking=thinking,
            scorer=scorer_of(task, self._session.vocabulary.tokens),
        )

    def _network(self) -> Network:
        if not self._task.bias:
            return self._session.network
        from mlxjson.bias import biased

        return biased(self._session.network, self._task.bias)

    def _decode(self, decoder: Decoder, before: list[int], streams: bool) -> str:
        """Run to the end behind the ids that are there already; the whole text."""
        stream, stops = TextStream(self._session.vocabulary.tokens), Stops(self._task.stop)
        write: Callable[[str], None] = self._write if streams else (lambda _text: None)
        self._ids, text = [], []
        with timed(self._times, "decode_ms"):
            for ids in chain([list(before)], decoder.run()):
                self._ids += ids
                text.append(stops.feed(stream.feed(ids)))
                write(text[-1])
                if stops.found is not None:
                    break
        text.append(stops.feed(stream.close()) + stops.close())
        write(text[-1])
        if stops.found is not None:
            self._stopped, decoder.finish = stops.found, Finish.STOP
        return "".join(text)

    def _write(self, text: str) -> None:
        if text and not self._stats.first_byte_ms:
            self._stats.first_byte_ms = since_start()
        if text:
            self._on_text(text)

    def _checked(self, decoder: Decoder, text: str) -> "Failure | None":
        if decoder.finish is not Finish.STOP:
            return None
        with timed(self._times, "validate_ms"):
            return self._check(text)

    def _check(self, text: str) -> "Failure | None":
        failure = self._prepared.check(text)
        if failure is None and self._stopped is not None and not self._is_sentence(text):
            from mlxjson.validate.failure import Failure

            return Failure("", "stop", "the grammar does not end here")
        return failure

    def _is_sentence(self, text: str) -> bool:
        """Whether a text that a stop string cut is whole: a grammar has no other check."""
        enforced = self._prepared.enforcement(enforce=self._task.enforce)
        matcher = matcher_of(enforced, self._session.engine)
        ids = self._session.tokenizer.encode(text, special=False)
        return all(map(matcher.accept, ids)) and matcher.may_end

    def _go_back(self, decoder: Decoder, text: str, failure: "Failure") -> bool:
        """Return to the choice where the failing value began; False when there is none left."""
        if self._stats.retries >= self._task.retries or self._stopped is not None:
            return False
        tokens = self._session.vocabulary.tokens
        kept = decoder.rewind(index_of(self._ids, tokens, text, failure.offset or 0))
        if kept is None:
            return False
        self._stats.retries += 1
        del self._ids[kept:]
        return True

    def _report(
        self, decoder: Decoder, enforced: Enforcement, text: str, failure: "Failure | None"
    ) -> Result:
        stats, counters = self._stats, decoder.counters
        stats.finish = "invalid" if failure is not None else str(decoder.finish)
        if failure is not None and self._stopped is not None:
            stats.finish = str(Finish.LENGTH)
        stats.exact = enforced.exact
        stats.model = self._session.name
        stats.adapter = self._session.adapter
        stats.device = self._session.network.device
        for name in counters.__slots__:
            setattr(stats, name, getattr(counters, name))
        for name, value in {**self._session.times, **self._times}.items():
            setattr(stats, name, value)
        stats.total_ms = since_start()
        stats.peak_memory_mb = peak_memory_mb()
        if self._task.stream and enforced.findings:
            keywords = ", ".join(sorted({finding.keyword for finding in enforced.findings}))
            self._notes.append(f"streamed, though the grammar can't enforce: {keywords}")
        return Result(
            text,
            stats.finish,
            stats,
            enforced.findings,
            failure,
            tuple(self._notes),
            self._stopped,
        )


def room(context: int, prompt_tokens: int, max_tokens: int) -> int:
    """How many tokens may be generated: as many as asked for, if the context holds them.

    Raises: UsageError when the prompt alone fills the context.
    """
    if prompt_tokens >= context:
        raise UsageError(
            f"the prompt has {prompt_tokens} tokens; the model's context is {context}",
            hint="Shorten it, split the document, or use a model with a longer context.",
        )
    return min(max_tokens, context - prompt_tokens)


def thoughts_for(
    session: "Session", task: Task, prompt: Prompt, on_thought: OnText | None
) -> tuple[int, Thoughts]:
    """How many tokens the answer may have, and the reasoning before it.

    Raises: UsageError when the prompt alone fills the context.
    """
    context = session.network.context_length
    answer, budget = room(context, len(prompt.ids), task.max_tokens), 0
    if prompt.stance is not Stance.LIVE:
        wanted = BUDGET if task.think_budget is None else task.think_budget
        answer, budget = shares(context - len(prompt.ids), task.max_tokens, wanted)
    return answer, Thoughts(prompt, budget, session.vocabulary, on_thought)


def prompt_of(session: "Session", task: Task) -> tuple[Prompt, list[str]]:
    """The prompt, and what is to be said about it.

    The schema is left out where it would leave no room for an answer.
    """
    prompt = session.prompt(task.messages, task.think)
    context = session.network.context_length
    notes = []
    if task.think == Think.ON and prompt.stance is Stance.LIVE:
        notes.append("--think on changes nothing: nothing is known of how this model reasons")
    if task.untold is None or len(prompt.ids) + min(task.max_tokens, context // 4) < context:
        return prompt, notes
    notes.append("the schema is too long to be told to the model: it is only enforced")
    return session.prompt(task.untold, task.think), notes
