"""The forward pass of training: one function of tensors per layer, so that it compiles once."""

import logging
from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional

Adapted = tuple[torch.Tensor, torch.Tensor, torch.Tensor]
_PARTS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
_HEAD = 64


def _merged(layer: Adapted, scale: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    weight, a, b = layer
    return (weight + scale * (b @ a)).to(dtype)


def _rotated(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat((-second, first), -1) * sin


def block(
    x: torch.Tensor,
    cos: torch.Tensor,
    sin: torch.Tensor,
    norms: tuple[torch.Tensor, torch.Tensor],
    eps: float,
    parts: tuple[Adapted, ...],
    scale: torch.Tensor,
) -> torch.Tensor:
    """One decoder layer over x (rows, length, width), padded at the right; causal attention."""
    rows, length, width = x.shape
    q, k, v, o, gate, up, down = (_merged(part, scale, x.dtype) for part in parts)

    def heads(y: torch.Tensor) -> torch.Tensor:
        return y.view(rows, length, -1, _HEAD).transpose(1, 2)

    h = functional.rms_norm(x, (width,), norms[0], eps)
    queries = _rotated(heads(functional.linear(h, q)), cos, sin)
    keys = _rotated(heads(functional.linear(h, k)), cos, sin)
    values = heads(functional.linear(h, v))
    seen = functional.scaled_dot_product_attention(
        queries, keys, values, is_causal=True, enable_gqa=True
    )
    x = x + functional.linear(seen.transpose(1, 2).reshape(rows, length, width), o)
    h = functional.rms_norm(x, (width,), norms[1], eps)
    return x + functional.linear(
        functional.silu(functional.linear(h, gate)) * functional.linear(h, up), down
    )


class Forward:
    """Hidden states of a model of `training.network`, compiled where that works."""

    def __init__(self, model: Any, compiled: bool) -> None:
        self.model = model
        self.block: Callable[..., torch.Tensor] = (
            torch.compile(block, dynamic=True) if compiled else block
        )
        self.layers = [self._tensors(layer) for layer in model.model.layers]
        device = next(model.parameters()).device
        self.on = torch.tensor(self.layers[0][2], device=device)
        self.off = torch.zeros((), device=device)

    @staticmethod
    def _tensors(layer: Any) -> tuple[Any, Any, float]:
        found = [
            getattr(layer.self_attn, name, None) or getattr(layer.mlp, name) for name in _PARTS
        ]
        norms = (layer.input_layernorm.weight, layer.post_attention_layernorm.weight)
        return (
            norms,
            tuple((part.weight, part.lora_a, part.lora_b) for part in found),
            found[0].scale,
        )

    def __call__(self, ids: torch.Tensor, adapted: bool = True) -> torch.Tensor:
        """Normed hidden states (rows, length, width) of ids (rows, length)."""
        model = self.model.model
        x = model.embed_tokens(ids)
        cos, sin = model.rotary_emb(x, torch.arange(ids.shape[1], device=ids.device)[None])
        eps = self.model.config.rms_norm_eps
        for norms, parts, _ in self.layers:
            x = self.block(
                x, cos[:, None], sin[:, None], norms, eps, parts, self.on if adapted else self.off
            )
        return functional.rms_norm(x, (x.shape[-1],), model.norm.weight, eps)

    def fall_back(self, error: Exception) -> None:
        logging.getLogger(__name__).warning("not compiled: %s", str(error)[:300])
        self.block = block
