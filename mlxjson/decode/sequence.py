"""One sequence of a batch: what was accepted, what is forced next, and why it ended.

The rules are those of the loop for a single sequence. What differs is that ids are given one at
a time: those that are forced wait in a queue, and the model is not asked for them.
"""

from collections import deque

from mlxjson.decode import mask
from mlxjson.decode.loop import Counters, Finish
from mlxjson.decode.matcher import Matcher
from mlxjson.decode.sample import Sampling
from mlxjson.decode.thinking import Thinking
from mlxjson.errors import MlxjsonError


class Sequence:
    """Ids behind a prompt under a matcher.

    Args:
        matcher: the constraint, nothing accepted yet.
        sampling: how ids are chosen.
        max_tokens: the most ids to give out.
        jump: take what is forced without asking the model.
        thinking: the reasoning before the constraint is live.

    Attributes:
        output: the ids given out, those that are forced and not yet run among them.
        fault: an error that ended this sequence, and no other.
    """

    def __init__(
        self,
        matcher: Matcher,
        sampling: Sampling,
        max_tokens: int,
        *,
        jump: bool = True,
        thinking: Thinking | None = None,
    ) -> None:
        self.matcher = matcher
        self.sampling = sampling
        self.counters = Counters()
        self.output: list[int] = []
        self.finish: Finish | None = None
        self.fault: MlxjsonError | None = None
        self._max_tokens = max_tokens
        self._jump = jump
        self._thinking = thinking
        self._queue: deque[int] = deque()
        self._free: list[bool] = []
        self._banned: dict[int, set[int]] = {}

    @property
    def ended(self) -> bool:
        """Whether nothing more is to be asked for it."""
        return self.finish is not None or self.fault is not None

    @property
    def is_asked(self) -> bool:
        """Whether the model has a say in its next id."""
        return not self.ended and not self._queue

    @property
    def reasoning(self) -> Thinking | None:
        """The reasoning, until the answer begins."""
        return None if self._thinking is None or self._thinking.live else self._thinking

    @property
    def thought(self) -> list[int]:
        """The ids between prompt and output."""
        return [] if self._thinking is None else list(self._thinking.ids)

    @property
    def key(self) -> int:
        """A position for the sampler that no other id of the sequence has."""
        return len(self.output) if self.reasoning is None else self.reasoning.key

    def start(self) -> list[int]:
        """The ids that are forced at the beginning: they belong behind the prompt.

        What is thought comes between them.
        """
        if self.reasoning is not None:
            self.counters.thinking_tokens += len(self.reasoning.start())
        if self.reasoning is not None:
            return []
        opening = self._forced()
        self._end()
        return opening

    def next_forced(self) -> int | None:
        """The next id if it is known already."""
        return self._queue.popleft() if self._queue else None

    def take(self, token_id: int) -> None:
        """Accept a sampled id, and what it forces; find out whether that is the end."""
        if self.ended:
            return
        try:
            if self.reasoning is None or self.reasoning.declines(token_id):
                self._take(token_id)
            else:
                self._think(token_id, self.reasoning)
        except MlxjsonError as error:
            self.fault = error

    def exclude(self, row: mask.Row) -> None:
        """Clear what was tried before at this place, unless nothing would be left."""
        if self.reasoning is not None:
            return
        tried = self._banned.get(len(self.output), ())
        before = row.copy() if tried else row
        for token_id in tried:
            mask.forbid(row, token_id)
        if tried and not row.any():
            row[:] = before

    def rewind(self, position: int) -> list[int] | None:
        """Go back to the first choice at or behind output `position`, and exclude what was chosen.

        Falls back to the last choice before it. Returns the ids that remain, or None where every
        id was forced.
        """
        choices = [at for at, free in enumerate(self._free) if free]
        if not choices:
            return None
        at = next((choice for choice in choices if choice >= position), choices[-1])
        self._banned = {key: ids for key, ids in self._banned.items() if key <= at}
        self._banned.setdefault(at, set()).add(self.output[at])
        self.matcher.rollback(len(self.output) - at + int(self.matcher.finished))
        del self.output[at:], self._free[at:]
        self.counters.output_tokens = at
        self._queue.clear()
        self.finish = None
        return list(self.output)

    def _think(self, token_id: int, thinking: Thinking) -> None:
        """Take a sampled id of the reasoning; where that ends, begin the answer."""
        ids = thinking.take(token_id)
        self.counters.thinking_tokens += len(ids)
        # The first one runs already: a stop id was replaced before it was given out.
        self._queue.extend(ids[1:])
        if thinking.live:
            self._queue.extend(self._forced())
            self._end()

    def _take(self, token_id: int) -> None:
        if len(self.output) >= self._max_tokens:
            # A document that may end is complete at the limit only if the model ends it there.
            self._accept(token_id)
            self.finish = Finish.STOP if self.matcher.finished else Finish.LENGTH
            return
        self._accept(token_id)
        if self.matcher.finished:
            self.finish = Finish.STOP
            return
        self._add([token_id], free=True)
        self._queue.extend(self._forced())
        self._end()

    def _end(self) -> None:
        if self.matcher.must_end:
            self.finish = Finish.STOP
        elif len(self.output) >= self._max_tokens and not self.matcher.may_end:
            self.finish = Finish.LENGTH

    def _forced(self) -> list[int]:
        """Accept the ids that have to come next, within the limit."""
        room = self._max_tokens - len(self.output)
        if not self._jump or room <= 0:
            return []
        ids = list(self.matcher.forced(room).ids)
        for token_id in ids:
            self._accept(token_id)
        self._add(ids, free=False)
        self.counters.forced_tokens += len(ids)
        return ids

    def _add(self, ids: list[int], *, free: bool) -> None:
        self.output += ids
        self._free += [free] * len(ids)
        self.counters.output_tokens += len(ids)

    def _accept(self, token_id: int) -> None:
        if not self.matcher.accept(token_id):
            raise MlxjsonError(f"the grammar refuses token {token_id}, which it had allowed")
