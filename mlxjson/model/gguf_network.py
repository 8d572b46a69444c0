"""A GGUF file as mlx-lm knows models: a config and weights by mlx-lm's names.

llama.cpp permutes the rows of q and k of the llama architecture so that rotary pairs lie side by
side; mlx's "traditional" rotation is the same pairing, so the rows stay as they are.
"""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from mlxjson.errors import ModelError

from .gguf_header import GgufHeader
from .gguf_types import Floats, dequantise

ARCHITECTURES = ("llama", "qwen2", "qwen3")
# What `mx.load` reads as it is stored.
NATIVE_TYPES = frozenset({"F32", "F16", "Q4_0", "Q4_1", "Q8_0"})
# Per-frequency divisors of long-context Llama 3: no weight, part of the rotation.
ROPE_FACTORS = "rope_freqs.weight"

_NAMES = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_LAYER = re.compile(r"blk\.(\d+)\.(.+)")


def config(header: GgufHeader) -> dict[str, Any]:
    """The config of the model class, as config.json would have it.

    Raises:
        ModelError: an architecture, split or rotation that isn't supported, or a missing value.
    """
    _check_supported(header)
    values = {
        "model_type": header.architecture,
        "hidden_size": _needed(header, "embedding_length"),
        "num_hidden_layers": _needed(header, "block_count"),
        "intermediate_size": _needed(header, "feed_forward_length"),
        "num_attention_heads": _needed(header, "attention.head_count"),
        "rms_norm_eps": _needed(header, "attention.layer_norm_rms_epsilon"),
        "max_position_embeddings": _needed(header, "context_length"),
        "vocab_size": _rows(header, "token_embd.weight"),
        "tie_word_embeddings": "output.weight" not in header.tensors,
        "rope_theta": header.of_architecture("rope.freq_base", 10000.0),
        "rope_scaling": _rope_scaling(header),
        "rope_traditional": header.architecture == "llama",
        "attention_bias": "blk.0.attn_q.bias" in header.tensors,
    }
    heads = values["num_attention_heads"]
    values["num_key_value_heads"] = header.of_architecture("attention.head_count_kv", heads)
    values["head_dim"] = header.of_architecture(
        "attention.key_length", values["hidden_size"] // heads
    )
    return values


def name(tensor: str) -> str:
    """mlx-lm's name of a GGUF tensor: output_norm.weight -> model.norm.weight.

    Raises:
        ModelError: a tensor that these architectures don't have.
    """
    match = _LAYER.fullmatch(tensor)
    prefix, rest = (f"model.layers.{match[1]}.", match[2]) if match else ("", tensor)
    stem, _, kind = rest.rpartition(".")
    if stem not in _NAMES:
        raise ModelError(f"the GGUF file has a tensor that is not supported: {tensor}")
    return f"{prefix}{_NAMES[stem]}.{kind}"


def shapes(header: GgufHeader) -> dict[str, tuple[int, ...]]:
    """The shapes of all weights by mlx-lm's names, in file order."""
    return {name(key): entry.shape for key, entry in header.tensors.items() if key != ROPE_FACTORS}


def weights(header: GgufHeader) -> Iterator[Floats]:
    """The float32 values of all weights, one at a time, in the order of `shapes`."""
    data = np.memmap(header.path, np.uint8, "r")
    for key, entry in header.tensors.items():
        if key != ROPE_FACTORS:
            yield dequantise(data[entry.start : entry.start + entry.size], entry)


def rope_factors(header: GgufHeader) -> list[float] | None:
    """The divisor of each rotary frequency (head_dim / 2 of them), where the file has them."""
    entry = header.tensors.get(ROPE_FACTORS)
    if entry is None:
        return None
    data = np.memmap(header.path, np.uint8, "r", offset=entry.start, shape=(entry.size,))
    factors: list[float] = dequantise(np.asarray(data), entry).tolist()
    return factors


def _check_supported(header: GgufHeader) -> None:
    where = str(header.path)
    if header.architecture not in ARCHITECTURES:
        raise ModelError(
            f"GGUF architecture '{header.architecture}' is not supported",
            where=where,
            hint=f"Supported are {', '.join(ARCHITECTURES)}; for others use an MLX model folder.",
        )
    if header.metadata.get("split.count", 1) > 1:
        raise ModelError("GGUF files that are split in parts are not supported", where=where)
    if header.of_architecture("expert_count", 0):
        raise ModelError("GGUF files with mixtures of experts are not supported", where=where)


def _needed(header: GgufHeader, key: str) -> Any:
    value = header.of_architecture(key)
    if not isinstance(value, int | float) or value <= 0:
        raise ModelError(
            f"the GGUF file gives no usable {header.architecture}.{key}", where=str(header.path)
        )
    return value


def _rows(header: GgufHeader, tensor: str) -> int:
    entry = header.tensors.get(tensor)
    if entry is None or len(entry.shape) != 2:
        raise ModelError(f"the GGUF file has no tensor {tensor}", where=str(header.path))
    return entry.shape[0]


def _rope_scaling(header: GgufHeader) -> dict[str, Any] | None:
    kind = header.of_architecture("rope.scaling.type", "none")
    if kind in ("none", None):
        return None
    if kind not in ("linear", "yarn"):
        raise ModelError(f"rope scaling '{kind}' is not supported", where=str(header.path))
    scaling = {"type": kind, "factor": header.of_architecture("rope.scaling.factor", 1.0)}
    original = header.of_architecture("rope.scaling.original_context_length")
    if kind == "yarn" and original:
        scaling["original_max_position_embeddings"] = original
    return scaling
