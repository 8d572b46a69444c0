"""Token masks: one bit per id, 32 to an int32 word, low bit first, 1 = allowed."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.int32]


def mask_words(width: int) -> int:
    """How many int32 words a mask over `width` ids takes."""
    return (width + 31) // 32


def empty_mask(width: int, rows: int | None = None) -> Words:
    """A mask that allows nothing: shape (words,), or (rows, words)."""
    words = mask_words(width)
    return np.zeros(words if rows is None else (rows, words), dtype=np.int32)


def trim(rows: Words, width: int) -> None:
    """Clear the bits past `width` in the last word of every row, which xgrammar leaves set."""
    spare = -width % 32
    if spare:
        rows[..., -1] &= np.int32((1 << (32 - spare)) - 1)


def allowed_ids(row: Words) -> NDArray[np.int64]:
    """The ids that `row` (shape (words,)) allows, ascending."""
    words = np.flatnonzero(row)
    bits = np.unpackbits(row[words].view(np.uint8), bitorder="little").reshape(-1, 32)
    at, bit = np.nonzero(bits)
    return words[at] * 32 + bit


def is_allowed(row: Words, token_id: int) -> bool:
    """Whether `row` allows `token_id`."""
    return bool((int(row[token_id >> 5]) >> (token_id & 31)) & 1)


def mask_of(ids: Iterable[int], width: int) -> Words:
    """The mask that allows exactly `ids` (each below `width`)."""
    bits = np.zeros(mask_words(width) * 32, dtype=np.uint8)
    bits[list(ids)] = 1
    return np.packbits(bits, bitorder="little").view(np.int32)
