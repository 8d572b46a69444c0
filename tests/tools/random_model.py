"""Makes a model folder with random weights, to measure speed where no real model can be had.

    python -m tests.tools.random_model /tmp/qwen3-0.6b
    mlxjson bench -m /tmp/qwen3-0.6b

The shape of `qwen3-0.6b` is that of Qwen3-0.6B (its config.json); `small` has the same vocabulary
and little else. The tokenizer is the one in ../shared/tokenizers, or in the folder named.
"""

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

import mlx.core as mx

TOKENIZERS = Path(__file__).parents[3] / "shared" / "tokenizers"

_COMMON = {
    "architectures": ["Qwen3ForCausalLM"],
    "model_type": "qwen3",
    "attention_bias": False,
    "bos_token_id": 151643,
    "eos_token_id": 151645,
    "head_dim": 128,
    "hidden_act": "silu",
    "max_position_embeddings": 40960,
    "rms_norm_eps": 1e-6,
    "rope_scaling": None,
    "rope_theta": 1000000,
    "tie_word_embeddings": True,
    "vocab_size": 151936,
}
SHAPES: dict[str, dict[str, Any]] = {
    "qwen3-0.6b": {
        "hidden_size": 1024,
        "intermediate_size": 3072,
        "num_attention_heads": 16,
        "num_hidden_layers": 28,
        "num_key_value_heads": 8,
    },
    "small": {
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_attention_heads": 2,
        "num_hidden_layers": 2,
        "num_key_value_heads": 1,
        "head_dim": 32,
    },
}


def write(
    folder: Path,
    shape: str = "qwen3-0.6b",
    dtype: mx.Dtype = mx.bfloat16,
    seed: int = 0,
    tokenizers: Path = TOKENIZERS,
) -> None:
    """A folder with config.json, model.safetensors and the tokenizer."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {**_COMMON, **SHAPES[shape]}
    (folder / "config.json").write_text(json.dumps(config, indent=2))
    tokenizer = gzip.decompress((tokenizers / "qwen3.tokenizer.json.gz").read_bytes())
    (folder / "tokenizer.json").write_bytes(tokenizer)
    described = (tokenizers / "qwen3.tokenizer_config.json").read_bytes()
    (folder / "tokenizer_config.json").write_bytes(described)
    mx.save_safetensors(str(folder / "model.safetensors"), _weights(config, dtype, seed))


def _weights(config: dict[str, Any], dtype: mx.Dtype, seed: int) -> dict[str, mx.array]:
    """Normal weights scaled by their fan-in, so that activations stay finite; norms are 1."""
    mx.random.seed(seed)
    return {
        name: mx.ones(shape, dtype=dtype)
        if len(shape) == 1
        else (mx.random.normal(shape) * shape[-1] ** -0.5).astype(dtype)
        for name, shape in _shapes(config).items()
    }


def _shapes(config: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    width, inner, head = config["hidden_size"], config["intermediate_size"], config["head_dim"]
    queries, keys = head * config["num_attention_heads"], head * config["num_key_value_heads"]
    layer = {
        "self_attn.q_proj.weight": (queries, width),
        "self_attn.k_proj.weight": (keys, width),
        "self_attn.v_proj.weight": (keys, width),
        "self_attn.o_proj.weight": (width, queries),
        "self_attn.q_norm.weight": (head,),
        "self_attn.k_norm.weight": (head,),
        "mlp.gate_proj.weight": (inner, width),
        "mlp.up_proj.weight": (inner, width),
        "mlp.down_proj.weight": (width, inner),
        "input_layernorm.weight": (width,),
        "post_attention_layernorm.weight": (width,),
    }
    layers = {
        f"model.layers.{index}.{name}": shape
        for index in range(config["num_hidden_layers"])
        for name, shape in layer.items()
    }
    whole: dict[str, tuple[int, ...]] = {
        "model.embed_tokens.weight": (config["vocab_size"], width),
        "model.norm.weight": (width,),
    }
    return {**whole, **layers}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shape", choices=SHAPES, default="qwen3-0.6b")
    parser.add_argument("--dtype", choices=("bfloat16", "float16", "float32"), default="bfloat16")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tokenizers", type=Path, default=TOKENIZERS)
    chosen = parser.parse_args()
    write(chosen.folder, chosen.shape, getattr(mx, chosen.dtype), chosen.seed, chosen.tokenizers)


if __name__ == "__main__":
    main()
