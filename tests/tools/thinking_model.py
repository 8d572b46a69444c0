"""Makes a model folder whose weights are a script: what it writes depends on the last token only.

    python -m tests.tools.thinking_model thinker
    mlxjson gen -m thinker -s 'total: num' "Three at 4.50, one at 2." --show-thinking

A llama of random weights whose attention and feed-forward layers add nothing, so that the last
token's embedding reaches the output layer as it is; there it makes one token the likeliest. So a
model that reasons, or does not, can be run from the command line wherever there is none to fetch.
"""

import argparse
import gzip
import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import mlx.core as mx

from tests.tiny_model import make_tiny_model

TOKENIZERS = Path(__file__).parents[3] / "shared" / "tokenizers"
OPEN, END, STOP = "<think>", "</think>", "<|im_end|>"
SUM = ["3", " times", " 4.50", " is", " 13.50", ",", " and", " 2", " more", "."]
_WIDTH = 128
_TURN = "{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}"
_TURNS = "{% for m in messages %}" + _TURN + "{% endfor %}<|im_start|>assistant\n"
_SWITCH = "{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n"
# Templates that leave the tag to the model, as Qwen3's does, and that write it, as DeepSeek's.
LEAVES_IT = _TURNS + _SWITCH + "{% endif %}"
WRITES_IT = _TURNS + _SWITCH + "{% else %}{{ '<think>\n' }}{% endif %}"


def make_thinking_model(
    folder: Path,
    *chains: Sequence[str],
    template: str | None = WRITES_IT,
    tokenizers: Path | None = None,
    tags: Sequence[str] = (OPEN, END),
) -> Path:
    """Write a model into `folder` and return it.

    Args:
        chains: texts of tokens; behind each the next one of its chain is the likeliest. Without
            any, it reasons that 3 times 4.50 is 13.50, and 2 more, and answers 15.5.
        template: the chat template; None for the tokenizer's own.
        tokenizers: where Qwen3's real tokenizer is; None for a tiny one with the tokens needed.
        tags: what the tiny one has as tokens of their own.
    """
    chains = chains or (["\n", *SUM, END], ['":', " 15.5", "}"])
    make_tiny_model(folder, config=_config(tokenizers), template=template, padding=64)
    if tokenizers is None:
        _add_tokens(folder / "tokenizer.json", chains, tags)
    else:
        _copy_tokenizer(folder, tokenizers, template)
    _script(folder, chains, {*tags, STOP})
    return folder


def _config(tokenizers: Path | None) -> dict[str, Any]:
    config: dict[str, Any] = {"hidden_size": _WIDTH, "tie_word_embeddings": False}
    return config | ({"vocab_size": 151_936} if tokenizers else {})


def _add_tokens(path: Path, chains: Sequence[Sequence[str]], tags: Sequence[str]) -> None:
    """Tags that are tokens of their own, and pieces of text that are."""
    content = json.loads(path.read_text())
    vocabulary = content["model"]["vocab"]
    texts = dict.fromkeys(text for chain in chains for text in chain)
    for text in texts:
        if text not in (*tags, STOP):
            vocabulary.setdefault(_spelled(text), len(vocabulary))
    for at, tag in enumerate(tags, len(vocabulary)):
        token = content["added_tokens"][0] | {"id": at, "content": tag, "special": False}
        content["added_tokens"].append(token)
    path.write_text(json.dumps(content))


def _copy_tokenizer(folder: Path, source: Path, template: str | None) -> None:
    content = gzip.decompress((source / "qwen3.tokenizer.json.gz").read_bytes())
    (folder / "tokenizer.json").write_bytes(content)
    config = json.loads((source / "qwen3.tokenizer_config.json").read_text())
    if template is not None:
        config["chat_template"] = template
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    settings = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(settings | {"eos_token_id": 151_645}))
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [151_645]}))


def _script(folder: Path, chains: Sequence[Sequence[str]], whole: set[str]) -> None:
    """`whole` are the texts that are spelled as they are."""
    content = json.loads((folder / "tokenizer.json").read_text())
    ids = content["model"]["vocab"] | {t["content"]: t["id"] for t in content["added_tokens"]}
    path = folder / "model.safetensors"
    weights: dict[str, mx.array] = dict(mx.load(str(path)))
    for name, value in weights.items():
        if name.endswith(("o_proj.weight", "down_proj.weight")):
            weights[name] = mx.zeros_like(value)
    embedding = mx.random.normal(weights["model.embed_tokens.weight"].shape, key=mx.random.key(1))
    head = 0.01 * mx.random.normal(embedding.shape, key=mx.random.key(2))
    for chain in chains:
        pieces = [text if text in whole else _spelled(text) for text in chain]
        for one, other in pairwise(pieces):
            if one in ids and other in ids:  # a real tokenizer may cut a text otherwise
                head[ids[other]] += embedding[ids[one]]
    weights |= {"model.embed_tokens.weight": embedding, "lm_head.weight": head}
    mx.save_safetensors(str(path), weights, {"format": "mlx"})


def _spelled(text: str) -> str:
    """A text as a byte-level vocabulary has it."""
    from mlxjson.model.pieces import BYTE_LEVEL_TABLE

    letters = {byte: chr(letter) for letter, byte in BYTE_LEVEL_TABLE.items()}
    return "".join(letters[byte] for byte in text.encode())


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder", type=Path)
    make_thinking_model(parser.parse_args().folder)


if __name__ == "__main__":
    main()
