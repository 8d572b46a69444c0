"""What prompts have in common at their beginning, run once.

Rows of a batch mostly differ in a document at the end: instructions and schema before it are the
same. A beginning that comes a second time is run by itself, and its cache is kept.
"""

from collections import OrderedDict, deque
from collections.abc import Sequence
from typing import Any

import mlx.core as mx

from mlxjson.decode.state import PREFILL_CHUNK, Network

# Shorter ones cost less to run than to look after.
_SHORTEST = 32
_MOST_KEPT = 8
_MOST_COMPARED = 16


class Prefixes:
    """Caches of the beginnings of prompts, the latest ones."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._kept: OrderedDict[tuple[int, ...], list[Any]] = OrderedDict()
        self._recent: deque[Sequence[int]] = deque(maxlen=_MOST_COMPARED)

    def note(self, ids: Sequence[int]) -> None:
        """Say that a prompt is to come, before asking for the cache of any that come with it."""
        self._recent.append(ids)

    def cache_for(self, ids: Sequence[int]) -> tuple[list[Any] | None, int]:
        """A cache of the beginning of `ids`, and how many ids it holds: never all of them.

        The cache is shared: it may be copied from, not extended.
        """
        known = max((k for k in self._kept if starts_with(ids, k)), key=len, default=())
        others = (other for other in self._recent if other is not ids)
        common = max((common_length(ids, other) for other in others), default=0)
        common = min(common, len(ids) - 1)
        if common - len(known) >= _SHORTEST:
            known = tuple(ids[:common])
            self._keep(known)
        if not known:
            return None, 0
        self._kept.move_to_end(known)
        return self._kept[known], len(known)

    def _keep(self, ids: tuple[int, ...]) -> None:
        cache = self._network.make_cache()
        for start in range(0, len(ids), PREFILL_CHUNK):
            chunk = mx.array([ids[start : start + PREFILL_CHUNK]], dtype=mx.int32)
            self._network(chunk, cache)
            mx.eval([layer.state for layer in cache])
        self._kept[ids] = cache
        if len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)


def starts_with(ids: Sequence[int], start: tuple[int, ...]) -> bool:
    """Whether `ids` begin with `start` and go on."""
    return len(ids) > len(start) and tuple(ids[: len(start)]) == start


def common_length(one: Sequence[int], other: Sequence[int]) -> int:
    """How many ids two sequences share at their beginning."""
    length = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        length += 1
    return length
