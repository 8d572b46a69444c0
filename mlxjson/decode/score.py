"""How likely a chosen id was among those that were allowed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Score:
    """Natural logarithms of probabilities under the mask, at temperature 1.

    Attributes:
        chosen: of the chosen id.
        ending: of all ids together that end what stands before (see `scorer`).
        likely: every id more likely than 1e-5, and its; int64 (n,) and float32 (n,).
        top: the likeliest ids and theirs, the likeliest first.
    """

    chosen: float
    ending: float
    likely: tuple[NDArray[np.int64], NDArray[np.float32]]
    top: tuple[tuple[int, float], ...] = ()


_UNLIKELY = np.log(1e-5)

# Masked logits (positions, width) and the chosen ids to a score for each.
Scorer = Callable[[mx.array, Sequence[int]], list[Score]]


def scorer(ends: Sequence[bool], top: int = 0) -> Scorer:
    """What scores choices.

    Args:
        ends: for each known id whether it ends what stands before it, say a number.
        top: how many of the likeliest ids to name, at most as many as are allowed.
    """

    known = np.array(ends, dtype=np.bool_)

    def scores(masked: mx.array, chosen: Sequence[int]) -> list[Score]:
        logprobs = log_probabilities(masked)
        picked = mx.take_along_axis(logprobs, mx.array(list(chosen))[:, None], axis=-1)[:, 0]
        ending = mx.logsumexp(mx.where(_padded(known, masked), logprobs, -mx.inf), axis=-1)
        rows = np.array(logprobs)
        return [
            Score(float(one), min(float(end), 0.0), _likely(row), _top(row, top))
            for one, end, row in zip(np.array(picked), np.array(ending), rows, strict=True)
        ]

    return scores


def log_probabilities(masked: mx.array) -> mx.array:
    """Float32 log-softmax over the last axis; forbidden ids have -inf."""
    logits = masked.astype(mx.float32)
    return logits - mx.logsumexp(logits, axis=-1, keepdims=True)


def _padded(known: NDArray[np.bool_], masked: mx.array) -> mx.array:
    padded = np.zeros(masked.shape[-1], dtype=np.bool_)
    width = min(len(known), len(padded))
    padded[:width] = known[:width]
    return mx.array(padded)


def _likely(row: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    ids = np.flatnonzero(row > _UNLIKELY)
    return ids, row[ids]


def _top(row: NDArray[np.float32], count: int) -> tuple[tuple[int, float], ...]:
    """The allowed ids with the highest values; the lower id first among equals."""
    if not count:
        return ()
    order = np.argsort(-row, kind="stable")[:count]
    return tuple((int(i), float(row[i])) for i in order if np.isfinite(row[i]))
