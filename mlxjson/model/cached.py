"""What models are on this machine: the hub's cache, looked through without the network."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from mlxjson.errors import ModelError

from . import lm
from .hub_cache import cache_folder, is_complete
from .json_file import read_json
from .quantised import quantisation_of
from .reference import STARTER, STARTER_VERSION, STARTER_WHEEL, resolve
from .safetensors_header import check_size, read_header

READY = "ready"


@dataclass(frozen=True, slots=True)
class CachedModel:
    """A snapshot of a model in the hub's cache.

    Attributes:
        reference: what `--model` takes: `org/name`, or `org/name@COMMIT` if that is no branch's.
        commit: the revision.
        architecture: `model_type` of its config.
        quantisation: such as `4 bit`, or the type of plain weights.
        size: bytes of its weights on disk.
        memory: bytes that they take once loaded, on this machine's device.
        state: `ready`, or why it can't be used.
    """

    reference: str
    commit: str
    architecture: str
    quantisation: str
    size: int
    memory: int
    state: str


def cached_models(
    free: int | None, *, float32: bool, environ: Mapping[str, str] = os.environ
) -> list[CachedModel]:
    """All language models in the cache, by name.

    Args:
        free: bytes of memory that a model may take; None if not known.
        float32: whether this machine computes in float32, whatever the weights are stored as.
        environ: where the cache is, see `hub_cache.cache_folder`.
    """
    found = []
    for reference, snapshot in _snapshots(cache_folder(environ)):
        config = _config(snapshot)
        if config.get("model_type"):
            found.append(_described(reference, snapshot, config, free, float32))
    return found


def _snapshots(cache: Path) -> Iterator[tuple[str, Path]]:
    """Each snapshot and what to call it; the main branch needs no revision."""
    for folder in sorted(cache.glob("models--*--*")):
        name = folder.name.removeprefix("models--").replace("--", "/")
        names = {_text(ref): ref.name for ref in sorted((folder / "refs").glob("*"))}
        for snapshot in sorted((folder / "snapshots").glob("*")):
            called = names.get(snapshot.name, snapshot.name)
            if _text(folder / "refs" / "main") == snapshot.name:
                called = "main"
            yield name if called == "main" else f"{name}@{called}", snapshot


def _text(path: Path) -> str:
    try:
        return path.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _config(snapshot: Path) -> dict[str, Any]:
    try:
        return read_json(snapshot / "config.json")
    except ModelError:
        return {}


def _described(
    reference: str, snapshot: Path, config: dict[str, Any], free: int | None, float32: bool
) -> CachedModel:
    size, memory, kind = _weights(snapshot, float32)
    state = _fault(snapshot, config) or (
        "too large for the free memory" if free is not None and memory > free else READY
    )
    quantisation = _quantisation(config) or kind
    architecture = str(config["model_type"])
    return CachedModel(reference, snapshot.name, architecture, quantisation, size, memory, state)


def _weights(snapshot: Path, float32: bool) -> tuple[int, int, str]:
    """Bytes on disk, bytes when loaded, and the type that most of the weights have."""
    disk = values = 0
    kinds: dict[str, int] = {}
    config = _config(snapshot)
    per_word = 32 // (_bits(config) or 32)
    for path in snapshot.glob("*.safetensors"):
        try:
            entries = read_header(path)[0]
            for name, entry in entries.items():
                if name != "__metadata__":
                    count = prod(entry["shape"]) * (per_word if entry["dtype"] == "U32" else 1)
                    values += count
                    kinds[entry["dtype"]] = kinds.get(entry["dtype"], 0) + count
            disk += path.stat().st_size
        except (ModelError, OSError, KeyError, TypeError):
            continue
    return disk, 4 * values if float32 else disk, max(kinds, key=kinds.__getitem__, default="")


def _fault(snapshot: Path, config: dict[str, Any]) -> str:
    if not is_complete(snapshot):
        return "incomplete"
    try:
        for path in snapshot.glob("*.safetensors"):
            check_size(path)
        quantisation_of(config, snapshot)
    except ModelError as error:
        return error.message
    return "" if lm.is_known(config) else "not known to the installed mlx-lm"


def _bits(config: dict[str, Any]) -> int:
    try:
        quantisation = quantisation_of(config, Path())
    except ModelError:
        return 0
    return quantisation.bits if quantisation else 0


def _quantisation(config: dict[str, Any]) -> str:
    bits = _bits(config)
    return f"{bits} bit" if bits else ""


def starter_model(
    *, float32: bool, environ: Mapping[str, str] = os.environ
) -> tuple[CachedModel, str]:
    """The starter as a row of the same table, and what it is in words.

    Raises: ModelError when it is not installed or its file is damaged.
    """
    from .gguf_header import read_header as read_gguf

    files = resolve(STARTER, environ=environ)
    header = read_gguf(files.path)
    size = files.path.stat().st_size
    values = sum(prod(entry.shape) for entry in header.tensors.values())
    name, _, quantisation = files.path.stem.partition(".")
    row = CachedModel(
        STARTER,
        STARTER_VERSION,
        header.architecture,
        quantisation,
        size,
        # With its adapter the weights are plain, see `gguf_load`.
        4 * values if float32 else 2 * values if files.adapter else size,
        READY,
    )
    adapter = f"with the adapter {files.adapter.name}" if files.adapter else "without an adapter"
    return row, f"{name} from the package {STARTER_WHEEL} {STARTER_VERSION}, {adapter}"
