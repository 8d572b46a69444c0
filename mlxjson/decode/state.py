"""A model and what it has read: a cache that grows, and the ids that are still to be run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import mlx.core as mx

PREFILL_CHUNK = 256

Progress = Callable[[int, int], None]


class Network(Protocol):
    """A causal language model: ids (1, n) int32 and a cache to logits (1, n, width)."""

    @property
    def width(self) -> int:
        """How many logits there are."""

    def __call__(self, ids: mx.array, cache: list[Any]) -> mx.array:
        """Run the ids behind what the cache holds, and add them to it."""

    def make_cache(self) -> list[Any]:
        """An empty cache."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first `length` ids of a prompt, fewer than all: their cache, or who wants to keep it."""

    length: int
    cache: list[Any] | None
    keep: Callable[[list[Any]], None]


class State:
    """One sequence in a model.

    The cache is only appended to, except behind a draft, which needs one that can be trimmed.

    Attributes:
        pending: ids that are still to be run.
        can_trim: whether the last ids can be taken out of the cache.
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        self.restart([])

    def restart(self, ids: Sequence[int]) -> None:
        """An empty cache, with `ids` still to be run."""
        self._cache = self._network.make_cache()
        self.can_trim = trimmable(self._cache)
        self._cached = 0
        self.pending = list(ids)

    def begin(self, beginning: Beginning) -> None:
        """Take over a cache of the first ids, or run them by themselves and give it away."""
        if beginning.cache is not None:
            self._cache = beginning.cache
            self.can_trim = trimmable(self._cache)
        else:
            for start in range(0, beginning.length, PREFILL_CHUNK):
                self._run(self.pending[start : min(start + PREFILL_CHUNK, beginning.length)])
            beginning.keep(self._cache)
        self._cached = beginning.length
        del self.pending[: beginning.length]

    def prefill(self, progress: Progress | None = None) -> None:
        """Run all but the last pending id; the logits of these are never computed."""
        total = len(self.pending)
        while len(self.pending) > 1:
            chunk = self.pending[: min(PREFILL_CHUNK, len(self.pending) - 1)]
            self._run(chunk)
            self._cached += len(chunk)
            del self.pending[: len(chunk)]
            if progress is not None:
                progress(total - len(self.pending), total)

    def forward(self, draft: Sequence[int] = ()) -> mx.array:
        """Run what is pending and a draft behind it; the device starts on them at once.

        Returns: logits (len(draft) + 1, width) of the last pending id and of the draft.
        """
        ids = [*self.pending, *draft]
        logits = self._network(mx.array([ids], dtype=mx.int32), self._cache)[0, -len(draft) - 1 :]
        mx.async_eval(logits)
        self._cached += len(ids)
        return logits

    def shorten(self, ids: Sequence[int]) -> None:
        """Make the cache hold all but the last of `ids`, which it began with."""
        surplus = self._cached - (len(ids) - 1)
        if self.can_trim and surplus >= 0:
            self.trim(surplus)
            self.pending = list(ids[-1:])
        else:
            self.restart(ids)
            self.prefill()

    def trim(self, count: int) -> None:
        """Take the last `count` ids out of the cache."""
        for layer in self._cache:
            layer.trim(count)
        self._cached -= count

    def _run(self, ids: Sequence[int]) -> None:
        self._network(mx.array([ids], dtype=mx.int32), self._cache)
        mx.eval([layer.state for layer in self._cache])


def trimmable(cache: list[Any]) -> bool:
    """Whether the last ids can be taken out of a cache."""
    return all(hasattr(layer, "is_trimmable") and layer.is_trimmable() for layer in cache)
