"""The starter as a PyTorch model with LoRA on every linear layer (Hu et al. 2021).

The base weights are the GGUF file's, dequantised, since the adapter is merged into these.
"""

from pathlib import Path

import torch
from torch import nn
from torch.nn import functional
from transformers import LlamaConfig, LlamaForCausalLM

from mlxjson.model import gguf_network
from mlxjson.model.gguf_header import read_header


class LoraLinear(nn.Module):
    """y = x (W + scale B A)^T, with W frozen; A is (rank, in), B is (out, rank)."""

    enabled = True

    def __init__(self, weight: torch.Tensor, rank: int, scale: float) -> None:
        super().__init__()
        self.register_buffer("weight", weight)
        self.scale = scale
        self.lora_a = nn.Parameter(torch.randn(rank, weight.shape[1]) / weight.shape[1] ** 0.5)
        self.lora_b = nn.Parameter(torch.zeros(weight.shape[0], rank))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weight = self.weight
        if LoraLinear.enabled:
            weight = weight + self.scale * (self.lora_b @ self.lora_a)
        return functional.linear(x, weight.to(x.dtype))


def load(path: Path, rank: int, scale: float, device: str, layers: int = 99) -> LlamaForCausalLM:
    """The model with fresh adapters; norms, embeddings and base weights don't train.

    Fewer `layers` than it has only serve to try the scripts out.
    """
    header = read_header(path)
    config = gguf_network.config(header)
    names = list(gguf_network.shapes(header))
    weights = {
        n: torch.from_numpy(w.copy())
        for n, w in zip(names, gguf_network.weights(header), strict=True)
    }
    heads = {"q_proj": config["num_attention_heads"], "k_proj": config["num_key_value_heads"]}
    for name, weight in weights.items():
        for part, count in heads.items():
            if f".{part}." in name:
                weights[name] = unpermuted(weight, count)
    kept = (
        "hidden_size",
        "num_hidden_layers",
        "intermediate_size",
        "num_attention_heads",
        "num_key_value_heads",
        "rms_norm_eps",
        "max_position_embeddings",
        "vocab_size",
        "tie_word_embeddings",
        "head_dim",
    )
    settings = {key: config[key] for key in kept}
    settings["num_hidden_layers"] = min(layers, settings["num_hidden_layers"])
    model = LlamaForCausalLM(
        LlamaConfig(
            **settings,
            rope_theta=config["rope_theta"],
            rope_parameters={"rope_type": "default", "rope_theta": config["rope_theta"]},
        )
    )
    model.load_state_dict(weights, strict=False)
    model.tie_weights()
    model.requires_grad_(False)
    _adapt(model, rank, scale)
    return model.to(device)


def _adapt(model: LlamaForCausalLM, rank: int, scale: float) -> None:
    for layer in model.model.layers:
        for part in (layer.self_attn, layer.mlp):
            for name, child in list(part.named_children()):
                if isinstance(child, nn.Linear):
                    setattr(part, name, LoraLinear(child.weight.data, rank, scale))


def unpermuted(weight: torch.Tensor, heads: int) -> torch.Tensor:
    """From llama.cpp, which puts rotary pairs side by side, to transformers, which does not."""
    rows = weight.reshape(heads, weight.shape[0] // heads // 2, 2, *weight.shape[1:])
    return rows.swapaxes(1, 2).reshape(weight.shape)


def permuted(weight: torch.Tensor, heads: int) -> torch.Tensor:
    """The other way round."""
    rows = weight.reshape(heads, 2, weight.shape[0] // heads // 2, *weight.shape[1:])
    return rows.swapaxes(1, 2).reshape(weight.shape)


def adapter(model: LlamaForCausalLM) -> dict[str, torch.Tensor]:
    """A and B of every layer by mlx-lm's names, in the row order of the GGUF file, in float16.

    The scale is part of B: the weight to use is W + B A.
    """
    heads = {"q_proj": model.config.num_attention_heads, "k_proj": model.config.num_key_value_heads}
    found = {}
    for name, layer in model.named_modules():
        if isinstance(layer, LoraLinear):
            b = layer.lora_b.detach() * layer.scale
            count = heads.get(name.rpartition(".")[2])
            b = permuted(b, count) if count else b
            found[f"{name}.lora_a"] = layer.lora_a.detach().half().cpu().contiguous()
            found[f"{name}.lora_b"] = b.half().cpu().contiguous()
    return found


def restore(model: LlamaForCausalLM, weights: dict[str, torch.Tensor]) -> None:
    """Put a saved adapter into a model of the same rank."""
    heads = {"q_proj": model.config.num_attention_heads, "k_proj": model.config.num_key_value_heads}
    for name, layer in model.named_modules():
        if isinstance(layer, LoraLinear):
            b = weights[f"{name}.lora_b"].float() / layer.scale
            count = heads.get(name.rpartition(".")[2])
            layer.lora_b.data.copy_(unpermuted(b, count) if count else b)
            layer.lora_a.data.copy_(weights[f"{name}.lora_a"].float())
