"""The tokenizer of a model folder: tokenizer.json and the small JSON files beside it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlxjson.errors import ModelError

from .json_file import read_json
from .pieces import SPACE_MARK, Alphabet
from .template import ChatTemplate
from .tokenizer import TokenizerParts

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Backend

_NAMED = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token")


def read_folder_tokenizer(path: Path) -> TokenizerParts:
    """The tokenizer of the model folder `path`.

    Raises:
        ModelError: there is none, or it can't be read.
    """
    config = read_json(path / "tokenizer_config.json")
    if (path / "tokenizer.json").exists():
        backend, digest = _backend(path / "tokenizer.json")
    else:
        backend, digest, own = _converted(path)
        config = own | config
    added = backend.get_added_tokens_decoder()
    return TokenizerParts(
        backend=backend,
        alphabet=_alphabet(backend),
        special_ids=frozenset(i for i, token in added.items() if token.special),
        stop_ids=_stop_ids(path, backend, config),
        bos=_bos(backend, config),
        template=_template(path, config),
        digest=digest,
    )


def _backend(path: Path) -> tuple[Backend, str]:
    from tokenizers import Tokenizer

    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(f"can't be read: {error.strerror}", where=str(path)) from error
    try:
        backend = Tokenizer.from_buffer(content)
    except Exception as error:  # the package raises no narrower type
        why = str(error).split("\n", 1)[0]
        raise ModelError(f"not a tokenizer: {why}", where=str(path)) from error
    return _whole(backend), hashlib.sha256(content).hexdigest()


def _converted(folder: Path) -> tuple[Backend, str, dict[str, Any]]:
    """The tokenizer that transformers makes, its digest, and what else it says of itself."""
    from .slow_tokenizer import convert

    backend, own = convert(folder)
    return _whole(backend), hashlib.sha256(backend.to_str().encode()).hexdigest(), own


def _whole(backend: Backend) -> Backend:
    """A tokenizer that was saved for training may still cut and fill up what it encodes."""
    backend.no_truncation()
    backend.no_padding()
    return backend


def _alphabet(backend: Backend) -> Alphabet:
    """How the pieces are spelled, from the parts that undo and make the spelling."""
    if {"ByteLevel"} & {*_kinds(backend.decoder), *_kinds(backend.pre_tokenizer)}:
        return Alphabet.BYTE_LEVEL
    decoder = _state(backend.decoder)
    if {"ByteFallback", "Metaspace"} & set(_kinds(backend.decoder)) or SPACE_MARK in decoder:
        return Alphabet.BYTE_FALLBACK
    return Alphabet.RAW


def _kinds(part: Any) -> Iterable[str]:
    """The types of a part of the tokenizer, and of those it is a sequence of."""
    import json

    def walk(value: Any) -> Iterable[str]:
        if isinstance(value, dict):
            yield str(value.get("type", ""))
            for inner in value.values():
                yield from walk(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from walk(inner)

    return walk(json.loads(_state(part) or "null"))


def _state(part: Any) -> str:
    """The part as the JSON text that tokenizer.json has for it; "" if it is absent."""
    if part is None:
        return ""
    import json

    return json.dumps(json.loads(part.__getstate__()), ensure_ascii=False)


def _stop_ids(path: Path, backend: Backend, config: dict[str, Any]) -> frozenset[int]:
    ids = set[int]()
    eos = backend.token_to_id(_text(config.get("eos_token")))
    if eos is not None:
        ids.add(eos)
    model = read_json(path / "config.json")
    for source in (read_json(path / "generation_config.json"), model, model.get("text_config")):
        value = (source or {}).get("eos_token_id")
        listed = value if isinstance(value, list) else [value]
        ids.update(i for i in listed if isinstance(i, int) and i >= 0)
    return frozenset(ids)


def _text(token: Any) -> str:
    """A token's text: tokenizer_config.json has it as a string or as an object."""
    content = token.get("content") if isinstance(token, dict) else token
    return content if isinstance(content, str) else ""


def _bos(backend: Backend, config: dict[str, Any]) -> tuple[int, str] | None:
    """The beginning that the tokenizer's own post-processor puts before a text."""
    text = _text(config.get("bos_token"))
    bos = backend.token_to_id(text)
    if bos is None:
        return None
    puts_it = backend.encode("", add_special_tokens=True).ids[:1] == [bos]
    return (bos, text) if puts_it or config.get("add_bos_token") else None


def _template(path: Path, config: dict[str, Any]) -> ChatTemplate | None:
    source = _template_source(path, config)
    if not source:
        return None
    special: dict[str, Any] = {name: _text(config.get(name)) for name in _NAMED}
    special = {name: text for name, text in special.items() if text}
    if more := config.get("additional_special_tokens"):
        special["additional_special_tokens"] = [_text(token) for token in more]
    return ChatTemplate(source, special)


def _template_source(path: Path, config: dict[str, Any]) -> str:
    """chat_template.jinja goes before chat_template.json, and that before tokenizer_config.json."""
    try:
        return (path / "chat_template.jinja").read_text("utf-8")
    except FileNotFoundError:
        pass
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"can't read the chat template: {error}", where=str(path)) from error
    value = read_json(path / "chat_template.json").get("chat_template")
    value = value or config.get("chat_template")
    if isinstance(value, list):
        named = {entry.get("name"): entry.get("template") for entry in value}
        value = named.get("default") or next(iter(named.values()), "")
    return value if isinstance(value, str) else ""
