"""Guessing the next tokens by looking the last ones up in what was said before.

Prompt lookup (Saxena 2023): extraction copies values out of its prompt, so the continuation of
the latest earlier occurrence of the last n tokens is a good guess of the next ones.
"""

from collections.abc import Sequence
from typing import Protocol

NGRAMS = (3, 2, 1)


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

    So a text that repeats nothing costs little more than without drafts.
    """

    def __init__(self, most: int) -> None:
        """Args: most: never more than this; 0 for no drafts."""
        self._most = most
        self._least = min(2, most)
        self.length = max(self._least, most // 2)

    def note(self, drafted: int, accepted: int) -> None:
        """Take account of a draft of `drafted` ids of which `accepted` were right."""
        if drafted and accepted == drafted:
            self.length = min(self._most, 2 * self.length)
        elif drafted and not accepted:
            self.length = max(self._least, self.length // 2)
