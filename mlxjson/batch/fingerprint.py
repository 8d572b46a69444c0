"""What a batch must have in common with the run it goes on from."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mlxjson.errors import UsageError
from mlxjson.sink import write_atomically


def fingerprint(**parts: Any) -> dict[str, str]:
    """A SHA-256 for each part, of its JSON."""
    return {name: digest(value) for name, value in parts.items()}


def digest(value: Any) -> str:
    """The SHA-256 of a value's JSON, in hex."""
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


def side_file(output: Path) -> Path:
    """Where the fingerprint of an output is kept: `out.jsonl.job`."""
    return output.with_name(f"{output.name}.job")


def check_or_write(output: Path, parts: Mapping[str, str], *, goes_on: bool, force: bool) -> None:
    """Compare with the first run, or write down what the others will be compared with.

    Raises: UsageError when something is another than in the first run, unless `force`.
    """
    path = side_file(output)
    if goes_on and not force:
        if not path.is_file():
            raise UsageError(
                "there is no record of the first run beside it",
                where=str(output),
                hint="With --force it is gone on with as it is.",
            )
        changed = [name for name, value in parts.items() if _read(path).get(name) != value]
        if changed:
            raise UsageError(
                f"the {' and the '.join(changed)} changed since the first run",
                where=str(output),
                hint="Give what was given then, or --force to go on all the same.",
            )
    write_atomically(path, json.dumps(dict(parts), indent=1) + "\n")


def _read(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
