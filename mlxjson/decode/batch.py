"""Many sequences at once: token ids in, token ids out.

One step: a forward pass for all → what was sampled before is known → fill the masks of all
constrained sequences in one call → one masking → sample. Contract:

- a matcher belongs to the uid of its sequence, never to a place in the batch;
- the logits of a sequence without a constraint are sampled as they are, bit for bit;
- a sequence that has ended is not sampled again;
- an error of one sequence ends that one alone.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

import mlx.core as mx
import numpy as np

from mlxjson.decode import mask
from mlxjson.decode.matcher import Unconstrained
from mlxjson.decode.prefix import Prefixes
from mlxjson.decode.sample import sampler
from mlxjson.decode.sequence import Sequence as Row
from mlxjson.decode.state import Network
from mlxjson.errors import MlxjsonError

# In place of an id that is not forced.
_ASKED = -1
# Fills rows[i] for the i-th matcher.
FillMany = Callable[[list[Any], mask.Rows], None]
# The masks of sequences, each int32 (words,).
Masks = dict[Row, mask.Row]
Choose = Callable[[list[int], mx.array], mx.array]


class Generator(Protocol):
    """Sequences that are extended together, an id a step; see `mlxjson.model.batch`."""

    def insert(self, ids: Sequence[int], cache: list[Any] | None, cached: Sequence[int]) -> int:
        """Let a sequence join; its uid."""

    def step(self) -> None:
        """Extend what is ready, and call for the choice of ids."""

    def remove(self, uids: Sequence[int]) -> None:
        """Let sequences leave."""

    def close(self) -> None:
        """Free what is held."""


class BatchNetwork(Network, Protocol):
    """A model that can work on many sequences."""

    def batched(self, choose: Choose, most: int) -> Generator:
        """Sequences that are extended together."""


@dataclass(slots=True)
class _Sampled:
    """Ids (n,) that the device still computes, and which of them were asked for, by whom."""

    rows: list[tuple[int, Row]]
    ids: mx.array


class Batch:
    """Sequences that grow together.

    Args:
        network: the model.
        most: the most sequences at once.
        fill_many: fills the masks of many matchers.
        overlap: begin a step before the ids of the last one are looked at: that happens, and masks
            are filled, in a thread beside. A sequence that ended is part of one pass too many.
    """

    def __init__(
        self, network: BatchNetwork, most: int, fill_many: FillMany, *, overlap: bool = False
    ) -> None:
        self._generator = network.batched(self._choose, most)
        self._prefixes = Prefixes(network)
        self._fill_many = fill_many
        self._width = network.width
        self._thread = ThreadPoolExecutor(1) if overlap else None
        self._ahead: Future[Masks] | None = None
        self._joining: list[tuple[Row, Sequence[int]]] = []
        self._rows: dict[int, Row] = {}
        self._sampled: list[_Sampled] = []

    def __len__(self) -> int:
        return len(self._rows) + len(self._joining)

    @property
    def is_steady(self) -> bool:
        """Whether all sequences are past their prompts, so that a step is one pass for each."""
        return not self._joining and all(row.counters.forward_passes for row in self._rows.values())

    def add(self, row: Row, ids: Sequence[int]) -> None:
        """Let a sequence join that is not ended; `ids` are its prompt and what it has so far.

        What its prompt shares with others is run only once.
        """
        self._joining.append((row, ids))
        self._prefixes.note(ids)

    def step(self) -> list[Row]:
        """Extend every sequence by an id; those that ended, which are gone then."""
        for row, ids in self._joining:
            cache, cached = self._prefixes.cache_for(ids)
            self._rows[self._generator.insert(ids[cached:], cache, ids[:cached])] = row
        self._joining.clear()
        self._generator.step()
        self._wait()
        if self._thread is None:
            self._settle()
        ended = [uid for uid, row in self._rows.items() if row.ended]
        self._generator.remove(ended)
        gone = [self._rows.pop(uid) for uid in ended]
        if self._thread is not None and self._sampled:
            self._ahead = self._thread.submit(self._look_ahead, list(self._rows.values()))
        return gone

    def close(self) -> None:
        """Let everything go, finished or not, in whatever state an error left it."""
        if self._thread is not None:
            self._thread.shutdown()
        self._joining.clear()
        self._rows.clear()
        self._sampled.clear()
        self._generator.close()

    def _look_ahead(self, rows: list[Row]) -> Masks:
        """Look at the ids that were sampled, and fill the masks for the step that has begun."""
        self._settle()
        bound = [row for row in rows if row.is_asked and not _is_free(row, self._width)]
        filled = self._filled(bound, mask.words(self._width)) if bound else ()
        return dict(zip(bound, filled, strict=True))

    def _wait(self) -> Masks:
        """The masks that were filled ahead, once they are; none where nothing was."""
        ahead, self._ahead = self._ahead, None
        return {} if ahead is None else ahead.result()

    def _settle(self) -> None:
        """Look at the ids that were sampled; waits for the device."""
        for sampled in self._sampled:
            mx.eval(sampled.ids)  # lets other threads run while it waits
            ids = np.array(sampled.ids)
            for at, row in sampled.rows:
                row.take(int(ids[at]))
        self._sampled.clear()

    def _choose(self, uids: list[int], logits: mx.array) -> mx.array:
        """The next ids (n,) of the sequences `uids` from their logits (n, width).

        The operations and their shapes are the same in every step: a GPU keeps them as a graph.
        """
        masks = self._wait()
        forced = np.full(len(uids), _ASKED, dtype=np.int32)
        asked: list[tuple[int, Row]] = []
        for at, uid in enumerate(uids):
            row = self._rows[uid]
            row.counters.forward_passes += 1
            # What is said of one that ended is never run.
            known = 0 if row.ended else row.next_forced()
            if known is None:
                asked.append((at, row))
            else:
                forced[at] = known
        known_ids = mx.array(forced)
        masked = self._masked(logits, asked, masks)
        ids = mx.where(known_ids == _ASKED, _sample(masked, asked), known_ids)
        self._sampled.append(_Sampled(asked, ids))
        return ids

    def _masked(self, logits: mx.array, asked: list[tuple[int, Row]], masks: Masks) -> mx.array:
        """The logits with what is forbidden at -inf; `masks` are those that are known already."""
        bound = [(at, row) for at, row in asked if not _is_free(row, logits.shape[1])]
        if not bound:
            return logits
        rows = mask.empty_rows(logits.shape[0], logits.shape[1])
        # Everything is allowed where nothing is forbidden or nothing is asked.
        rows[:] = -1
        missing = [(at, row) for at, row in bound if row not in masks]
        for at, row in bound:
            if row in masks:
                rows[at] = masks[row]
        if missing:
            rows[[at for at, _ in missing]] = self._filled([r for _, r in missing], rows.shape[1])
        return mask.apply(logits, rows)

    def _filled(self, bound: list[Row], words: int) -> mask.Rows:
        """Masks, int32 (n, words). The logits may be wider than what a matcher knows."""
        rows = np.zeros((len(bound), words), dtype=np.int32)
        constrained = [i for i, row in enumerate(bound) if _is_constrained(row)]
        for i, row in enumerate(bound):
            if row.reasoning is not None:
                row.reasoning.fill(rows[i], row.matcher)
            elif _lets_through(row):
                row.matcher.fill(rows[i, : mask.words(row.matcher.width)])
        if constrained:
            rows[constrained] = self._constrained([bound[i] for i in constrained], words)
        for i, row in enumerate(bound):
            row.exclude(rows[i])
        return rows

    def _constrained(self, bound: list[Row], words: int) -> mask.Rows:
        rows = np.zeros((len(bound), words), dtype=np.int32)
        width = mask.words(bound[0].matcher.width)
        filled = rows if width == words else np.zeros((len(bound), width), dtype=np.int32)
        self._fill_many([row.matcher for row in bound], filled)
        if width != words:
            rows[:, :width] = filled
        for i in np.flatnonzero(~rows.any(axis=1)).tolist():
            bound[i].fault = MlxjsonError("the grammar allows no token here")
        return rows


def _sample(masked: mx.array, asked: list[tuple[int, Row]]) -> mx.array:
    """Ids (n,); those of rows that are not asked mean nothing."""
    ids = mx.argmax(masked, axis=-1).astype(mx.int32)
    drawn = [(at, row) for at, row in asked if row.sampling.temperature > 0]
    if drawn:
        places = mx.array([at for at, _ in drawn])
        draws = [sampler(row.sampling)(masked[at : at + 1], [row.key]) for at, row in drawn]
        ids = mx.put_along_axis(ids, places, mx.concatenate(draws).astype(mx.int32), axis=0)
    return _ends_for_stops(ids, asked)


def _ends_for_stops(ids: mx.array, asked: list[tuple[int, Row]]) -> mx.array:
    """Ids (n,) in which stop ids of rows that reason have become the end of their reasoning."""
    for at, row in asked:
        thinking = row.reasoning
        if thinking is not None and not thinking.free and thinking.stop_ids:
            stops = mx.array(sorted(thinking.stop_ids), dtype=mx.int32)
            is_stop = mx.any(ids[at] == stops) & (mx.arange(ids.shape[0]) == at)
            ids = mx.where(is_stop, thinking.end, ids)
    return ids


def _is_constrained(row: Row) -> bool:
    return row.reasoning is None and not _lets_through(row)


def _lets_through(row: Row) -> bool:
    return isinstance(row.matcher, Unconstrained)


def _is_free(row: Row, width: int) -> bool:
    """Whether every logit may be chosen: there is no constraint, and no padding."""
    return row.reasoning is None and _lets_through(row) and row.matcher.width >= width
