"""One task from constraint to checked text: compile, prefill, decode, validate, try again."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from mlxjson.clock import since_start, timed
from mlxjson.decode.loop import Decoder, Finish, Progress, Switches
from mlxjson.decode.matcher import Matcher
from mlxjson.decode.sample import Sampling
from mlxjson.enforcement import Enforcement
from mlxjson.errors import UsageError
from mlxjson.prepared import matcher_of
from mlxjson.stats import Stats, peak_memory_mb
from mlxjson.task import OnText, Result, Task
from mlxjson.text import TextStream, index_of

if TYPE_CHECKING:
    from mlxjson.session import Session
    from mlxjson.validate.failure import Failure

# A pass over eight tokens costs about 1.4 times one over a single token, on a CPU in f32.
DRAFT_LENGTH = 8


class Run:
    """The state of one task on a session."""

    def __init__(
        self, session: "Session", task: Task, on_text: OnText | None, progress: Progress | None
    ) -> None:
        self._session = session
        self._task = task
        self._on_text = on_text or (lambda _text: None)
        self._progress = progress
        self._stats = Stats()
        self._times: dict[str, float] = {}
        self._ids: list[int] = []
        self._notes: list[str] = []

    def result(self) -> Result:
        """Do it. Raises what `Session.run` says."""
        enforced, matcher = self._prepare()
        prompt = self._prompt()
        decoder = self._decoder(
            matcher, room(self._session.network.context_length, len(prompt), self._task.max_tokens)
        )
        with timed(self._times, "prefill_ms"):
            opening = decoder.start(prompt, self._progress)
        streams = self._task.stream if self._task.stream is not None else enforced.exact
        text = self._decode(decoder, opening, streams)
        failure = self._checked(decoder, text)
        while failure is not None and not streams and self._go_back(decoder, text, failure):
            text = self._decode(decoder, self._ids, streams)
            failure = self._checked(decoder, text)
        if failure is None and decoder.finish is Finish.STOP and not streams:
            self._write(text)
        return self._report(decoder, enforced, text, failure)

    def _prepare(self) -> tuple[Enforcement, Matcher]:
        task = self._task
        with timed(self._times, "compile_ms"):
            prepared = self._session.prepared(task.constraint)
            enforced = prepared.enforcement(enforce=task.enforce, strict=task.strict)
        engine = self._session.engine  # waits until it is there, which is not compile time
        with timed(self._times, "compile_ms"):
            return enforced, matcher_of(enforced, engine)

    def _prompt(self) -> list[int]:
        ids, notes = prompt_of(self._session, self._task)
        self._notes += notes
        return ids

    def _decoder(self, matcher: Matcher, max_tokens: int) -> Decoder:
        task = self._task
        draft = DRAFT_LENGTH if task.draft is None else task.draft
        return Decoder(
            self._session.network,
            matcher,
            sampling=Sampling(task.temperature, task.top_p, task.top_k, task.seed),
            max_tokens=max_tokens,
            switches=Switches(task.jump, draft),
            lookup=self._session.lookup,
        )

    def _decode(self, decoder: Decoder, before: list[int], streams: bool) -> str:
        """Run to the end behind the ids that are there already; the whole text."""
        stream = TextStream(self._session.vocabulary.tokens)
        self._ids = list(before)
        text = [stream.feed(before)]
        write: Callable[[str], None] = self._write if streams else (lambda _text: None)
        write(text[0])
        with timed(self._times, "decode_ms"):
            for ids in decoder.run():
                self._ids += ids
                text.append(stream.feed(ids))
                write(text[-1])
        text.append(stream.close())
        write(text[-1])
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
        return self._session.prepared(self._task.constraint).check(text)

    def _go_back(self, decoder: Decoder, text: str, failure: "Failure") -> bool:
        """Return to the choice where the failing value began; False when there is none left."""
        if self._stats.retries >= self._task.retries:
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
        stats.exact = enforced.exact
        stats.model = self._session.name
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
        return Result(text, stats.finish, stats, enforced.findings, failure, tuple(self._notes))


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


def prompt_of(session: "Session", task: Task) -> tuple[list[int], list[str]]:
    """The prompt's ids, and what is to be said about them.

    The schema is left out where it would leave no room for an answer.
    """
    ids = session.prompt_ids(task.messages)
    context = session.network.context_length
    if task.untold is None or len(ids) + min(task.max_tokens, context // 4) < context:
        return ids, []
    note = "the schema is too long to be told to the model: it is only enforced"
    return session.prompt_ids(task.untold), [note]
