"""Schemas of Python classes: Pydantic models, dataclasses, TypedDicts, whatever Pydantic knows.

Naming a class imports its module, which runs it: only what the user wrote as `module:Class` comes
here. Modules are looked for in the current folder, then among the installed packages.
"""

import difflib
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, get_origin

from mlxjson.errors import UsageError


def schema_of_class(named: str) -> Any:
    """The schema of the documents that a class accepts.

    Raises: UsageError when the module can't be imported, or the class is none that has a schema.
    """
    module, _, name = named.partition(":")
    with _current_folder_first(), redirect_stdout(sys.stderr):  # stdout is for results
        return _described(_attribute(_imported(module, named), name, named), named)


@contextmanager
def _current_folder_first() -> Iterator[None]:
    """As `python -m` has it. Kept afterwards: a module may import others later."""
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    importlib.invalidate_caches()
    yield


def _imported(module: str, named: str) -> Any:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module}.".startswith(f"{error.name}."):
            raise _no_module(error.name, named) from error
        raise _failed(error, named) from error
    except (Exception, SystemExit) as error:  # it is the user's code: anything may happen
        raise _failed(error, named) from error


def _no_module(missing: str, named: str) -> UsageError:
    near = difflib.get_close_matches(missing, [path.stem for path in Path.cwd().glob("*.py")], 1)
    start = f"Did you mean '{near[0]}'? " if near else ""
    return UsageError(
        f"there is no module '{missing}' in the current folder or installed",
        where=named,
        hint=f"{start}In the short form a space goes behind the colon: 'age: int'.",
    )


def _failed(error: BaseException, named: str) -> UsageError:
    reason = " ".join(str(error).split()) or "no message"
    return UsageError(f"importing it failed: {type(error).__name__}: {reason}", where=named)


def _attribute(module: Any, path: str, named: str) -> Any:
    found = module
    for name in path.split("."):
        if not hasattr(found, name):
            near = difflib.get_close_matches(name, _public(found), 1, 0.6)
            raise UsageError(
                f"there is no '{name}' in {getattr(found, '__name__', module.__name__)}",
                where=named,
                hint=f"Did you mean '{near[0]}'?" if near else "",
            )
        found = getattr(found, name)
    return found


def _public(owner: Any) -> list[str]:
    return [name for name in vars(owner) if not name.startswith("_")]


def _described(kind: Any, named: str) -> Any:
    from pydantic import PydanticUserError, TypeAdapter

    from mlxjson.sources.pydantic_schema import Documents
    from mlxjson.sources.typed_dicts import accepted

    if not isinstance(kind, type) and get_origin(kind) is None:
        raise _no_class(type(kind).__name__, named)
    try:
        return TypeAdapter(accepted(kind)).json_schema(schema_generator=Documents)
    except (PydanticUserError, TypeError, NameError) as error:
        reason = " ".join(str(error).split()).split(". ")[0]
        raise UsageError(f"it has no JSON Schema: {reason}", where=named) from error


def _no_class(kind: str, named: str) -> UsageError:
    return UsageError(
        f"this is a value ({kind}), not a class",
        where=named,
        hint="Name a Pydantic model, a dataclass or a TypedDict.",
    )
