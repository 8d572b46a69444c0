"""Tokenizers of folders without tokenizer.json, converted by transformers: the fallback.

It takes a second and a hundred megabytes, once: the result is kept, see `tokenizer_file`. Torch
stays out, code that comes with a model is never run, and the hub is not asked.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlxjson.errors import ModelError

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Backend

# Any of them may hold a vocabulary: SentencePiece, GPT-2's BPE, WordPiece, tiktoken.
SOURCES = ("*.model", "vocab.json", "merges.txt", "vocab.txt", "*.tiktoken")
_HINT = "Fetch the whole model again, or convert its tokenizer to tokenizer.json."
_NAMED = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token")


def convert(folder: Path) -> tuple[Backend, dict[str, Any]]:
    """The tokenizer of `folder`, and what tokenizer_config.json leaves to the tokenizer's class.

    Raises:
        ModelError: there is nothing to make one from, or transformers can't do it.
    """
    if not any(any(folder.glob(pattern)) for pattern in SOURCES):
        raise ModelError("the model has no tokenizer.json", where=str(folder), hint=_HINT)
    with _without_torch():
        found = _loaded(folder)
    backend = getattr(found, "backend_tokenizer", None)
    if backend is None:
        raise _refusal(folder, f"{type(found).__name__} can't be converted")
    added = {token.content for token in backend.get_added_tokens_decoder().values()}
    if backend.get_vocab().keys() <= added:  # what a class falls back to without its files
        raise _refusal(folder, f"{type(found).__name__} finds no vocabulary")
    names = {name: str(token) for name in _NAMED if (token := getattr(found, name, None))}
    return backend, names | {"chat_template": getattr(found, "chat_template", None)}


def _loaded(folder: Path) -> Any:
    try:
        from transformers import AutoTokenizer
        from transformers.utils import logging
    except ImportError as error:
        raise _refusal(folder, "and transformers is not installed") from error
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    try:
        return AutoTokenizer.from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=False
        )
    except Exception as error:  # each class of tokenizers raises what it likes
        why = str(error).strip().split("\n", 1)[0][:200] or type(error).__name__
        raise _refusal(folder, why) from error


def _refusal(folder: Path, why: str) -> ModelError:
    message = f"the model has no tokenizer.json, and its other files give no tokenizer: {why}"
    return ModelError(message, where=str(folder), hint=_HINT)


@contextmanager
def _without_torch() -> Iterator[None]:
    """transformers takes torch if it can be had, and says on stderr if it can't."""
    loaded, level = "torch" in sys.modules, os.environ.get("TRANSFORMERS_VERBOSITY")
    os.environ["TRANSFORMERS_VERBOSITY"] = "error"
    if not loaded:
        sys.modules["torch"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        if not loaded:
            del sys.modules["torch"]
        os.environ.pop("TRANSFORMERS_VERBOSITY")
        if level is not None:
            os.environ["TRANSFORMERS_VERBOSITY"] = level
