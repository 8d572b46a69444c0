"""Tokenizers kept on disk: what it took to read them from the model's files is done once.

An entry is a line of JSON and the tokenizer, as lists (see `tokenizer_lists`) or as its JSON.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlxjson.cachefiles import Cache, code_state, key_of

from .files import ModelFiles
from .pieces import Alphabet
from .template import ChatTemplate
from .tokenizer import TokenizerParts, turn_end
from .tokenizer_lists import to_lists

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Backend

_KIND = "tokenizers"
# What a folder says of its tokenizer stands in small files of these kinds.
_SOURCES = frozenset({".json", ".jinja", ".txt", ".model", ".tiktoken"})


def remembered_parts(
    files: ModelFiles, read: Callable[[], TokenizerParts], cache: Cache
) -> TokenizerParts:
    """`read()`, from `cache` where it was read before. Raises: what `read` does."""
    key = None if cache.folder is None else _key(files)
    if key is None:
        return read()
    data = cache.get(_KIND, key)
    found = None if data is None else _read(data, files.path)
    if found is not None:
        return found
    parts = read()
    parts = replace(parts, turn_end=turn_end(parts.backend, parts.template))
    cache.put(_KIND, key, _written(parts, files))
    return parts


def _key(files: ModelFiles) -> str | None:
    """The key of a folder's content, or of a GGUF file's place, size and time.

    None where it can't be told.
    """
    from tokenizers import __version__

    state = f"{__version__} {code_state('model')}"
    try:
        if files.is_gguf:
            status = files.path.stat()
            where = f"{files.path.resolve()}:{status.st_size}:{status.st_mtime_ns}"
            return key_of("gguf", state, where)
        sources = [path for path in sorted(files.path.iterdir()) if path.suffix in _SOURCES]
        sources = [path for path in sources if not path.name.endswith(".index.json")]
        contents = [part for path in sources for part in (path.name, path.read_bytes())]
    except OSError:
        return None
    return key_of("folder", state, *contents)


def _written(parts: TokenizerParts, files: ModelFiles) -> bytes:
    rest, body = to_lists(parts.backend) or (None, parts.backend.to_str().encode())
    head = {
        "alphabet": parts.alphabet,
        "special_ids": sorted(parts.special_ids),
        "stop_ids": sorted(parts.stop_ids),
        "turn_end": sorted(parts.turn_end or ()),
        "bos": parts.bos,
        "template": parts.template and [parts.template.source, dict(parts.template.special_tokens)],
        "digest": parts.digest,
        "seen": _seen(files.path) if files.is_gguf else None,
        "rest": rest,
    }
    return json.dumps(head).encode() + b"\n" + body


def _read(data: bytes, path: Path) -> TokenizerParts | None:
    """The parts of an entry; None if it was made from another file than the one at `path`."""
    line, _, body = data.partition(b"\n")
    head: dict[str, Any] = json.loads(line)
    if head["seen"] is not None and _digest(path, head["seen"][0]) != head["seen"][1]:
        return None
    return TokenizerParts(
        backend=_backend(head["rest"], body),
        alphabet=Alphabet(head["alphabet"]),
        special_ids=frozenset(head["special_ids"]),
        stop_ids=frozenset(head["stop_ids"]),
        turn_end=frozenset(head["turn_end"]),
        bos=tuple(head["bos"]) if head["bos"] else None,
        template=ChatTemplate(*head["template"]) if head["template"] else None,
        digest=head["digest"],
    )


def _backend(rest: dict[str, Any] | None, body: bytes) -> Backend:
    from tokenizers import Tokenizer

    if rest is None:
        return Tokenizer.from_buffer(body)
    from .partial_tokenizer import PartialTokenizer

    return PartialTokenizer(rest, body)  # type: ignore[return-value]


def _seen(path: Path) -> tuple[int, str]:
    """How far a GGUF file's header reaches at most, and the digest of all that."""
    from .gguf_header import read_header

    tensors = read_header(path).tensors.values()
    end = min((entry.start for entry in tensors), default=path.stat().st_size)
    return end, _digest(path, end)


def _digest(path: Path, size: int) -> str:
    """SHA-256 of the first `size` bytes; "" if they can't be read."""
    try:
        with path.open("rb") as file:
            return hashlib.sha256(file.read(size)).hexdigest()
    except OSError:
        return ""
