"""The header of a safetensors file, checked before `mx.load` sees the file.

Format: an 8-byte little-endian length, then that many bytes of JSON, which name each tensor's
dtype, shape and byte range in the rest of the file.
"""

import json
from pathlib import Path
from typing import Any

from mlxjson.errors import ModelError

_LONGEST_HEADER = 100 << 20


def read_header(path: Path) -> tuple[dict[str, Any], int]:
    """The entries by tensor name, and the byte at which the values start.

    Raises:
        ModelError: not safetensors, or cut off within the header.
    """
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if not 2 <= length <= _LONGEST_HEADER:
                raise _damaged(path, "the header's length is wrong")
            text = file.read(length)
    except OSError as error:
        raise ModelError(error.strerror or str(error), where=str(path)) from error
    try:
        entries = json.loads(text) if len(text) == length else None
    except ValueError:
        entries = None
    if not isinstance(entries, dict):
        raise _damaged(path, "the header is cut off or is not JSON")
    return entries, 8 + length


def check_size(path: Path) -> int:
    """Check that the file holds every byte its header promises; returns the size in bytes.

    Raises:
        ModelError: truncated or damaged.
    """
    entries, start = read_header(path)
    try:
        ends = [entry["data_offsets"][1] for name, entry in entries.items() if name[0] != "_"]
        promised = start + max(ends, default=0)
    except (KeyError, IndexError, TypeError) as error:
        raise _damaged(path, "the header's entries are malformed") from error
    size = path.stat().st_size
    if size < promised:
        raise _damaged(path, f"{size} of {promised} bytes are there")
    return size


def _damaged(path: Path, why: str) -> ModelError:
    return ModelError(
        f"damaged or truncated safetensors file: {why}",
        where=str(path),
        hint="Fetch the file again.",
    )
