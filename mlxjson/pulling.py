"""Fetching a model ahead of time."""

import os
from collections.abc import Mapping
from pathlib import Path

from mlxjson.errors import UsageError


def pull_model(
    reference: str,
    revision: str | None = None,
    *,
    offline: bool = False,
    progress: bool = False,
    environ: Mapping[str, str] = os.environ,
) -> tuple[Path, str]:
    """Fetch what is missing of a hub model; its folder, and a sentence on what is there now.

    Args:
        reference: `org/name`, or `org/name@REVISION`.
        revision: a branch, a tag or a commit; None for the main branch.
        offline: do not ask the hub.
        progress: show bars on stderr.
        environ: the process's variables.

    Raises: ModelError, UsageError.
    """
    from mlxjson.model.hub import pull
    from mlxjson.model.reference import is_hub_id

    name, _, pinned = reference.partition("@")
    if not is_hub_id(name):
        raise UsageError(
            f"not a hub id: {reference}", hint="Give org/name, as in the address of its page."
        )
    if pinned and revision and pinned != revision:
        raise UsageError(f"two revisions: {pinned} and {revision}")
    folder = pull(
        name,
        revision=pinned or revision,
        offline=offline,
        progress=progress,
        environ=environ,
    )
    files = [path for path in folder.iterdir() if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    commit = folder.name
    return folder, (
        f"{len(files)} files, {size / 1e6:,.1f} MB; to pin this state: -m {name}@{commit}"
    )
