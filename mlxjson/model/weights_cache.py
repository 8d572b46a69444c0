"""Weights that were converted to floating point, kept as safetensors for the next start.

Converting costs seconds and reading the result a tenth of one. A file is keyed by the source's
identity and written atomically; a broken one is a miss. The oldest go when the folder is full.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from math import prod
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from mlxjson.errors import ModelError
from mlxjson.folders import cache_folder

from .files import ModelFiles
from .safetensors_header import check_size

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .gguf_types import Floats

# Raised when the meaning of the stored weights changes.
_FORMAT = 1
_MOST_BYTES = 12 << 30
# Never fill a disk: at least this much stays free.
_SPARE_BYTES = 2 << 30
_TEMPORARY = ".writing-"
_LONGEST_WRITE_S = 3600


def location(
    files: ModelFiles, environ: Mapping[str, str] = os.environ, *, half: bool = False
) -> Path | None:
    """The file that holds, or would hold, the float32 form; None without a cache folder.

    `half`: the bfloat16 form, for devices that compute in 16 bits.
    """
    folder = cache_folder(environ)
    if folder is None:
        return None
    kind = f"{_FORMAT}{'|half' if half else ''}"
    key = hashlib.sha256(f"{kind}|{files.identity}".encode()).hexdigest()
    return folder / "weights" / f"{key[:32]}.safetensors"


def is_whole(path: Path) -> bool:
    """Whether `path` is there and complete; a broken file is removed."""
    try:
        check_size(path)
    except (ModelError, OSError):
        with suppress(OSError):
            path.unlink()
        return False
    with suppress(OSError):
        os.utime(path)  # the oldest go first: this one was just used
    return True


def has_room(path: Path, size: int) -> bool:
    """Whether `size` bytes may be kept at `path`, after the oldest files made room."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if size > _MOST_BYTES or shutil.disk_usage(path.parent).free < size + _SPARE_BYTES:
            return False
        _evict(path.parent, _MOST_BYTES - size)
    except OSError:
        return False
    return True


def write(
    path: Path,
    shapes: Mapping[str, tuple[int, ...]],
    tensors: Iterable[Floats],
    config: Mapping[str, Any],
    *,
    half: bool = False,
) -> bool:
    """Write `tensors`, in the order of `shapes`, one at a time; False if it can't be.

    They are float32, and are stored so, or as bfloat16 if `half`.
    Format: safetensors, an 8-byte header length, a JSON header, then the raw values. The config
    that goes with the weights is kept in the header's metadata.
    """
    try:
        with _replacing(path) as file:
            file.write(_header(shapes, config, half))
            for tensor in tensors:
                (_bfloat16(tensor) if half else tensor).tofile(file)
    except OSError:
        return False
    return True


def _header(shapes: Mapping[str, tuple[int, ...]], config: Mapping[str, Any], half: bool) -> bytes:
    entries: dict[str, Any] = {"__metadata__": {"config": json.dumps(config)}}
    end = 0
    for name, shape in shapes.items():
        start, end = end, end + (2 if half else 4) * prod(shape)
        entries[name] = {
            "dtype": "BF16" if half else "F32",
            "shape": shape,
            "data_offsets": [start, end],
        }
    text = json.dumps(entries).encode()
    text += b" " * (-len(text) % 64 + 56)  # values start at a multiple of 64
    return len(text).to_bytes(8, "little") + text


def _bfloat16(values: Floats) -> NDArray[Any]:
    """The upper halves of the float32 bits, rounded to the nearest, of two to the even one."""
    bits = values.view("uint32")
    upper: NDArray[Any] = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("uint16")
    return upper


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file that takes the place of `path` only when it was written to the end."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=_TEMPORARY)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _evict(folder: Path, limit: int) -> None:
    for file in folder.glob(f"{_TEMPORARY}*"):
        if time.time() - file.stat().st_mtime > _LONGEST_WRITE_S:
            file.unlink()  # of a process that was killed
    files = sorted(folder.glob("*.safetensors"), key=lambda file: file.stat().st_mtime)
    total = sum(file.stat().st_size for file in files)
    for file in files:
        if total <= limit:
            return
        total -= file.stat().st_size
        file.unlink()
