"""Reasoning before a constraint is live: a state machine on token ids.

    free ──► open ──► live
     └────────────────┘

While it is *open* every id is allowed. A stop id there means that the model has nothing more to
say, so the end tag takes its place; at the budget the end tag is written for the model. What is
*live* stays so: a tag in the answer is text like any other.
"""

from collections.abc import Callable, Sequence

from mlxjson.decode import mask
from mlxjson.decode.matcher import Matcher
from mlxjson.thinking import Stance, Tags

# Where draws for reasoning are keyed, away from the positions of the answer.
_KEYED_FROM = 1 << 31


class Thinking:
    """The reasoning of one generation.

    Args:
        tags: what stands around it.
        stance: where the prompt leaves the model.
        budget: the most ids between the tags.
        stop_ids: ids that end a generation.
        on_ids: gets the ids between the tags as they come.

    Attributes:
        ids: what stands between prompt and answer so far, tags too.
        said: what of that stands between the tags.
        was_cut: the budget ended it, not the model.
        stop_ids: while it is open, the end tag takes their place.
    """

    def __init__(
        self,
        tags: Tags,
        stance: Stance,
        *,
        budget: int,
        stop_ids: frozenset[int] = frozenset(),
        on_ids: Callable[[Sequence[int]], None] = lambda _ids: None,
    ) -> None:
        self.ids: list[int] = []
        self.said: list[int] = []
        self.was_cut = False
        self._tags = tags
        self._stance = stance
        self._left = budget
        self.stop_ids = stop_ids - {tags.end[-1]}
        self._on_ids = on_ids

    @property
    def live(self) -> bool:
        """The answer is next."""
        return self._stance is Stance.LIVE

    @property
    def free(self) -> bool:
        """The model may begin to reason, or answer."""
        return self._stance is Stance.FREE

    @property
    def end(self) -> int:
        """The id that takes the place of a stop id."""
        return self._tags.end[0]

    @property
    def key(self) -> int:
        """A position for the sampler that no id of the answer has."""
        return _KEYED_FROM + len(self.ids)

    def start(self) -> list[int]:
        """Ids to be written before the model is asked: the end, where nothing may be thought."""
        return self._given([]) if self._stance is Stance.OPEN else []

    def fill(self, row: mask.Row, matcher: Matcher) -> None:
        """Write the packed mask of the next id; `matcher` is that of the answer."""
        if self.free:
            matcher.fill(row[: mask.words(matcher.width)])
            mask.allow(row, self._tags.begin[0])
        else:
            row[:] = mask.all_below(row.size * 32, matcher.width)

    def declines(self, token_id: int) -> bool:
        """Whether the model answers with this id where it was free to reason. Live, if so."""
        if not self.free or token_id == self._tags.begin[0]:
            return False
        self._stance = Stance.LIVE
        return True

    def take(self, token_id: int) -> list[int]:
        """The ids that are written for one that was chosen: it, or others, and what is due."""
        if self.free:
            self._stance = Stance.OPEN
            return self._given(list(self._tags.begin))
        if token_id in self.stop_ids:
            return self._closed(list(self._tags.end))
        if (*self.ids, token_id)[-len(self._tags.end) :] == self._tags.end:
            return self._closed([token_id])
        self._left -= 1
        self.said.append(token_id)
        self._on_ids([token_id])
        return self._given([token_id])

    def _given(self, ids: list[int]) -> list[int]:
        if self._left <= 0:
            self.was_cut = True
            return self._closed([*ids, *self._tags.cut])
        self.ids += ids
        return ids

    def _closed(self, ids: list[int]) -> list[int]:
        self._stance = Stance.LIVE
        ids = [*ids, *self._tags.lead]
        self.ids += ids
        return ids
