"""Schemas by name: the user's own, and those that come with the tool."""

import difflib
import os
from collections.abc import Mapping
from pathlib import Path

from mlxjson.errors import UsageError
from mlxjson.folders import config_folder

ENDINGS = (".json", ".yaml", ".yml")


def schema_file(name: str, environ: Mapping[str, str]) -> Path:
    """The file of a schema name: the user's folder goes before the packaged one.

    Raises: UsageError with the names that are near.
    """
    folders = [folder for folder in (user_folder(environ), packaged_folder()) if folder]
    for folder in folders:
        for ending in ENDINGS:
            if os.path.isfile(path := folder / (name + ending)):
                return path
    raise _unknown(name, folders)


def user_folder(environ: Mapping[str, str]) -> Path | None:
    """`schemas` in the user's configuration; None when there is no home."""
    base = config_folder(environ)
    return base / "schemas" if base else None


def packaged_folder() -> Path:
    """Where the schemas of the package lie: in a wheel inside it, in a checkout beside it."""
    inside = Path(__file__).parent / "schemas"
    return inside if inside.is_dir() else Path(__file__).parents[2] / "schemas"


def names(folders: list[Path]) -> list[str]:
    """Every schema name in these folders."""
    found = {path.stem for folder in folders if folder.is_dir() for path in folder.iterdir()
             if path.suffix in ENDINGS}  # fmt: skip
    return sorted(found)


def _unknown(name: str, folders: list[Path]) -> UsageError:
    known = names(folders)
    near = difflib.get_close_matches(name, known, 1, 0.6)
    first = f"Did you mean '{near[0]}'? " if near else ""
    return UsageError(
        f"there is no file and no schema named '{name}'",
        hint=f"{first}Names: {', '.join(known)}. For one field write '{name}: str'.",
    )
