"""Forced text cut into the ids that the model itself would have used."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Forced:
    """What comes next whatever the model says.

    Attributes:
        ids: to be emitted without asking the model.
        held: the ids after those, which write forced text too, but which the model might write
            with a longer token that goes on past the forced text. A good draft, not more.
    """

    ids: tuple[int, ...]
    held: tuple[int, ...]


def split(ids: Sequence[int], held: int, limit: int) -> Forced:
    """`ids` with the last `held` of them held back, cut to `limit` ids to emit."""
    kept = len(ids) - held
    return Forced(tuple(ids[: min(kept, limit)]), tuple(ids[kept:]) if kept <= limit else ())


def fits(ids: Sequence[int], text: bytes, tokens: Sequence[bytes]) -> bool:
    """Whether `ids` write exactly `text`, each of them a part of it."""
    if not all(0 <= i < len(tokens) and tokens[i] for i in ids):
        return False
    return b"".join(tokens[i] for i in ids) == text


def goes_on(text: bytes, ids: Iterable[int], tokens: Sequence[bytes]) -> bool:
    """Whether one of `ids` writes `text` and more in one token."""
    return any(len(tokens[i]) > len(text) and tokens[i].startswith(text) for i in ids)
