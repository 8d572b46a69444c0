"""A GGUF file -> a model, quantised as it is stored or as float32."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import gguf_network as names
from . import memory, weights_cache
from .adapter import Adapter
from .files import ModelFiles
from .gguf_header import GgufHeader, read_header
from .lm import Model
from .network import Prepare, build, read_arrays

if TYPE_CHECKING:
    import mlx.core as mx

    from .gguf_types import Floats

_GROUP = 32


def load_gguf(
    files: ModelFiles, *, float32: bool, kept: Path | None = None, split: Prepare | None = None
) -> tuple[Model, dict[str, Any]]:
    """The model and its config.

    With `float32` the weights are converted, and written to `kept` for the next start. Without,
    types that MLX knows stay as stored and others become bfloat16; so do all when there is an
    adapter, whose changes are lost on weights of four bits.

    Raises:
        ModelError: see `gguf_header.read_header`, `gguf_network.config` and `adapted.merged`.
    """
    header, adapter = read_header(files.path), files.adapter
    config = names.config(header)
    config["rope_factors"] = names.rope_factors(header)
    if float32:
        return build(config, _as_float32(header, config, kept, adapter), split=split), config
    is_native = {entry.type for entry in header.tensors.values()} <= names.NATIVE_TYPES
    if is_native and adapter is None:
        weights = _as_stored(files.path)
        return build(config, weights, _quantise, split=split), config
    return build(config, _as_bfloat16(header, config, kept, adapter), split=split), config


def _as_float32(
    header: GgufHeader, config: dict[str, Any], kept: Path | None, adapter: Adapter | None
) -> dict[str, mx.array]:
    import mlx.core as mx

    shapes = names.shapes(header)
    size = 4 * sum(prod(shape) for shape in shapes.values())
    memory.check_fits(size, str(header.path))
    if kept is not None and weights_cache.has_room(kept, size):
        weights_cache.write(kept, shapes, _values(header, config, adapter), config)
        if weights_cache.is_whole(kept):
            return read_arrays(kept)[0]
    pairs = zip(shapes, _values(header, config, adapter), strict=True)
    return {key: mx.array(values) for key, values in pairs}


def _values(
    header: GgufHeader, config: dict[str, Any], adapter: Adapter | None
) -> Iterator[Floats]:
    """The float32 values of all weights, one at a time, in the order of `gguf_network.shapes`."""
    if adapter is None:
        return names.weights(header)
    from .adapted import merged

    return merged(names.shapes(header), names.weights(header), adapter, config)


def _as_bfloat16(
    header: GgufHeader, config: dict[str, Any], kept: Path | None, adapter: Adapter | None
) -> dict[str, mx.array]:
    import mlx.core as mx

    shapes = names.shapes(header)
    if kept is not None and weights_cache.has_room(kept, 2 * sum(map(prod, shapes.values()))):
        values = _values(header, config, adapter)
        weights_cache.write(kept, shapes, values, config, half=True)
        if weights_cache.is_whole(kept):
            return read_arrays(kept)[0]
    pairs = zip(shapes, _values(header, config, adapter), strict=True)
    return {key: mx.array(values).astype(mx.bfloat16) for key, values in pairs}


def _as_stored(path: Path) -> dict[str, mx.array]:
    """MLX's own reader: weight, scales and biases of each quantised tensor, in groups of 32."""
    loaded, _ = read_arrays(path)
    return {names.name(key): value for key, value in loaded.items() if key != names.ROPE_FACTORS}


def _quantise(model: Model, weights: dict[str, mx.array]) -> None:
    from mlx import nn

    def parameters(path: str, layer: Model) -> bool | dict[str, int]:
        scales = weights.get(f"{path}.scales")
        if scales is None or not hasattr(layer, "to_quantized"):
            return False
        bits = 32 * weights[f"{path}.weight"].shape[-1] // (_GROUP * scales.shape[-1])
        return {"group_size": _GROUP, "bits": bits}

    nn.quantize(  # type: ignore[attr-defined]
        model, class_predicate=parameters
    )
