"""huggingface_hub's cache, read without huggingface_hub: importing that takes half a second.

Layout: models--ORG--NAME/{blobs,refs,snapshots,trees}, as huggingface_hub documents it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from .slow_tokenizer import SOURCES

# Config, tokenizer, template and weights; no code, no weights of other frameworks.
_WANTED = ("*.json", "*.safetensors", "*.jinja")
_UNWANTED = ("*/*", "consolidated*.safetensors", "adapter*.safetensors")


def cache_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Where the hub's models are kept: HF_HUB_CACHE, or `hub` under HF_HOME."""
    if cache := environ.get("HF_HUB_CACHE"):
        return Path(cache).expanduser()
    if home := environ.get("HF_HOME"):
        return Path(home).expanduser() / "hub"
    base = environ.get("XDG_CACHE_HOME") or Path(environ.get("HOME") or "/tmp") / ".cache"
    return Path(base) / "huggingface" / "hub"


def storage(reference: str, environ: Mapping[str, str] = os.environ) -> Path:
    """The folder of one model in the cache, there or not."""
    return cache_folder(environ) / f"models--{reference.replace('/', '--')}"


def cached_folder(
    reference: str, *, revision: str | None = None, environ: Mapping[str, str] = os.environ
) -> Path | None:
    """The snapshot of `reference` in the cache if every file of it is there, else None."""
    folder = storage(reference, environ)
    revision = revision or "main"
    try:
        commit = (folder / "refs" / revision).read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        commit = revision
    snapshot = folder / "snapshots" / commit
    return snapshot if is_complete(snapshot) else None


def is_complete(snapshot: Path) -> bool:
    """Whether every file is there that the snapshot consists of."""
    listing = snapshot.parents[1] / "trees" / f"{snapshot.name}.json"
    names = _listed(listing) or _named_by_index(snapshot)
    return bool(names) and all((snapshot / name).is_file() for name in names)


def wanted(names: Iterable[str]) -> list[str]:
    """The files of a model that are needed. Without tokenizer.json, one is made from others."""
    listed = set(names)
    patterns = _WANTED if "tokenizer.json" in listed else (*_WANTED, *SOURCES)
    return [
        name
        for name in sorted(listed)
        if _matches(name, patterns) and not _matches(name, _UNWANTED)
    ]


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _listed(listing: Path) -> list[str]:
    """What the hub said the snapshot consists of, as huggingface_hub noted it; [] if it did not."""
    try:
        files = json.loads(listing.read_text("utf-8"))["files"]
        return wanted(files)
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _named_by_index(folder: Path) -> list[str]:
    """For snapshots without a listing: the tokenizer, the config and the shards of the index."""
    try:
        index = json.loads((folder / "model.safetensors.index.json").read_text("utf-8"))
        shards = set(index["weight_map"].values())
    except FileNotFoundError:
        shards = {"model.safetensors"}
    except (OSError, ValueError, KeyError, AttributeError):
        return []
    sources = (path.name for pattern in SOURCES for path in folder.glob(pattern))
    has_one = (folder / "tokenizer.json").is_file()
    tokenizer = "tokenizer.json" if has_one else next(sources, "tokenizer.json")
    return ["config.json", tokenizer, *sorted(shards)]
