"""Running jsonschema: its exceptions mapped to ours, and a stack deep enough for its recursion."""

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

from referencing.exceptions import Unresolvable

from mlxjson.errors import ConstraintError
from mlxjson.validate.keywords import unresolved
from mlxjson.validate.library import jsonschema

Result = TypeVar("Result")

_DEEP_FRAMES = 100_000
_DEEP_STACK = 128 << 20
_DEEP_LOCK = threading.Lock()
# What jsonschema raises on a schema that its metaschema would refuse.
_TRUSTED_TOO_MUCH = (
    jsonschema.exceptions.UnknownType,
    jsonschema.exceptions.UndefinedTypeCheck,
    TypeError,
    ValueError,
    AttributeError,
    LookupError,
    ArithmeticError,
)


def guarded(work: Callable[[], Result], explain: Callable[[], None]) -> Result:
    """The result of `work`, on a deeper stack where it must be; all errors are ConstraintError.

    `explain` is called when the schema seems malformed, and raises what it finds wrong with it.
    """
    try:
        return _shallow(work)
    except RecursionError:
        return guarded(_deep(work), explain)
    except Unresolvable as error:
        raise unresolved(str(error.ref)) from None
    except _TRUSTED_TOO_MUCH as error:
        explain()
        raise ConstraintError(f"the schema can't be used: {type(error).__name__}") from error


def _shallow(work: Callable[[], Result]) -> Result:
    """Run `work`; a stack that overflows below Rust code comes out as its panic."""
    try:
        return work()
    except BaseException as error:
        if type(error).__name__ == "PanicException":
            raise RecursionError from error
        raise


def _deep(work: Callable[[], Result]) -> Callable[[], Result]:
    """Run `work` again, in a thread that may hold 100,000 frames; what it gives, or raises."""
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(_shallow(work))
        except RecursionError:
            errors.append(
                ConstraintError("the schema refers to itself without end, or is nested too deeply")
            )
        except BaseException as error:
            errors.append(error)

    def again() -> Result:
        if errors:
            raise errors[0]
        return results[0]

    with _DEEP_LOCK:
        _in_deep_thread(run)
    return again


def _in_deep_thread(run: Callable[[], None]) -> None:
    limit, size = sys.getrecursionlimit(), threading.stack_size(_DEEP_STACK)
    try:
        sys.setrecursionlimit(_DEEP_FRAMES)
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)
