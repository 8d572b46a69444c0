"""Tiny GGUF files, written with ggml's own package from mlx-lm models with random weights."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from gguf.quants import quantize

from mlxjson.model import gguf_network

from .tiny_model import CHATML, LLAMA, SPECIAL, random_weights, tokenizer_json

CONFIGS: dict[str, dict[str, Any]] = {
    "llama": LLAMA,
    "qwen2": LLAMA | {"model_type": "qwen2"},
    "qwen3": LLAMA | {"model_type": "qwen3", "head_dim": 16, "tie_word_embeddings": False},
}
_TO_GGUF = {name: stem for stem, name in gguf_network._NAMES.items()}


def write_gguf(
    path: Path,
    architecture: str = "llama",
    *,
    quantised: str = "F32",
    extra: Mapping[str, Any] | None = None,
    tokenizer: str = "gpt2",
    pre: str = "gpt-2",
) -> Any:
    """Write a random model to `path`; returns the mlx-lm model that has the same weights.

    Matrices get the type `quantised` and vectors stay F32, as llama.cpp's converter does it; for
    llama it also permutes the rows of q and k.
    """
    known = len(tokenizer_json()["model"]["vocab"])
    config = CONFIGS[architecture] | {"vocab_size": known, "hidden_size": 64}
    model = random_weights(config)
    writer = gguf.GGUFWriter(path, architecture)
    _add_config(writer, config)
    _add_tokenizer(writer, tokenizer, pre)
    for key, value in (extra or {}).items():
        add = writer.add_string if isinstance(value, str) else writer.add_uint32
        add(key, value)
    for name, value in _weights(model).items():
        _add_tensor(writer, name, value, config, quantised)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return model


def _weights(model: Any) -> dict[str, np.ndarray]:
    from mlx.utils import tree_flatten

    return {name: np.array(value) for name, value in tree_flatten(model.parameters())}


def _add_config(writer: Any, config: Mapping[str, Any]) -> None:
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_rope_freq_base(config["rope_theta"])
    if "head_dim" in config:
        writer.add_key_length(config["head_dim"])


def _add_tokenizer(writer: Any, model: str, pre: str) -> None:
    tokenizer = tokenizer_json()["model"]
    writer.add_tokenizer_model(model)
    writer.add_tokenizer_pre(pre)
    writer.add_token_list(list(tokenizer["vocab"]))
    control, normal = gguf.TokenType.CONTROL, gguf.TokenType.NORMAL
    writer.add_token_types([control if t in SPECIAL else normal for t in tokenizer["vocab"]])
    writer.add_token_merges([" ".join(pair) for pair in tokenizer["merges"]])
    writer.add_eos_token_id(2)
    writer.add_chat_template(CHATML)


def _add_tensor(
    writer: Any, name: str, value: np.ndarray, config: Mapping[str, Any], quantised: str
) -> None:
    layer, stem, kind = _split(name)
    if stem in ("attn_q", "attn_k") and config["model_type"] == "llama":
        value = _permuted(value, config["num_attention_heads" if stem[-1] == "q" else _KV])
    name = f"{layer}{stem}.{kind}"
    kind_of = gguf.GGMLQuantizationType[quantised]
    if value.ndim == 1 or quantised == "F32":
        writer.add_tensor(name, value)
    else:
        writer.add_tensor(name, quantize(value, kind_of), raw_dtype=kind_of)


_KV = "num_key_value_heads"


def _split(name: str) -> tuple[str, str, str]:
    """model.layers.3.self_attn.q_proj.weight -> blk.3., attn_q, weight."""
    layer = ""
    if name.startswith("model.layers."):
        _, _, number, name = name.split(".", 3)
        layer = f"blk.{number}."
    name, _, kind = name.rpartition(".")
    return layer, _TO_GGUF[name], kind


def _permuted(value: np.ndarray, heads: int) -> np.ndarray:
    """Rows of each head from halves to neighbouring pairs, as llama.cpp's converter has it."""
    halves = value.reshape(heads, 2, value.shape[0] // heads // 2, *value.shape[1:])
    return halves.swapaxes(1, 2).reshape(value.shape)


def write_sentence_piece(path: Path, pieces: list[str], scores: list[float]) -> None:
    """Write a GGUF file that holds a SentencePiece tokenizer and no weights.

    `pieces` as Llama 2 has them: <unk>, <s>, </s>, 256 bytes, then text.
    """
    kinds = gguf.TokenType
    special = [kinds.UNKNOWN, kinds.CONTROL, kinds.CONTROL] + [kinds.BYTE] * 256
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tokenizer_model("llama")
    writer.add_token_list(pieces)
    writer.add_token_scores(scores)
    writer.add_token_types(special + [kinds.NORMAL] * (len(pieces) - 259))
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
