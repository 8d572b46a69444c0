"""Tiny random models in the format of a model folder, for every test that needs one to load."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content']"
    " + '<|im_end|>' + '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
_MERGES = ("Ġ t", "h e", "Ġt he", "i n", "e r", "a n", "o n", '" :', '": Ġ', "t r", "tr u", "tru e")

LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "intermediate_size": 64,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "rms_norm_eps": 1e-5,
    "max_position_embeddings": 512,
    "rope_theta": 10000.0,
    "tie_word_embeddings": True,
}


def tokenizer_json() -> dict[str, Any]:
    """A byte-level BPE tokenizer: three special tokens, 256 bytes, a dozen merges."""
    from mlxjson.model.pieces import BYTE_LEVEL_TABLE

    pieces = [*SPECIAL, *map(chr, BYTE_LEVEL_TABLE), *(m.replace(" ", "") for m in _MERGES)]
    added = [
        {"id": i, "content": text, "special": True, "normalized": False}
        | dict.fromkeys(("single_word", "lstrip", "rstrip"), False)
        for i, text in enumerate(SPECIAL)
    ]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False}
    return {
        "version": "1.0",
        "added_tokens": added,
        "pre_tokenizer": byte_level | {"use_regex": True},
        "decoder": byte_level | {"use_regex": True},
        "model": {
            "type": "BPE",
            "vocab": {piece: i for i, piece in enumerate(pieces)},
            "merges": [merge.split(" ") for merge in _MERGES],
        },
    }


def make_tiny_model(
    folder: Path,
    *,
    config: Mapping[str, Any] | None = None,
    padding: int = 16,
    quantise_bits: int = 0,
    template: str | None = CHATML,
    seed: int = 0,
) -> Path:
    """Write a random model into `folder` and return it.

    `config` changes entries of a two-layer llama; `padding` is how many logits there are past
    the vocabulary; `quantise_bits` quantises in groups of 32; the same seed, the same weights.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = tokenizer_json()
    width = len(tokenizer["model"]["vocab"]) + padding
    settings = {**LLAMA, "vocab_size": width, "eos_token_id": 2, **(config or {})}
    _write_weights(folder / "model.safetensors", settings, quantise_bits, seed)
    _write(folder / "config.json", settings)
    _write(folder / "tokenizer.json", tokenizer)
    named = {"bos_token": None, "eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}
    _write(folder / "tokenizer_config.json", {**named, "chat_template": template})
    _write(folder / "generation_config.json", {"eos_token_id": [2, 0]})
    return folder


def random_weights(config: Mapping[str, Any], seed: int = 0) -> Any:
    """An mlx-lm model of `config` with random weights."""
    import mlx.core as mx

    from mlxjson.model import lm

    mx.random.seed(seed)
    model_class, args_class = lm.classes(dict(config))
    model = model_class(args_class.from_dict(dict(config)))
    mx.eval(model.parameters())
    return model


def _write_weights(path: Path, config: dict[str, Any], bits: int, seed: int) -> None:
    model = random_weights(config, seed)
    import mlx.core as mx
    from mlx import nn
    from mlx.utils import tree_flatten

    if bits:
        nn.quantize(model, group_size=32, bits=bits)
        config["quantization"] = {"group_size": 32, "bits": bits}
    mx.save_safetensors(str(path), dict(tree_flatten(model.parameters())), {"format": "mlx"})


def _write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False), "utf-8")


def without(folder: Path, names: Sequence[str]) -> Path:
    """The folder with some of its files removed."""
    for name in names:
        (folder / name).unlink()
    return folder
