"""Fetching a model from the Hugging Face hub, through huggingface_hub and into its cache.

What the hub lists is looked at before anything large is fetched: whether it is a model that can be
loaded, and whether the disk has room. What arrived is compared with the hub's checksums, which
huggingface_hub does not do. A connection that is cut is taken up again where it broke; a new start
after a failure goes on with the files that are missing, and fetches a half fetched one anew.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from mlxjson.errors import ModelError

from .hub_cache import cache_folder, cached_folder, storage, wanted

if TYPE_CHECKING:
    from huggingface_hub.hf_api import RepoFile

T = TypeVar("T")

# Never fill a disk: at least this much stays free.
_SPARE_BYTES = 1 << 30
_MOST_WAITS = 4
_LONGEST_WAIT_S = 60.0
_BLOCK = 1 << 20
_CHECKSUM = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


def download(
    reference: str, revision: str | None, *, progress: bool, environ: Mapping[str, str]
) -> Path:
    """The snapshot folder of hub model `reference`, as the hub has it now.

    Args:
        reference: `org/name`.
        revision: a branch, a tag or a commit; None for the main branch.
        progress: show bars on stderr.
        environ: HF_ENDPOINT, HF_HOME, HF_HUB_CACHE count; huggingface_hub itself reads HF_TOKEN.

    Raises:
        ModelError: it doesn't exist, needs a login, can't be reached, can't be used, does not fit
            on the disk, or arrived damaged.
    """
    _set_up(progress)
    try:
        commit, files = _listing(reference, revision, environ)
        _check_usable(reference, commit, files, environ)
        _check_space(reference, files, environ)
        folder = _patiently(lambda: _snapshot(reference, revision, files, environ))
    except ModelError:
        raise
    except Exception as error:
        explained = _explained(error, reference, revision, environ)
        if explained is None:
            raise
        raise explained from error
    _verify(folder, reference)
    return folder


def _set_up(progress: bool) -> None:
    from huggingface_hub.utils import logging
    from huggingface_hub.utils.tqdm import disable_progress_bars, enable_progress_bars

    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    (enable_progress_bars if progress else disable_progress_bars)()


def _listing(
    reference: str, revision: str | None, environ: Mapping[str, str]
) -> tuple[str, dict[str, RepoFile]]:
    """The commit, and the files that are needed, by name, with their sizes and checksums."""
    from huggingface_hub import HfApi
    from huggingface_hub.hf_api import RepoFile

    api = HfApi(endpoint=environ.get("HF_ENDPOINT") or None)
    # This request is not repeated when it fails: a hub that is out of reach is told at once.
    commit = _patiently(lambda: str(api.model_info(reference, revision=revision).sha))
    found = _patiently(lambda: list(api.list_repo_tree(reference, recursive=True, revision=commit)))
    files = {f.path: f for f in found if isinstance(f, RepoFile)}
    return commit, {name: files[name] for name in wanted(files)}


def _check_usable(
    reference: str, commit: str, files: Mapping[str, RepoFile], environ: Mapping[str, str]
) -> None:
    """Refuse what could not be loaded before its weights are fetched."""
    from . import lm
    from .json_file import read_json
    from .quantised import quantisation_of

    if not any(name.endswith(".safetensors") for name in files):
        raise ModelError(
            f"{reference} has no *.safetensors weights",
            hint="GGUF is read as a file: download the .gguf file and give its path.",
        )
    if "config.json" not in files:
        raise ModelError(f"{reference} has no config.json: it is not a model for mlx-lm")
    path = Path(_patiently(lambda: _one_file(reference, "config.json", commit, environ)))
    config = read_json(path)
    quantisation_of(config, path)
    if not lm.is_known(config):
        kind = config.get("model_type")
        raise ModelError(
            f"{reference} is of type '{kind}', which the installed mlx-lm does not know",
            hint="A newer mlx-lm may know it.",
        )


def _check_space(reference: str, files: Mapping[str, RepoFile], environ: Mapping[str, str]) -> None:
    """Refuse what the disk has no room for, counting the files that are there already."""
    blobs = storage(reference, environ) / "blobs"
    needed = sum(f.size for f in files.values() if not (blobs / _checksum(f)).is_file())
    folder = next(p for p in (blobs, *blobs.parents) if p.is_dir())
    free = shutil.disk_usage(folder).free
    if needed and needed + _SPARE_BYTES > free:
        raise ModelError(
            f"no room for {reference}: {_gigabytes(needed)} to fetch, {_gigabytes(free)} free",
            where=str(cache_folder(environ)),
            hint=f"Free some space ({_gigabytes(_SPARE_BYTES)} must stay free), or set HF_HUB_CACHE"
            " to a folder on another disk.",
        )


class _Partial(Exception):
    """huggingface_hub gave a folder that is not complete: it does when the hub stops answering."""


def _snapshot(
    reference: str,
    revision: str | None,
    files: Mapping[str, RepoFile],
    environ: Mapping[str, str],
) -> Path:
    from huggingface_hub import snapshot_download

    folder = snapshot_download(
        reference,
        revision=revision,
        cache_dir=cache_folder(environ),
        endpoint=environ.get("HF_ENDPOINT") or None,
        allow_patterns=[escape(name) for name in files],
    )
    missing = [name for name in files if not Path(folder, name).is_file()]
    if missing:
        raise _Partial(f"the hub did not give {missing[0]}")
    return Path(folder)


def _one_file(reference: str, name: str, commit: str, environ: Mapping[str, str]) -> str:
    from huggingface_hub import hf_hub_download

    return hf_hub_download(
        reference,
        name,
        revision=commit,
        cache_dir=cache_folder(environ),
        endpoint=environ.get("HF_ENDPOINT") or None,
    )


def _patiently(call: Callable[[], T]) -> T:
    """Call again after a while if the hub says that it was asked too often (HTTP 429)."""
    for wait in range(_MOST_WAITS):
        try:
            return call()
        except _Partial:
            time.sleep(2.0**wait)
        except Exception as error:
            response = _response(error)
            if response is None or response.status_code != 429:
                raise
            time.sleep(_seconds(response.headers.get("Retry-After"), 2.0**wait))
    return call()


def _seconds(asked: str | None, otherwise: float) -> float:
    with suppress(TypeError, ValueError):
        return min(_LONGEST_WAIT_S, max(0.0, float(asked or "")))
    return otherwise


def _verify(folder: Path, reference: str) -> None:
    """Compare what arrived with the names that the cache gave it; a damaged file is removed.

    Content lies under the hub's checksum of it, and the snapshot consists of links to that.

    Raises: ModelError naming the first damaged file.
    """
    for path in sorted(folder.iterdir()):
        content = path.resolve()
        if _CHECKSUM.fullmatch(content.name) and _hash(content) != content.name:
            path.unlink()
            content.unlink()
            raise ModelError(
                f"{path.name} of {reference} is damaged: its checksum is not the hub's",
                where=str(folder),
                hint="It was removed; run the command again to fetch it anew.",
            )


def _checksum(file: RepoFile) -> str:
    """Of large files SHA-256, of others git's name of the content."""
    return file.lfs.sha256 if file.lfs is not None else file.blob_id


