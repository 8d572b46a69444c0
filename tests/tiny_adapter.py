"""Tiny random LoRA adapters for the models of `tiny_model`, in every form that is read."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

RANK = 3
SCALE = 2.0
LAYERS = (
    "model.layers.0.self_attn.q_proj",
    "model.layers.0.self_attn.k_proj",
    "model.layers.1.self_attn.o_proj",
    "model.layers.1.mlp.down_proj",
)
EMBEDDING = "model.embed_tokens"

Pairs = Mapping[str, tuple[Any, Any]]


def random_pairs(model: Any, names: Sequence[str] = LAYERS, seed: int = 1) -> Pairs:
    """B (rows, rank) and A (rank, columns) for each named layer of an mlx-lm model, float32."""
    random = np.random.default_rng(seed)
    layers = dict(model.named_modules())
    pairs = {}
    for name in names:
        rows, columns = layers[name].weight.shape
        b = random.normal(size=(rows, RANK)) / 4
        pairs[name] = b.astype(np.float32), random.normal(size=(RANK, columns)).astype(np.float32)
    return pairs


def changed(model: Any, pairs: Pairs) -> Any:
    """The model itself, with W + scale B A for its weights."""
    import mlx.core as mx

    layers = dict(model.named_modules())
    for name, (b, a) in pairs.items():
        layers[name].weight = layers[name].weight + mx.array(SCALE * b @ a)
    return model


def write_mlx_lm(folder: Path, pairs: Pairs, **config: Any) -> Path:
    """As mlx-lm's trainer writes it."""
    weights = {}
    for name, (b, a) in pairs.items():
        parts = (b, a) if name == EMBEDDING else (a.T, b.T)
        weights |= {f"{name}.lora_a": parts[0], f"{name}.lora_b": parts[1]}
    settings = {
        "fine_tune_type": "lora",
        "num_layers": 2,
        "lora_parameters": {"rank": RANK, "scale": SCALE, "dropout": 0.0},
    }
    return _write(folder, "adapters.safetensors", weights, settings | config)


def write_peft(folder: Path, pairs: Pairs, **config: Any) -> Path:
    """As PEFT's `save_pretrained` writes it."""
    weights = {}
    for name, (b, a) in pairs.items():
        if name == EMBEDDING:
            weights[f"base_model.model.{name}.lora_embedding_A"] = b.T
            weights[f"base_model.model.{name}.lora_embedding_B"] = a.T
        else:
            weights[f"base_model.model.{name}.lora_A.weight"] = a
            weights[f"base_model.model.{name}.lora_B.weight"] = b
    settings = {"peft_type": "LORA", "r": RANK, "lora_alpha": SCALE * RANK, "bias": "none"}
    return _write(folder, "adapter_model.safetensors", weights, settings | config)


def write_own(folder: Path, pairs: Pairs) -> Path:
    """As `training/` writes it: the scale in B, float16, rows as they lie in the GGUF file."""
    weights = {}
    for name, (b, a) in pairs.items():
        weights[f"{name}.lora_a"] = a.astype(np.float16)
        weights[f"{name}.lora_b"] = (SCALE * b).astype(np.float16)
    return _write(folder, "adapter.safetensors", weights, None)


def _write(folder: Path, name: str, weights: Mapping[str, Any], config: Any) -> Path:
    import mlx.core as mx

    folder.mkdir(parents=True, exist_ok=True)
    arrays = {key: mx.array(np.ascontiguousarray(value)) for key, value in weights.items()}
    mx.save_safetensors(str(folder / name), arrays)
    if config is not None:
        (folder / "adapter_config.json").write_text(json.dumps(config))
    return folder
