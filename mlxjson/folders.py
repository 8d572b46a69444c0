"""Where the tool keeps what it may lose, and where its user keeps settings: XDG folders."""

import os
from collections.abc import Mapping
from pathlib import Path


def cache_folder(environ: Mapping[str, str] = os.environ) -> Path | None:
    """`$XDG_CACHE_HOME/mlxjson`, else `$HOME/.cache/mlxjson`; None when neither is set."""
    if base := environ.get("XDG_CACHE_HOME"):
        return Path(base) / "mlxjson"
    if home := environ.get("HOME"):
        return Path(home) / ".cache" / "mlxjson"
    return None


def config_folder(environ: Mapping[str, str] = os.environ) -> Path | None:
    """`$XDG_CONFIG_HOME/mlxjson`, else `$HOME/.config/mlxjson`; None when neither is set."""
    if base := environ.get("XDG_CONFIG_HOME"):
        return Path(base) / "mlxjson"
    if home := environ.get("HOME"):
        return Path(home) / ".config" / "mlxjson"
    return None
