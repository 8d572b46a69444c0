"""Models from the Hugging Face hub, in huggingface_hub's own cache.

A model that is completely cached is used as it is, without asking the hub for a newer one: the
same command gives the same output, and starts without the network. `pull` updates it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from mlxjson.errors import ModelError

from .hub_cache import cached_folder

_COMMIT = re.compile(r"[0-9a-f]{40}")
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
        ModelError: it doesn't exist, needs a login, can't be reached, or is not cached; see
            `download.download`.
    """
    cached = cached_folder(reference, revision=revision, environ=environ)
    if cached is not None:
        return cached
    return pull(reference, offline=offline, revision=revision, progress=progress, environ=environ)


def pull(
    reference: str,
    *,
    offline: bool = False,
    revision: str | None = None,
    progress: bool = False,
    environ: Mapping[str, str] = os.environ,
) -> Path:
    """The folder of hub model `reference` as the hub has it now; only what is missing is fetched.

    A commit never changes: once cached, the hub is not asked for it. Nor is it offline.

    Raises:
        ModelError: as `fetch`.
    """
    is_off = offline or environ.get("HF_HUB_OFFLINE", "").upper() in _TRUE
    if is_off or _COMMIT.fullmatch(revision or ""):
        cached = cached_folder(reference, revision=revision, environ=environ)
        if cached is not None:
            return cached
    if is_off:
        name = f"{reference}@{revision}" if revision else reference
        raise ModelError(
            f"{name} is not in the cache, and fetching is off (offline)",
            hint=f"Fetch it once while online: mlxjson pull {name}",
        )
    from .download import download

    return download(reference, revision, progress=progress, environ=environ)
