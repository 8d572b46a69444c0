"""Small results kept on disk between runs: bounded, atomic, and never believed when broken.

Each entry is a file `KIND/KEY` under the cache folder: a line with the format's name and the
SHA-256 of what follows, then the data. Entries are data, never code. Many processes may read,
write and clear at once; whatever goes wrong is a miss.
"""

import hashlib
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache as once
from pathlib import Path

from mlxjson.folders import cache_folder

_MAGIC = b"mlxjson-cache-1 "
_KIND = re.compile(r"[a-z]+")
_MOST_BYTES = 512 << 20
_BLOCK = 4096
# A file of a writer that died is swept away when it is older.
_STALE_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of entries: how many files, and bytes in all."""

    kind: str
    files: int
    size: int


def key_of(*parts: str | bytes) -> str:
    """The key of what `parts` determine; their boundaries count."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:40]


@once
def code_state(*names: str) -> str:
    """Part of a key that changes whenever one of our files, or of our folders, `names` does."""
    here = os.path.dirname(__file__)
    states = sorted(state for name in names for state in _states(os.path.join(here, name)))
    return repr((sys.version, states))


def _states(path: str) -> Iterator[tuple[str, int, int]]:
    if os.path.isdir(path):
        for name in os.listdir(path):
            if name.endswith(".py") or ("." not in name and name != "__pycache__"):
                yield from _states(os.path.join(path, name))
        return
    status = os.stat(path)
    yield path, status.st_size, status.st_mtime_ns


class Cache:
    """Entries of several kinds under `folder`; without a folder, every look-up is a miss.

    Args:
        folder: where to keep them; made when the first entry is written.
        most_bytes: bound per kind, kept to within a thirty-second; those not used for longest
            go first.
    """

    def __init__(self, folder: Path | None, most_bytes: int = _MOST_BYTES) -> None:
        self.folder = folder
        self._most_bytes = most_bytes
        # Bytes written to each kind since its folder was last looked through.
        self._unseen: dict[str, int] = {}

    def get(self, kind: str, key: str) -> bytes | None:
        """What was put under `key`; None when it isn't there or is broken."""
        path = self._path(kind, key)
        if path is None:
            return None
        try:
            raw = path.read_bytes()
        except OSError:
            return None
        data = _unwrapped(raw)
        with suppress(OSError):
            path.unlink() if data is None else os.utime(path)
        return data

    def put(self, kind: str, key: str, data: bytes) -> None:
        """Keep `data` under `key`. A full disk or a read-only folder is no error."""
        path = self._path(kind, key)
        if path is None or len(data) > self._most_bytes:
            return
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            _write_atomically(path, _wrapped(data))
            self._make_room(path.parent, len(data))

    def _make_room(self, folder: Path, written: int) -> None:
        # Looking through thousands of files after each of thousands of writes would take minutes.
        unseen = self._unseen.get(folder.name, self._most_bytes) + written + _BLOCK
        if unseen > self._most_bytes // 32:
            _evict(folder, self._most_bytes)
            unseen = 0
        self._unseen[folder.name] = unseen

    def _path(self, kind: str, key: str) -> Path | None:
        assert _KIND.fullmatch(kind), kind
        return None if self.folder is None else self.folder / kind / key


def open_cache(enabled: bool = True, environ: Mapping[str, str] = os.environ) -> Cache:
    """The user's cache: `cache_folder()`, unless switched off by option or MLXJSON_CACHE=0."""
    off = not enabled or environ.get("MLXJSON_CACHE") == "0"
    return Cache(None if off else cache_folder(environ))


def _wrapped(data: bytes) -> bytes:
    return _MAGIC + hashlib.sha256(data).hexdigest().encode() + b"\n" + data


def _unwrapped(raw: bytes) -> bytes | None:
    head, _, data = raw.partition(b"\n")
    return data if head == _wrapped(data).partition(b"\n")[0] else None


def _write_atomically(path: Path, raw: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _evict(folder: Path, most_bytes: int) -> None:
    """Remove the longest unused files until the rest fits."""
    now = time.time()
    entries = []
    for entry in os.scandir(folder):
        with suppress(OSError):
            status = entry.stat()
            if entry.name.startswith(".new-") and now - status.st_mtime > _STALE_SECONDS:
                os.unlink(entry.path)
            else:
                entries.append((status.st_mtime, status.st_size, entry.path))
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= most_bytes:
            return
        with suppress(OSError):
            os.unlink(path)
        total -= size


def cache_report(folder: Path | None) -> list[Row]:
    """What lies in the cache folder, by kind; everything that the tool keeps there counts."""
    if folder is None or not folder.is_dir():
        return []
    return [_row(kind) for kind in sorted(folder.iterdir()) if kind.is_dir()]


def _row(kind: Path) -> Row:
    sizes = []
    for path in kind.rglob("*"):
        with suppress(OSError):
            if path.is_file():
                sizes.append(path.stat().st_size)
    return Row(kind.name, len(sizes), sum(sizes))


def clear_cache(folder: Path | None) -> int:
    """Remove everything the tool keeps in the cache folder; how many bytes that were."""
    freed = sum(row.size for row in cache_report(folder))
    if folder is not None and folder.is_dir():
        for kind in folder.iterdir():
            if kind.is_dir() and not kind.is_symlink():
                shutil.rmtree(kind, ignore_errors=True)
    return freed
