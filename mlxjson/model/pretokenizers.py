"""How byte-level tokenizers cut a text before merging, by the name that GGUF gives the rule.

Each is the sequence of splits that the model's own tokenizer.json has; names as in llama.cpp's
list of pre-tokenizers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlxjson.errors import ModelError

if TYPE_CHECKING:
    from tokenizers.pre_tokenizers import PreTokenizer

_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_REST = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_LETTERS = r"[^\r\n\p{L}\p{N}]?\p{L}+"
_SYMBOLS = r" ?[^\s\p{L}\p{N}]+[\r\n]*"
_LLAMA3 = rf"{_CONTRACTIONS}|{_LETTERS}|\p{{N}}{{1,3}}|{_SYMBOLS}|{_REST}"
_QWEN2 = rf"{_CONTRACTIONS}|{_LETTERS}|\p{{N}}|{_SYMBOLS}|{_REST}"

_ONE_SPLIT = {
    "gpt-2": _GPT2,
    "default": _GPT2,
    "mpt": _GPT2,
    "olmo": _GPT2,
    "llama-bpe": _LLAMA3,
    "llama3": _LLAMA3,
    "llama-v3": _LLAMA3,
    "dbrx": _LLAMA3,
    "smaug-bpe": _LLAMA3,
    "qwen2": _QWEN2,
    "deepseek-r1-qwen": _QWEN2,
    "stablelm2": _QWEN2,
}
# Every digit on its own, then GPT-2's rule.
_DIGITS_FIRST = frozenset({"smollm", "starcoder", "refact", "command-r", "codeshell", "exaone"})


def by_name(name: str) -> list[PreTokenizer]:
    """The splits called `name`, in order.

    Raises:
        ModelError: a rule that isn't known; guessing would cut the text in other places than the
            model was trained on.
    """
    from tokenizers import Regex
    from tokenizers.pre_tokenizers import Digits, Split

    if name in _DIGITS_FIRST:
        return [Digits(individual_digits=True), Split(Regex(_GPT2), "isolated")]
    if name in _ONE_SPLIT:
        return [Split(Regex(_ONE_SPLIT[name]), "isolated")]
    raise ModelError(
        f"GGUF pre-tokenizer '{name}' is not supported",
        hint="Use the model as a folder with tokenizer.json.",
    )
