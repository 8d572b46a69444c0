"""The key-value state of a prompt's fixed beginning, kept in a file between runs.

The file is a safetensors file as mlx-lm writes it for any of its caches; its metadata hold the key
of the model and the ids, so that another model's file, or one of another beginning, is a miss.
"""

import hashlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mlxjson.errors import UsageError
from mlxjson.model import lm

_KEY = "mlxjson"


def key(model: str, ids: Sequence[int]) -> str:
    """Hex SHA-256 of what identifies the model (`ModelFiles.identity`) and the ids."""
    return hashlib.sha256(f"{model}|{','.join(map(str, ids))}".encode()).hexdigest()


def load(path: Path, wanted: str) -> list[Any] | None:
    """The cache in `path`; None if there is none, it is broken, or its key is another."""
    if not path.is_file():
        return None
    try:
        cache, metadata = _read(path)
    except (RuntimeError, ValueError, KeyError, IndexError, TypeError, OSError):
        return None
    return list(cache) if metadata.get(_KEY) == wanted else None


def _read(path: Path) -> tuple[list[Any], dict[str, str]]:
    """MLX goes by the ending of a name, and the file may have any."""
    import mlx.core as mx

    with tempfile.TemporaryDirectory() as folder:
        link = Path(folder) / "state.safetensors"
        link.symlink_to(path.resolve())
        cache, metadata = lm.module("cache").load_prompt_cache(str(link), return_metadata=True)
        mx.eval([layer.state for layer in cache])  # while the link is there
    return cache, metadata


def save(path: Path, cache: list[Any], name: str) -> None:
    """Put the cache into `path` under the key `name`, whole or not at all. Raises: UsageError."""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".safetensors")
        os.close(handle)
        try:
            lm.module("cache").save_prompt_cache(temporary, cache, {_KEY: name})
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"can't keep the prompt's state: {reason}", where=str(path)) from error