def _hash(content: Path) -> str:
    """The checksum of a file, of the kind that its name is one of."""
    digest = hashlib.sha256()
    if len(content.name) != 64:
        digest = hashlib.sha1(b"blob %d\0" % content.stat().st_size, usedforsecurity=False)
    with content.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _explained(
    error: Exception, reference: str, revision: str | None, environ: Mapping[str, str]
) -> ModelError | None:
    """What went wrong in the user's terms; None for what is a fault of ours."""
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
    if isinstance(error, errors.HFValidationError):
        return ModelError(f"not a hub id: {reference}")
    if isinstance(error, (errors.HfHubHTTPError, errors.LocalEntryNotFoundError)):
        return _refused(error, reference, revision, environ)
    if _is_connect_error(error):
        return _refused(error, reference, revision, environ)
    # Which HTTP client it is, and so what it raises, depends on huggingface_hub's version.
    if isinstance(error, (OSError, _Partial, *errors.HfHubHTTPError.__bases__)):
        why = getattr(error, "strerror", None) or str(error).split("\n", 1)[0]
        return ModelError(f"fetching {reference} failed: {why}", hint="Run it again to go on.")
    return None


def _is_connect_error(error: BaseException) -> bool:
    return any("Connect" in kind.__name__ for kind in type(error).__mro__)


def _refused(
    error: Exception, reference: str, revision: str | None, environ: Mapping[str, str]
) -> ModelError:
    response = _response(error)
    status = response.status_code if response is not None else None
    if status in (401, 403):
        return ModelError(
            f"the hub refuses access to {reference} (HTTP {status})",
            hint="Log in with: hf auth login",
        )
    what = f"answers with HTTP {status}" if status else "can't be reached"
    if cached_folder(reference, revision=revision, environ=environ) is not None:
        return ModelError(f"the hub {what}", hint=f"{reference} as cached can still be used.")
    return ModelError(
        f"the hub {what}, and {reference} is not in the cache",
        hint="Try again later, or give a model that is on this machine.",
    )


def _response(error: BaseException) -> Any:
    """The hub's answer that an error, or what caused it, is about; None without one."""
    found = (getattr(one, "response", None) for one in (error, error.__cause__))
    return next((response for response in found if response is not None), None)


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"
