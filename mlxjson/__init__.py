"""Schema-constrained generation with local models on MLX.

    from mlxjson import generate

    person = generate("Ada Lovelace, 36, lives in London.", schema={"type": "object", ...})

Nothing heavy is imported until it is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mlxjson.api import generate, open_session
    from mlxjson.constraint import (
        Choice,
        Ebnf,
        Free,
        JsonObject,
        JsonSchema,
        Lark,
        Layout,
        Regex,
    )
    from mlxjson.errors import MlxjsonError
    from mlxjson.session import Session
    from mlxjson.task import Result, Task

__version__ = "0.1.0"

_HOMES = {
    "Choice": "constraint",
    "Ebnf": "constraint",
    "Free": "constraint",
    "JsonObject": "constraint",
    "JsonSchema": "constraint",
    "Lark": "constraint",
    "Layout": "constraint",
    "MlxjsonError": "errors",
    "Regex": "constraint",
    "Result": "task",
    "Session": "session",
    "Task": "task",
    "generate": "api",
    "open_session": "api",
}

__all__ = [
    "Choice",
    "Ebnf",
    "Free",
    "JsonObject",
    "JsonSchema",
    "Lark",
    "Layout",
    "MlxjsonError",
    "Regex",
    "Result",
    "Session",
    "Task",
    "generate",
    "open_session",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"mlxjson.{_HOMES[name]}"), name)
