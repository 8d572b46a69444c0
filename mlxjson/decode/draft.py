"""Guessing the next tokens by looking the last ones up in what was said before.

Prompt lookup (Saxena 2023): extraction copies values out of its prompt, so the continuation of
the latest earlier occurrence of the last n tokens is a good guess of the next ones.
"""

from collections.abc import Sequence
from typing import Protocol

NGRAMS = (3, 2, 1)
# Misses in a row before the first pause, and before each that is twice as long.
_PATIENCE = 3
_LONGEST_PAUSE = 15


class Lookup(Protocol):
    """Guesses how a growing sequence of ids goes on."""

    def extend(self, ids: Sequence[int]) -> None:
        """Append ids."""

    def guess(self, behind: Sequence[int], limit: int) -> Sequence[int]:
        """At most `limit` ids that may follow the sequence and then `behind`."""


class PromptLookup:
    """An index of the n-grams of a growing sequence of ids, for n in 3, 2, 1."""

    def __init__(self) -> None:
        self._ids: list[int] = []
        self._after: dict[tuple[int, ...], int] = {}

    def extend(self, ids: Sequence[int]) -> None:
        """Append ids. An n-gram is entered once something follows it, the latest one wins."""
        for token_id in ids:
            here = len(self._ids)
            for n in NGRAMS:
                if here >= n:
                    self._after[tuple(self._ids[here - n : here])] = here
            self._ids.append(token_id)

    def guess(self, behind: Sequence[int], limit: int) -> Sequence[int]:
        """At most `limit` ids that may follow the sequence and then `behind`."""
        tail = (*self._ids[-NGRAMS[0] :], *behind)[-NGRAMS[0] :]
        for n in NGRAMS:
            start = self._after.get(tuple(tail[-n:])) if len(tail) >= n else None
            if start is not None:
                return self._ids[start : start + limit]
        return ()


class Pace:
    """How many ids to draft: half as many once nothing was right, twice as many once all was.

    After some drafts in a row of which nothing was right there are pauses, each twice as long as
    the last, so that a text that repeats nothing costs hardly more than without drafts.
    """

    def __init__(self, most: int) -> None:
        """Args: most: never more than this; 0 for no drafts."""
        self._most = most
        self._least = min(2, most)
        self._length = max(self._least, most // 2)
        self._misses = 0
        self._pause = 0

    def next(self) -> int:
        """The most ids to draft now."""
        if self._pause:
            self._pause -= 1
            return 0
        return self._length

    def note(self, drafted: int, accepted: int) -> None:
        """Take account of a draft of `drafted` ids of which `accepted` were right."""
        if accepted:
            self._misses = 0
        if drafted and accepted == drafted:
            self._length = min(self._most, 2 * self._length)
        elif drafted and not accepted:
            self._length = max(self._least, self._length // 2)
            self._misses += 1
            self._pause = min(2 ** (self._misses // _PATIENCE) - 1, _LONGEST_PAUSE)
