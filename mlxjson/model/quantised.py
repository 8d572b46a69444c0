"""Quantised weights: which layers hold them, and how to turn them back into float32.

MLX packs 32 / bits weights into a 32-bit word, with a scale (and a bias, in the affine mode) per
group. Config keys as mlx-lm writes them: `quantization`, or `quantization_config` of others.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlxjson.errors import ModelError

from . import lm
from .lm import Model

if TYPE_CHECKING:
    import mlx.core as mx

# Block-scaled modes have one (bits, group size) pair each, and keep their scales as bytes.
_MODES = {(4, 16): "nvfp4", (4, 32): "mxfp4", (8, 32): "mxfp8"}
_METHODS = {"mxfp4": (32, 4), "mxfp8": (32, 8)}


@dataclass(frozen=True, slots=True)
class Quantisation:
    """How a model is quantised. `layers` are the config's settings for single layers."""

    group_size: int
    bits: int
    mode: str
    layers: dict[str, Any]

    def apply(self, model: Model, weights: dict[str, mx.array]) -> None:
        """Replace the layers whose weights are quantised, before the weights go in."""
        from mlx import nn

        def settings(path: str, layer: Model) -> Any:
            if path in self.layers:
                return self.layers[path]
            if not hasattr(layer, "to_quantized") or f"{path}.scales" not in weights:
                return False
            return _as_packed(path, layer, weights)

        nn.quantize(  # type: ignore[attr-defined]
            model, self.group_size, self.bits, mode=self.mode, class_predicate=settings
        )


def quantisation_of(config: dict[str, Any], path: Path) -> Quantisation | None:
    """The quantisation that `config` tells of, None for plain weights.

    Raises:
        ModelError: a format of another framework that MLX can't compute with.
    """
    own = config.get("quantization")
    if isinstance(own, dict):
        layers = {key: value for key, value in own.items() if isinstance(value, dict | bool)}
        mode = str(own.get("mode", "affine"))
        return Quantisation(own.get("group_size", 64), own.get("bits", 4), mode, layers)
    other = config.get("quantization_config")
    if not isinstance(other, dict):
        return None
    method = str(other.get("quant_method", "unknown"))
    if method in _METHODS:
        group_size, bits = _METHODS[method]
        return Quantisation(group_size, bits, method, {})
    raise ModelError(
        f"the quantisation '{method}' is not supported",
        where=str(path),
        hint="Use an MLX version of the model: mlx_lm.convert makes one.",
    )


def _as_packed(path: str, layer: Model, weights: dict[str, mx.array]) -> dict[str, Any]:
    """Bits and group size as the shapes tell them: layers often differ from the default."""
    import mlx.core as mx

    inputs = layer.weight.shape[-1]
    scales = weights[f"{path}.scales"]
    group_size = inputs // scales.shape[-1]
    bits = 32 * weights[f"{path}.weight"].shape[-1] // inputs
    if scales.dtype != mx.uint8:
        return {"group_size": group_size, "bits": bits, "mode": "affine"}
    if (bits, group_size) not in _MODES:
        raise ModelError(f"layer {path}: {bits} bits in groups of {group_size} are not known")
    return {"group_size": group_size, "bits": bits, "mode": _MODES[bits, group_size]}


def dequantise(model: Model) -> bool:
    """Turn quantised layers into plain float32 ones; whether none is left quantised."""
    from mlx.utils import tree_unflatten

    plain, whole = [], True
    for name, layer in model.named_modules():
        if "scales" in layer:
            replacement = _plain(layer)
            whole = whole and replacement is not None
            if replacement is not None:
                plain.append((name, replacement))
    if plain:
        model.update_modules(tree_unflatten(plain))
    return whole


def _plain(layer: Model) -> Model | None:
    """The plain layer of the same weights; None for a kind that has no known counterpart."""
    import mlx.core as mx
    from mlx import nn

    switch = lm.module("switch_layers")
    kinds = {
        nn.QuantizedLinear: nn.Linear,  # type: ignore[attr-defined]
        nn.QuantizedEmbedding: nn.Embedding,  # type: ignore[attr-defined]
        switch.QuantizedSwitchLinear: switch.SwitchLinear,
    }
    kind = kinds.get(type(layer))
    if kind is None or layer.get("global_scale") is not None:
        return None
    affine = layer.mode == "affine"
    weight = mx.dequantize(
        layer.weight,
        layer.scales.astype(mx.float32) if affine else layer.scales,
        layer.biases.astype(mx.float32) if affine else None,
        layer.group_size,
        layer.bits,
        layer.mode,
    )
    options = {} if kind is nn.Embedding else {"bias": "bias" in layer}  # type: ignore[attr-defined]
    replacement = kind(*weight.shape[::-1], **options)
    replacement.weight = weight
    if "bias" in layer:
        replacement.bias = layer.bias
    return replacement
