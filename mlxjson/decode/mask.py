"""Token masks on the device: packed bits in, masked logits out."""

from functools import partial

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

Row = NDArray[np.int32]
Rows = NDArray[np.int32]


def words(width: int) -> int:
    """How many int32 words hold one bit for each of `width` ids."""
    return (width + 31) // 32


def empty_rows(count: int, width: int) -> Rows:
    """Packed masks for `count` positions.

    Returns an int32 array of shape (count, ceil(width / 32)); bit i % 32 of word i // 32 says
    whether id i is allowed, as xgrammar packs it.
    """
    return np.zeros((count, words(width)), dtype=np.int32)


def all_below(width: int, known: int) -> Row:
    """A packed row of `width` ids in which those below `known` are allowed."""
    bits = np.zeros(words(width) * 32, dtype=np.uint8)
    bits[:known] = 1
    return np.packbits(bits, bitorder="little").view(np.int32)


def allow(row: Row, token_id: int) -> None:
    """Set one id's bit in one packed row, in place."""
    row.view(np.uint32)[token_id // 32] |= np.uint32(1 << (token_id % 32))


def forbid(row: Row, token_id: int) -> None:
    """Clear one id's bit in one packed row, in place."""
    row.view(np.uint32)[token_id // 32] &= np.uint32(0xFFFFFFFF ^ (1 << (token_id % 32)))


@partial(mx.compile, shapeless=False)
def _masked(logits: mx.array, packed: mx.array) -> mx.array:
    bits = (packed[..., None] >> mx.arange(32, dtype=mx.uint32)) & 1
    allowed = bits.reshape(packed.shape[0], -1)[:, : logits.shape[-1]]
    return mx.where(allowed == 1, logits, mx.array(-mx.inf, dtype=logits.dtype))


def apply(logits: mx.array, rows: Rows) -> mx.array:
    """Set the logits of forbidden ids to -inf.

    Args:
        logits: (positions, width), any float dtype.
        rows: (positions, ceil(width / 32)) int32, packed as in `empty_rows`.
    """
    return _masked(logits, mx.array(rows.view(np.uint32)))
