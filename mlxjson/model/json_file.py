"""JSON objects of a model folder."""

import json
from pathlib import Path
from typing import Any

from mlxjson.errors import ModelError


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in `path`; {} if there is no such file.

    Raises:
        ModelError: it can't be read, or is not a JSON object.
    """
    try:
        value = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"can't be read as JSON: {error}", where=str(path)) from error
    if not isinstance(value, dict):
        raise ModelError("not a JSON object", where=str(path))
    return value
