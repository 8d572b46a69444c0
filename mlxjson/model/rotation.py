"""Rotary positions whose frequencies are divided one by one, as Llama 3's GGUF files ask."""

from typing import Any

import mlx.core as mx
from mlx import nn

from .lm import Model


class _ScaledRotation(nn.Module):  # type: ignore[misc, name-defined]
    """mlx-lm's rope modules take (x, offset); so does this one."""

    def __init__(self, dimensions: int, traditional: bool, periods: mx.array) -> None:
        super().__init__()
        self.dimensions = dimensions
        self.traditional = traditional
        self._periods = periods

    def __call__(self, x: mx.array, offset: int | mx.array = 0) -> mx.array:
        """Rotate x (batch, heads, positions, dimensions) from position `offset` on."""
        return mx.fast.rope(
            x,
            self.dimensions,
            traditional=self.traditional,
            base=None,
            scale=1.0,
            offset=offset,
            freqs=self._periods,
        )


def scaled_rotation(config: dict[str, Any]) -> Model:
    """The rotation of `config`, with its `rope_factors`: one divisor per frequency."""
    dimensions = config["head_dim"]
    exponents = mx.arange(0, dimensions, 2, dtype=mx.float32) / dimensions
    periods = config["rope_theta"] ** exponents * mx.array(config["rope_factors"], mx.float32)
    return _ScaledRotation(dimensions, config["rope_traditional"], periods)
