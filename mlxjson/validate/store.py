"""Local copies of the schemas that other schemas refer to."""

from pathlib import Path
from typing import Any

from mlxjson.errors import UsageError
from mlxjson.validate.scan import JsonError
from mlxjson.validate.strict import parse


def read_store(folder: Path, base: str = "") -> dict[str, Any]:
    """The schemas of a folder by the URIs that `$ref` may name them by.

    Each `*.json` file counts under its `$id` (or `id`) and, where `base` is given, under `base`
    followed by its path in the folder. Raises UsageError for a file that can't be read.
    """
    if not folder.is_dir():
        raise UsageError("not a folder of schemas", where=str(folder))
    store: dict[str, Any] = {}
    for file in sorted(folder.rglob("*.json")):
        schema = _read(file)
        if base:
            store[base.rstrip("/") + "/" + file.relative_to(folder).as_posix()] = schema
        uri = (schema.get("$id") or schema.get("id")) if isinstance(schema, dict) else None
        if isinstance(uri, str):
            store.setdefault(uri.rstrip("#"), schema)
    return store


def _read(file: Path) -> Any:
    try:
        return parse(file.read_text(encoding="utf-8"))
    except JsonError as error:
        raise UsageError(error.reason, where=f"{file}, {error.where}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"can't be read: {error}", where=str(file)) from None
