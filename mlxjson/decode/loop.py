"""The decode loop for one sequence.

One step: forward pass for what was accepted → fill the masks while the device works → sample →
accept → jump over what is forced. Contract:

- an id is given out only after the matcher accepted it;
- a stop id is never given out; where nothing but a stop id is allowed no pass is spent on it;
- an all-masked row, or an id the matcher refuses after masking, is an internal error.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import mlx.core as mx
import numpy as np

from mlxjson.decode import mask
from mlxjson.decode.draft import Lookup, Pace, PromptLookup
from mlxjson.decode.matcher import Matcher
from mlxjson.decode.sample import Sampling, sampler
from mlxjson.decode.score import Score, Scorer
from mlxjson.decode.state import Beginning, Network, Progress, State
from mlxjson.decode.thinking import Thinking
from mlxjson.errors import MlxjsonError


class Finish(StrEnum):
    """Why a generation ended."""

    STOP = "stop"
    LENGTH = "length"


@dataclass(frozen=True, slots=True)
class Switches:
    """What the loop may do besides one id a pass."""

    jump: bool = True
    draft: int = 0


@dataclass(slots=True)
class Counters:
    """What happened, in ids and passes; prefill passes are not counted."""

    prompt_tokens: int = 0
    output_tokens: int = 0
    forward_passes: int = 0
    forced_tokens: int = 0
    drafted_tokens: int = 0
    accepted_tokens: int = 0
    thinking_tokens: int = 0


@dataclass(slots=True)
class _Draft:
    """Guessed ids, and which of them are choices that the model has to confirm.

    `held` writes text that is forced next: the best guess of all.
    """

    held: tuple[int, ...]
    ids: list[int] = field(default_factory=list)
    choices: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Agreed:
    """How much of a draft the model confirmed: so many choices, so many ids in all."""

    choices: int
    ids: int


class Decoder:
    """Generates ids behind a prompt under a matcher.

    Args:
        network: the model.
        matcher: the constraint, nothing accepted yet.
        sampling: how ids are chosen.
        max_tokens: the most ids to give out.
        switches: jump-forward and drafting.
        lookup: makes what guesses for drafts, empty.
        thinking: the reasoning before the constraint is live.
        scorer: says how likely each choice was.

    Attributes:
        scores: of each id given out, None for one that was forced; of a stop id, too, if it was
            chosen. Only with a scorer.
    """

    def __init__(
        self,
        network: Network,
        matcher: Matcher,
        *,
        sampling: Sampling,
        max_tokens: int,
        switches: Switches,
        lookup: Callable[[], Lookup] = PromptLookup,
        thinking: Thinking | None = None,
        scorer: Scorer | None = None,
    ) -> None:
        self.counters = Counters()
        self.scores: list[Score | None] = []
        self.finish: Finish | None = None
        self._network = network
        self._matcher = matcher
        self._sample = sampler(sampling)
        self._max_tokens = max_tokens
        self._jump = switches.jump
        self._make_lookup = lookup
        self._pace = Pace(switches.draft)
        self._thinking = thinking
        self._scorer = scorer
        self._prompt: list[int] = []
        self._output: list[int] = []
        self._free: list[bool] = []
        self._banned: dict[int, set[int]] = {}
        self._held: tuple[int, ...] = ()
        self._state = State(network)
        self._look_up([])

    def start(
        self,
        prompt: Sequence[int],
        progress: Progress | None = None,
        beginning: Beginning | None = None,
    ) -> list[int]:
        """Run the prompt and what is forced behind it; give out the forced ids.

        Where the model may reason first, nothing is forced yet.

        Args:
            prompt: the prompt's ids, at least one.
            progress: called with (ids done, ids in all) after each chunk.
            beginning: a cache that holds the first ids already, or that is to be kept.
        """
        self.counters.prompt_tokens = len(prompt)
        self._prompt = list(prompt)
        opening = self._opening() if self._is_live else []
        self._state.restart([*prompt, *opening])
        self._look_up(self._state.pending)
        if not self._ended():
            if beginning is not None:
                self._state.begin(beginning)
            self._state.prefill(progress)
        return opening

    def run(self) -> Iterator[list[int]]:
        """Give out ids as they are accepted, in groups, until `finish` says why it ended."""
        while self.finish is None:
            ids = self._step() if self._is_live else self._think()
            if ids:
                yield ids

    @property
    def context(self) -> list[int]:
        """The prompt, and what was thought behind it."""
        return list(self._prompt)

    @property
    def _is_live(self) -> bool:
        return self._thinking is None or self._thinking.live

    def _opening(self) -> list[int]:
        """Begin the answer with what is forced."""
        opening = self._forced()
        self._output, self._free = list(opening), [False] * len(opening)
        self.scores = [None] * len(opening)
        return opening

    def _think(self) -> list[int]:
        """Reason until the answer begins; its first ids. From then on the thoughts are prompt."""
        assert self._thinking is not None
        self._append(self._thinking.start())
        while not self._thinking.live:
            logits = self._forward()
            row = mask.empty_rows(1, max(self._network.width, self._matcher.width))
            self._thinking.fill(row[0], self._matcher)
            chosen = self._sample(mask.apply(logits, row), [self._thinking.key])
            if self._thinking.declines(int(chosen[0])):
                return self._begin_with(logits)
            self._state.pending = []
            self._append(self._thinking.take(int(chosen[0])))
        opening = self._opening()
        self._state.pending += opening
        self._lookup.extend(opening)
        self._ended()
        return opening

    def _append(self, ids: list[int]) -> None:
        """Put what was thought behind the prompt."""
        self._prompt += ids
        self._state.pending += ids
        self._lookup.extend(ids)
        self.counters.thinking_tokens += len(ids)

    def _begin_with(self, logits: mx.array) -> list[int]:
        """The answer's first ids, for a model that answers where it might have reasoned."""
        draft = _Draft(())
        chosen, scores = self._choose(logits, self._masks(draft), draft)
        self._state.pending = self._take(chosen[0], scores)
        self._output = list(self._state.pending)
        self._lookup.extend(self._output)
        return self._output[:]

    def rewind(self, position: int) -> int | None:
        """Go back to the first choice at or behind output `position`, and exclude what was chosen.

        Falls back to the last choice before it. Returns how many output ids remain, or None where
        every id was forced, so that there is nothing to choose otherwise.
        """
        choices = [at for at, free in enumerate(self._free) if free]
        later = [at for at in choices if at >= position]
        if not choices:
            return None
        at = later[0] if later else choices[-1]
        self._banned.setdefault(at, set()).add(self._output[at])
        self._banned = {key: ids for key, ids in self._banned.items() if key <= at}
        self._matcher.rollback(len(self._output) - at + int(self._matcher.finished))
        del self._output[at:], self._free[at:], self.scores[at:]
        self.counters.output_tokens = at
        self.finish = None
        self._held = ()
        ids = [*self._prompt, *self._output]
        self._state.shorten(ids)
        self._look_up(ids)
        return at

    def _look_up(self, ids: list[int]) -> None:
        """Guess behind `ids` from now on."""
        self._lookup = self._make_lookup()
        self._lookup.extend(ids)

    def _step(self) -> list[int]:
        draft = self._guess()
        logits = self._forward(draft.ids)
        rows = self._masks(draft)
        chosen, scores = self._choose(logits, rows, draft)
        agreed = self._confirm(draft, chosen, scores)
        kept = draft.ids[: agreed.ids]
        self._state.pending = self._take(chosen[agreed.choices], scores[agreed.choices :])
        ids = [*kept, *self._state.pending]
        self._output += ids
        self._lookup.extend(ids)
        return ids

    def _forward(self, draft: Sequence[int] = ()) -> mx.array:
        """Logits (len(draft) + 1, width) of the last pending id and of the draft."""
        self.counters.forward_passes += 1
        return self._state.forward(draft)

    def _masks(self, draft: _Draft) -> mask.Rows:
        """One packed mask for each choice of the draft, and one for the id behind it."""
        self._matcher.rollback(len(draft.ids))
        rows = mask.empty_rows(
            len(draft.choices) + 1, max(self._network.width, self._matcher.width)
        )
        stops = [*draft.choices, len(draft.ids)]
        at = 0
        for row, stop in zip(rows, stops, strict=True):
            for token_id in draft.ids[at:stop]:
                self._accept(token_id)
            # The logits may be wider than the vocabulary: what lies behind it stays forbidden.
            self._matcher.fill(row[: mask.words(self._matcher.width)])
            at = stop
            self._exclude(row, self.counters.output_tokens + stop)
        return rows

    def _exclude(self, row: mask.Row, position: int) -> None:
        """Clear what was tried before at this position, unless nothing would be left."""
        before = row.copy()
        for token_id in self._banned.get(position, ()):
            mask.forbid(row, token_id)
        if not row.any():
            row[:] = before

    def _choose(
        self, logits: mx.array, rows: mask.Rows, draft: _Draft
    ) -> tuple[list[int], list[Score]]:
        """The id chosen at each choice of the draft and behind it, and how likely each was."""
        if not rows.any(axis=1).all():
            raise MlxjsonError("the grammar allows no token here")
        positions = [*draft.choices, len(draft.ids)]
        masked = mask.apply(logits[mx.array(positions)] if draft.ids else logits, rows)
        output = [self.counters.output_tokens + position for position in positions]
        chosen = [int(i) for i in np.array(self._sample(masked, output))]
        return chosen, self._scorer(masked, chosen) if self._scorer else []

    def _confirm(self, draft: _Draft, chosen: list[int], scores: list[Score]) -> _Agreed:
        """Keep the draft up to the first choice that the model does not share."""
        agreed = 0
        for at, token_id in zip(draft.choices, chosen, strict=False):
            if draft.ids[at] != token_id:
                break
            agreed += 1
        kept = draft.choices[agreed] if agreed < len(draft.choices) else len(draft.ids)
        self._drop(len(draft.ids) - kept)
        self._pace.note(len(draft.choices), agreed)
        self.counters.accepted_tokens += agreed
        self.counters.forced_tokens += kept - agreed
        self.counters.output_tokens += kept
        free = set(draft.choices)
        self._free += [at in free for at in range(kept)]
        if self._scorer:
            at_choice = dict(zip(draft.choices, scores, strict=False))
            self.scores += [at_choice.get(at) for at in range(kept)]
        return _Agreed(choices=agreed, ids=kept)

    def _drop(self, count: int) -> None:
        """Forget the last `count` ids of the draft, in the matcher and in the cache."""
        if count:
            self._matcher.rollback(count)
            self._state.trim(count)

    def _take(self, token_id: int, scores: list[Score]) -> list[int]:
        """Accept a sampled id and what it forces; a stop id ends the generation.

        `scores` begin with that of the id; there are none without a scorer.
        """
        self.scores += scores[:1]
        if self.counters.output_tokens >= self._max_tokens:
            self._end_at_limit(token_id)
            return []
        self._accept(token_id)
        if self._matcher.finished:
            self.finish = Finish.STOP
            return []
        self.counters.output_tokens += 1
        ids = [token_id, *self._forced()]
        self._free += [True] + [False] * (len(ids) - 1)
        self.scores += [None] * (len(ids) - 1) if self._scorer else []
        self._ended()
        return ids

    def _end_at_limit(self, token_id: int) -> None:
        """At the limit a document that may end is complete only if the model ends it there."""
        self._accept(token_id)
        self.finish = Finish.STOP if self._matcher.finished else Finish.LENGTH

    def _ended(self) -> bool:
        if self._matcher.must_end:
            self.finish = Finish.STOP
        elif self.counters.output_tokens >= self._max_tokens and not self._matcher.may_end:
            self.finish = Finish.LENGTH
        return self.finish is not None

    def _forced(self) -> list[int]:
        """Accept the ids that have to come next, within the limit."""
        ids, self._held = self._jump_ahead(behind=0)
        self.counters.forced_tokens += len(ids)
        self.counters.output_tokens += len(ids)
        return ids

    def _jump_ahead(self, behind: int) -> tuple[list[int], tuple[int, ...]]:
        """Accept what is forced behind the output and `behind` more ids; it, and what is held."""
        room = self._max_tokens - self.counters.output_tokens - behind
        if not self._jump or room <= 0:
            return [], ()
        forced = self._matcher.forced(room)
        for token_id in forced.ids:
            self._accept(token_id)
        return list(forced.ids), forced.held

    def _accept(self, token_id: int) -> None:
        if not self._matcher.accept(token_id):
            raise MlxjsonError(f"the grammar refuses token {token_id}, which it had allowed")

    def _guess(self) -> _Draft:
        """A draft that the matcher accepts; afterwards the matcher stands behind it."""
        draft = _Draft(self._held)
        room = min(self._pace.next(), self._max_tokens - self.counters.output_tokens - 1)
        if not self._state.can_trim:
            return draft
        while len(draft.choices) < room and self._extend(draft, room):
            pass
        self.counters.drafted_tokens += len(draft.choices)
        return draft

    def _extend(self, draft: _Draft, room: int) -> bool:
        """Add guessed ids up to the first that forces others; False when there is no guess."""
        left = self._max_tokens - self.counters.output_tokens - 1 - len(draft.ids)
        space = min(room - len(draft.choices), left)
        if space <= 0:
            return False
        for token_id in draft.held[:1] or self._lookup.guess(draft.ids, space):
            if self._matcher.must_end or not self._matcher.accept(token_id):
                return False
            if self._matcher.finished:
                self._matcher.rollback(1)
                return False
            draft.choices.append(len(draft.ids))
            draft.ids.append(token_id)
            forced, held = self._jump_ahead(behind=len(draft.ids))
            draft.ids += forced
            if forced or held or draft.held:
                draft.held = held
                return True
        return False
