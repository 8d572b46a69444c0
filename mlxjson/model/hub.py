"""Models from the Hugging Face hub, in huggingface_hub's own cache.

A model that is completely cached is used as it is, without asking the hub for a newer one: the
same command gives the same output, and starts without the network. `hf download ID` updates it.
Cache layout: models--ORG--NAME/{refs,snapshots,trees}, as huggingface_hub documents it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from mlxjson.errors import ModelError

# Config, tokenizer, template and weights; no code, no weights of other frameworks.
WANTED = ("*.json", "*.safetensors", "*.jinja")
UNWANTED = ("*/*", "consolidated*.safetensors", "adapter*.safetensors")
_TRUE = frozenset({"1", "ON", "YES", "TRUE"})


def fetch(
    reference: str,
    *,
    offline: bool = False,
    revision: str | None = None,
    progress: bool = False,
    environ: Mapping[str, str] = os.environ,
) -> Path:
    """The folder of hub model `reference`, fetched if need be; interrupted fetches go on.

    Honours HF_HUB_OFFLINE, HF_ENDPOINT, HF_HOME, HF_HUB_CACHE and HF_TOKEN.

    Raises:
        ModelError: it doesn't exist, needs a login, can't be reached, or is not cached.
    """
    cached = cached_folder(reference, revision=revision, environ=environ)
    if cached is not None:
        return cached
    if offline or environ.get("HF_HUB_OFFLINE", "").upper() in _TRUE:
        raise ModelError(
            f"{reference} is not in the cache, and fetching is off (offline)",
            hint=f"Fetch it once while online: hf download {reference}",
        )
    return _download(reference, revision, progress, environ)


def cached_folder(
    reference: str, *, revision: str | None = None, environ: Mapping[str, str] = os.environ
) -> Path | None:
    """The snapshot of `reference` in the cache if every file of it is there, else None."""
    storage = _cache(environ) / f"models--{reference.replace('/', '--')}"
    revision = revision or "main"
    try:
        commit = (storage / "refs" / revision).read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        commit = revision
    folder = storage / "snapshots" / commit
    names = _listed(storage / "trees" / f"{commit}.json") or _named_by_index(folder)
    return folder if names and all((folder / name).is_file() for name in names) else None


def _cache(environ: Mapping[str, str]) -> Path:
    if cache := environ.get("HF_HUB_CACHE"):
        return Path(cache).expanduser()
    if home := environ.get("HF_HOME"):
        return Path(home).expanduser() / "hub"
    base = environ.get("XDG_CACHE_HOME") or Path(environ.get("HOME") or "/tmp") / ".cache"
    return Path(base) / "huggingface" / "hub"


def _wanted(name: str) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in WANTED) and not any(
        fnmatchcase(name, pattern) for pattern in UNWANTED
    )


def _listed(listing: Path) -> list[str]:
    """What the hub said the snapshot consists of, as huggingface_hub noted it; [] if it did not."""
    try:
        files = json.loads(listing.read_text("utf-8"))["files"]
        return [name for name in files if _wanted(name)]
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
    return ["config.json", "tokenizer.json", *sorted(shards)]


def _download(
    reference: str, revision: str | None, progress: bool, environ: Mapping[str, str]
) -> Path:
    from huggingface_hub import errors, snapshot_download
    from huggingface_hub.utils import logging
    from huggingface_hub.utils.tqdm import disable_progress_bars, enable_progress_bars

    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    (enable_progress_bars if progress else disable_progress_bars)()
    try:
        folder = snapshot_download(
            reference,
            revision=revision,
            cache_dir=_cache(environ),
            endpoint=environ.get("HF_ENDPOINT") or None,
            allow_patterns=list(WANTED),
            ignore_patterns=list(UNWANTED),
        )
    except (errors.HfHubHTTPError, errors.LocalEntryNotFoundError) as error:
        raise _explained(error, reference, revision) from error
    except errors.HFValidationError as error:
        raise ModelError(f"not a hub id: {reference}") from error
    except OSError as error:
        raise _broken_off(error, reference) from error
    except Exception as error:
        # Which HTTP client it is, and so what it raises, depends on huggingface_hub's version.
        if not isinstance(error, errors.HfHubHTTPError.__bases__):
            raise
        raise _broken_off(error, reference) from error
    return Path(folder)


def _broken_off(error: Exception, reference: str) -> ModelError:
    why = getattr(error, "strerror", None) or str(error).split("\n", 1)[0]
    return ModelError(f"fetching {reference} failed: {why}", hint="Run it again to go on.")


def _explained(error: Exception, reference: str, revision: str | None) -> ModelError:
    from huggingface_hub import errors

    if isinstance(error, errors.GatedRepoError):
        return ModelError(
            f"{reference} is gated: its owner must grant access",
            hint="Ask for access on the model's page, then run: hf auth login",
        )
    if isinstance(error, errors.RevisionNotFoundError):
        return ModelError(f"{reference} has no revision {revision}")
    if isinstance(error, errors.RepositoryNotFoundError):
        return ModelError(
            f"the hub has no model {reference}, or it is private",
            hint="Check the spelling; for a private model run: hf auth login",
        )
    return _unreachable(error, reference)


def _unreachable(error: Exception, reference: str) -> ModelError:
    status = next((code for code in map(_status, (error, error.__cause__)) if code), None)
    if status in (401, 403):
        return ModelError(
            f"the hub refuses access to {reference} (HTTP {status})",
            hint="Log in with: hf auth login",
        )
    what = f"answers with HTTP {status}" if status else "can't be reached"
    return ModelError(
        f"the hub {what}, and {reference} is not in the cache",
        hint="Try again later, or give a model that is on this machine.",
    )


def _status(error: BaseException | None) -> int | None:
    return getattr(getattr(error, "response", None), "status_code", None)
