"""An adapter's changes put into a model: added to plain weights, kept beside quantised ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import mlx.core as mx
from mlx import nn

from mlxjson.errors import ModelError

from .adapter import Adapter, Change, Form, changes
from .lm import Model

if TYPE_CHECKING:
    from .gguf_types import Floats


class Beside(nn.Module):  # type: ignore[misc, name-defined]
    """A quantised layer and its change: y = layer(x) + x A^T B^T.

    Adding the change to the weights and quantising these again would lose most of it.
    """

    def __init__(self, layer: Model, change: Change) -> None:
        super().__init__()
        dtype = layer.scales.dtype if layer.scales.dtype != mx.uint8 else mx.bfloat16
        self.layer = layer
        self.down = change.a.T.astype(dtype)
        self.up = change.b.T.astype(dtype)

    def __call__(self, x: mx.array) -> mx.array:
        """What the changed layer gives for `x`."""
        y: mx.array = self.layer(x)
        return y + self.as_change(x).astype(y.dtype)

    def as_change(self, x: mx.array) -> mx.array:
        """What the change alone gives for `x` (.., in)."""
        return (x @ self.down) @ self.up


def merge(model: Model, adapter: Adapter, *, spread: bool = False) -> None:
    """Change the layers of `model` that the adapter names. `spread`: it is to be split later.

    Raises:
        ModelError: the adapter is damaged or belongs to another model.
    """
    if adapter.form is Form.OWN:
        raise ModelError(
            "this adapter belongs to a GGUF file, not to a model folder", where=str(adapter.path)
        )
    layers = dict(model.named_modules())
    kept: list[tuple[str, Model]] = []
    for name, change in changes(adapter).items():
        path = _path(name, layers, adapter)
        layer = layers[path]
        _check_shape(name, change, _shape(layer), adapter)
        if "scales" not in layer:
            layer.weight = _sum(layer.weight, change)
        elif spread or type(layer) is not nn.QuantizedLinear:  # type: ignore[attr-defined]
            raise ModelError(
                f"an adapter can't be kept beside the quantised layer {path}",
                where=str(adapter.path),
                hint="Fuse it into the model: mlx_lm.fuse does that.",
            )
        else:
            kept.append((path, Beside(layer, change)))
    _replace(model, kept)


def merged(
    shapes: Mapping[str, tuple[int, ...]],
    weights: Iterable[Floats],
    adapter: Adapter,
    config: dict[str, Any],
) -> Iterator[Floats]:
    """`weights` of a GGUF file, float32, in the order of `shapes`, with the changes added.

    Raises:
        ModelError: the adapter is damaged or belongs to another model.
    """
    import numpy as np

    left = changes(adapter)
    for name in left:
        if f"{name}.weight" not in shapes:
            raise _foreign(name, adapter)
    for key, values in zip(shapes, weights, strict=True):
        change = left.pop(key.removesuffix(".weight"), None) if key.endswith(".weight") else None
        if change is None:
            yield values
            continue
        _check_shape(key, change, values.shape, adapter)
        delta = np.asarray(change.b) @ np.asarray(change.a)
        yield values + _in_file_order(key, delta, adapter, config)


def _in_file_order(key: str, delta: Floats, adapter: Adapter, config: dict[str, Any]) -> Floats:
    """llama.cpp's converter puts the rows of q and k that are rotated together side by side."""
    heads = {"q_proj": "num_attention_heads", "k_proj": "num_key_value_heads"}
    part = key.split(".")[-2]
    if adapter.form is Form.OWN or config["model_type"] != "llama" or part not in heads:
        return delta
    count = config[heads[part]]
    rows = delta.reshape(count, 2, delta.shape[0] // count // 2, -1)
    return rows.swapaxes(1, 2).reshape(delta.shape)


def _sum(weight: mx.array, change: Change) -> mx.array:
    return (weight.astype(mx.float32) + change.b @ change.a).astype(weight.dtype)


def _path(name: str, layers: Mapping[str, Model], adapter: Adapter) -> str:
    """The layer's path in the model, which may hold the language model as a part."""
    found = [path for path in layers if path == name or path.endswith(f".{name}")]
    if len(found) != 1 or "weight" not in layers[found[0]]:
        raise _foreign(name, adapter)
    return found[0]


def _shape(layer: Model) -> tuple[int, ...]:
    shape: tuple[int, ...] = layer.weight.shape
    return (*shape[:-1], shape[-1] * 32 // layer.bits) if "scales" in layer else shape


def _check_shape(name: str, change: Change, shape: tuple[int, ...], adapter: Adapter) -> None:
    if change.shape != tuple(shape):
        raise ModelError(
            f"the adapter is for another model: {name} is {shape}, its change {change.shape}",
            where=str(adapter.path),
        )


def _foreign(name: str, adapter: Adapter) -> ModelError:
    return ModelError(
        f"the adapter is for another model: there is no layer {name}", where=str(adapter.path)
    )


def _replace(model: Model, layers: list[tuple[str, Model]]) -> None:
    from mlx.utils import tree_unflatten

    if layers:
        model.update_modules(tree_unflatten(layers))
