"""Choosing an id from logits: greedy, or by temperature, top-k and top-p.

Draws are keyed by seed and position in the output, not by the order in which they happen, so the
same seed gives the same text whether tokens come one at a time, are forced, or are drafted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mlx.core as mx

Sampler = Callable[[mx.array, Sequence[int]], mx.array]


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to choose. `temperature` 0 is greedy; `top_k` 0 and `top_p` 1 leave everything in."""

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    seed: int = 0


def sampler(how: Sampling) -> Sampler:
    """A function from logits (positions, width) and output positions to ids (positions,)."""
    if how.temperature <= 0:
        return lambda logits, _positions: mx.argmax(logits, axis=-1)
    return lambda logits, positions: _draw(logits, positions, how)


def _draw(logits: mx.array, positions: Sequence[int], how: Sampling) -> mx.array:
    scaled = _keep_top_p(_keep_top_k(_tempered(logits, how.temperature), how.top_k), how.top_p)
    drawn = [
        mx.random.categorical(row, key=_key(how.seed, position))
        for row, position in zip(scaled, positions, strict=True)
    ]
    return mx.stack(drawn)


def _tempered(logits: mx.array, temperature: float) -> mx.array:
    # Beyond these it is as good as greedy, or as even, and float32 would give infinities.
    return logits.astype(mx.float32) / min(max(temperature, 1e-6), 1e6)


def _key(seed: int, position: int) -> mx.array:
    return mx.random.key(((seed & 0xFFFFFFFF) << 32) | position)


def _keep_top_k(logits: mx.array, top_k: int) -> mx.array:
    if top_k <= 0 or top_k >= logits.shape[-1]:
        return logits
    least = mx.min(mx.topk(logits, top_k, axis=-1), axis=-1, keepdims=True)
    return mx.where(logits < least, -mx.inf, logits)


def _keep_top_p(logits: mx.array, top_p: float) -> mx.array:
    """Nucleus sampling: the smallest set of ids whose probabilities add up to `top_p`.

    Holtzman et al. 2020, "The Curious Case of Neural Text Degeneration".
    """
    if top_p >= 1:
        return logits
    order = mx.argsort(-logits, axis=-1)
    ranked = mx.take_along_axis(mx.softmax(logits, axis=-1), order, axis=-1)
    before = mx.cumsum(ranked, axis=-1) - ranked
    in_nucleus = (before < top_p) | (before <= 0)  # the likeliest stays also for 0
    kept = mx.put_along_axis(mx.zeros_like(before), order, in_nucleus.astype(mx.float32), -1)
    return mx.where(kept > 0, logits, -mx.inf)
