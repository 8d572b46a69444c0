"""The record of a batch: with what it was made, and what came of it."""

import json
import platform
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from mlxjson.batch.totals import Totals
from mlxjson.sink import write_atomically

_PACKAGES = ("mlxjson", "mlx", "mlx-lm", "xgrammar", "tokenizers", "jsonschema", "numpy")


def manifest(started: datetime, given: Mapping[str, Any], totals: Totals) -> dict[str, Any]:
    """Versions, what was given (model, hashes, options), times and totals."""
    return {
        "versions": {**{name: _version(name) for name in _PACKAGES}, "python": sys.version},
        "platform": platform.platform(),
        **given,
        "started": started.isoformat(timespec="seconds"),
        "ended": datetime.now(UTC).isoformat(timespec="seconds"),
        "totals": totals.as_dict(),
    }


def write_manifest(path: Path, content: Mapping[str, Any]) -> None:
    """Put it in place in one step. Raises: UsageError."""
    write_atomically(path, json.dumps(content, indent=1, ensure_ascii=False, default=str) + "\n")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
