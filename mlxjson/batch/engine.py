"""Rows to outcomes, many at a time."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from time import perf_counter
from typing import TYPE_CHECKING

from mlxjson.batch.records import COUNTS, Outcome, failed, finished
from mlxjson.batch.rows import Row
from mlxjson.batch.tasks import Defaults
from mlxjson.batch.width import Width
from mlxjson.decode.batch import Batch
from mlxjson.decode.loop import Finish
from mlxjson.decode.sample import Sampling
from mlxjson.decode.sequence import Sequence
from mlxjson.grammar import fill_many
from mlxjson.ready import Ready, ready
from mlxjson.run import prompt_of, thoughts_for
from mlxjson.stats import Stats
from mlxjson.task import Result, Task
from mlxjson.text import TextStream, index_of

if TYPE_CHECKING:
    from mlxjson.session import Session


@dataclass(slots=True)
class _Growing:
    """A row that is being worked on."""

    row: Row
    made: Ready
    prompt: list[int]
    sequence: Sequence
    begin: float
    retries: int = 0


class BatchLane:
    """`width` rows at a time, None for what is fastest; one joins as soon as another has ended."""

    def __init__(self, session: "Session", defaults: Defaults, width: int | None) -> None:
        self._session = session
        self._defaults = defaults
        self._width = Width(width, session.network.most_sequences)

    def __call__(self, rows: Iterable[Row]) -> Iterator[list[Outcome]]:
        network = self._session.network
        # A CPU that computes a pass has no time for anything else.
        overlap = network.device != "cpu"
        batch = Batch(network, self._width.most, fill_many, overlap=overlap)
        try:
            yield from _Run(self._session, self._defaults, batch, self._width).outcomes(rows)
        finally:
            batch.close()


class _Run:
    """The state of one pass over rows."""

    def __init__(self, session: "Session", defaults: Defaults, batch: Batch, width: Width) -> None:
        self._session = session
        self._defaults = defaults
        self._batch = batch
        self._width = width
        self._growing: dict[Sequence, _Growing] = {}
        self._done: list[Outcome] = []

    def outcomes(self, rows: Iterable[Row]) -> Iterator[list[Outcome]]:
        """Groups of outcomes, as rows end."""
        coming = iter(rows)
        while self._fill(coming) or self._growing or self._done:
            for sequence in self._stepped() if self._growing else ():
                self._settle(self._growing.pop(sequence))
            if self._done:
                yield self._taken()

    def _stepped(self) -> list[Sequence]:
        """The sequences that a step ended."""
        begin, is_steady = perf_counter(), self._batch.is_steady
        rows = len(self._batch)
        ended = self._batch.step()
        if is_steady:
            self._width.note(rows, perf_counter() - begin)
        return ended

    def _taken(self) -> list[Outcome]:
        done, self._done = self._done, []
        return done

    def _fill(self, coming: Iterator[Row]) -> bool:
        """Take rows up while there is room; whether there may be more of them.

        One that was run by itself is given out before the next is taken up.
        """
        if self._growing and self._width.now - len(self._growing) < self._bunch():
            return True
        while len(self._growing) < self._width.now:
            row = next(coming, None)
            if row is None:
                return False
            if self._take_up(row):
                break
        return True

    def _bunch(self) -> int:
        """How many rows join at once. On a GPU every join costs about as much as a step."""
        on_cpu = self._session.network.device == "cpu"
        return 1 if on_cpu else max(1, self._width.now // 8)

    def _take_up(self, row: Row) -> bool:
        """Begin with a row; whether it had to be run by itself."""
        begin = perf_counter()
        try:
            task = self._defaults.task(row)
            if not is_plain(task):
                self._done.append(finished(row, task, self._session.run(task), begin))
                return True
            growing = self._begun(row, task, begin)
            opening = growing.sequence.start()
            if growing.sequence.ended:
                self._settle(growing)
            else:
                self._join(growing, opening)
        except Exception as error:
            self._done.append(failed(row, error, begin))
        return False

    def _begun(self, row: Row, task: Task, begin: float) -> _Growing:
        made = ready(self._session, task)
        task = made.task
        prompt, _ = prompt_of(self._session, task)
        limit, thoughts = thoughts_for(self._session, task, prompt, None)
        sampling = Sampling(task.temperature, task.top_p, task.top_k, task.seed)
        sequence = Sequence(
            made.matcher, sampling, limit, jump=task.jump, thinking=thoughts.thinking
        )
        sequence.counters.prompt_tokens = len(prompt.ids)
        return _Growing(row, made, prompt.ids, sequence, begin)

    def _join(self, growing: _Growing, behind: list[int]) -> None:
        sequence = growing.sequence
        self._batch.add(sequence, [*growing.prompt, *sequence.thought, *behind])
        self._growing[growing.sequence] = growing

    def _settle(self, growing: _Growing) -> None:
        """The outcome of a row that has ended; or it goes back to try again."""
        begin = perf_counter()
        try:
            self._done += self._outcome(growing)
        except Exception as error:
            self._done.append(failed(growing.row, error, begin))

    def _outcome(self, growing: _Growing) -> list[Outcome]:
        sequence = growing.sequence
        if sequence.fault is not None:
            raise sequence.fault
        text = self._text(sequence)
        failure = None
        if sequence.finish is Finish.STOP:
            failure = growing.made.prepared.check(text)
        if failure is not None and growing.retries < growing.made.task.retries:
            tokens = self._session.vocabulary.tokens
            kept = sequence.rewind(index_of(sequence.output, tokens, text, failure.offset or 0))
            if kept is not None:
                growing.retries += 1
                self._join(growing, kept)
                return []
        made = growing.made
        stats = self._stats(growing, "invalid" if failure else str(sequence.finish))
        result = Result(text, stats.finish, stats, made.enforced.findings, failure)
        result.unenforced = made.unenforced
        return [finished(growing.row, made.task, result, growing.begin)]

    def _text(self, sequence: Sequence) -> str:
        stream = TextStream(self._session.vocabulary.tokens)
        return stream.feed(sequence.output) + stream.close()

    def _stats(self, growing: _Growing, finish: str) -> Stats:
        counters = growing.sequence.counters
        counts = {name: getattr(counters, name) for name in COUNTS if hasattr(counters, name)}
        return Stats(
            finish=finish,
            retries=growing.retries,
            exact=growing.made.enforced.exact,
            model=self._session.name,
            device=self._session.network.device,
            **counts,
        )


# What the batch does for a task. A row that asks for more is run by itself.
_KNOWN = frozenset(
    {
        *("constraint", "messages", "untold", "max_tokens", "temperature", "top_p", "top_k"),
        *("seed", "retries", "strict", "stream", "enforce", "jump", "draft"),
        *("think", "think_budget", "fallback"),
    }
)


def is_plain(task: Task) -> bool:
    """Whether a task can be run together with others."""
    bare = Task(task.constraint, task.messages)
    names = (field.name for field in fields(task) if field.name not in _KNOWN)
    return all(getattr(task, name) == getattr(bare, name) for name in names)
