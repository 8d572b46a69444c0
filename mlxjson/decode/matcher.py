"""What the loop asks of a constraint, and the constraint that allows everything."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mlxjson.decode.mask import all_below


class Forced(Protocol):
    """What comes next whatever the model says."""

    @property
    def ids(self) -> tuple[int, ...]:
        """The model need not be asked for these."""

    @property
    def held(self) -> tuple[int, ...]:
        """These write what is forced behind them, but the model may prefer longer ones."""


class Matcher(Protocol):
    """A constraint on ids, advanced one id at a time.

    A finished matcher is never filled, accepted into or sampled for again.
    """

    @property
    def width(self) -> int:
        """How many ids its masks cover: those from here up are never allowed."""

    @property
    def finished(self) -> bool:
        """A stop id was accepted."""

    @property
    def may_end(self) -> bool:
        """What was accepted so far is complete; more may still be allowed."""

    @property
    def must_end(self) -> bool:
        """Nothing but a stop id is allowed."""

    def accept(self, token_id: int) -> bool:
        """Advance by one id, or return False and stay."""

    def fill(self, row: NDArray[np.int32]) -> None:
        """Write the packed mask of the next id into `row`, int32 (ceil(width / 32),)."""

    def forced(self, limit: int) -> Forced:
        """At most `limit` ids of the one text that has to come next; nothing is accepted."""

    def rollback(self, count: int) -> None:
        """Take back the last `count` accepted ids."""


@dataclass(frozen=True, slots=True)
class _Nothing:
    ids: tuple[int, ...] = ()
    held: tuple[int, ...] = ()


_NOTHING = _Nothing()


class Unconstrained:
    """Every id of the tokenizer is allowed; the first stop id ends it."""

    def __init__(self, known: int, stop_ids: Iterable[int]) -> None:
        """Args: known: how many ids the tokenizer has; those from `known` up are padding."""
        self._known = known
        self._row = all_below(known, known)
        self._stop_ids = frozenset(stop_ids)
        self._accepted: list[int] = []

    @property
    def width(self) -> int:
        return self._known

    @property
    def finished(self) -> bool:
        return bool(self._accepted) and self._accepted[-1] in self._stop_ids

    @property
    def may_end(self) -> bool:
        return True

    @property
    def must_end(self) -> bool:
        return False

    def accept(self, token_id: int) -> bool:
        if self.finished or not 0 <= token_id < self._known:
            return False
        self._accepted.append(token_id)
        return True

    def fill(self, row: NDArray[np.int32]) -> None:
        row[:] = self._row

    def forced(self, limit: int) -> Forced:
        return _NOTHING

    def rollback(self, count: int) -> None:
        del self._accepted[len(self._accepted) - count :]
