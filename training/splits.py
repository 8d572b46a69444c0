"""Which wording belongs to training and which to validation: decided by a hash, never by chance."""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import md5

TRAIN = "train"
VALIDATION = "validation"
_HELD_OUT = 0.17


def share(item: str) -> float:
    """A fixed number in [0, 1) for a piece of wording."""
    return int.from_bytes(md5(item.encode()).digest()[:6], "big") / 2**48


def part(items: Sequence[str], split: str) -> list[str]:
    """The items of one split; a single item is shared, since it can't be divided."""
    return list(_part(tuple(items), split))


@lru_cache(maxsize=65536)
def _part(items: tuple[str, ...], split: str) -> tuple[str, ...]:
    if len(items) < 2:
        return items
    ranked = sorted(items, key=share)
    held = max(1, round(len(items) * _HELD_OUT))
    chosen = set(ranked[:held] if split == VALIDATION else ranked[held:])
    return tuple(item for item in items if item in chosen)
