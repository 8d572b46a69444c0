"""A schema made ready for many documents."""

import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from jsonschema.exceptions import UnknownType, ValidationError, _WrappedReferencingError
from jsonschema_specifications import REGISTRY as METASCHEMAS
from referencing import Registry, Resource
from referencing.exceptions import Unresolvable

from mlxjson.errors import ConstraintError
from mlxjson.validate.dialects import DEFAULT, class_for, draft_of, specification
from mlxjson.validate.exact import exactly
from mlxjson.validate.failure import Failure, first_failure, message
from mlxjson.validate.keywords import TIME_LIMIT, deadline
from mlxjson.validate.scan import JsonError, token
from mlxjson.validate.strict import parse

Result = TypeVar("Result")

_DEEP_FRAMES = 100_000
_DEEP_STACK = 512 << 20
_DEEP_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True)
class Validator:
    """A prepared schema. Use it for any number of documents, from one thread at a time."""

    schema: Any
    inner: Any

    def check(self, text: str) -> Failure | None:
        """The first failure of a document, or None where it is strict JSON and valid.

        Raises ConstraintError where the schema is malformed, refers to what can't be found,
        refers to itself without end, or takes longer than `TIME_LIMIT` seconds.
        """
        try:
            document = parse(text, exact=True)
        except JsonError as error:
            place = (error.offset, error.offset)
            return Failure(error.pointer, "json", error.reason, place, error.offset)
        return _guarded(self.schema, lambda: self._first(document, text))

    def _first(self, document: Any, text: str) -> Failure | None:
        clock = deadline.set(time.monotonic() + TIME_LIMIT)
        try:
            return first_failure(self.inner.iter_errors(document), text)
        finally:
            deadline.reset(clock)


def prepare(schema: Any, *, store: Mapping[str, Any] | None = None) -> Validator:
    """Make a schema ready; the draft is that of its `$schema`, else 2020-12.

    `store` holds local copies of other schemas by URI; nothing is ever fetched. The schema itself
    is not checked here (see `check_schema`). Raises ConstraintError where it is no schema at all.
    """
    if not isinstance(schema, dict | bool):
        raise ConstraintError("a schema is an object or a boolean", where="#")

    def build() -> Validator:
        registry = _registry(store or {})
        exact = exactly(schema)
        return Validator(schema, class_for(exact, registry)(exact, registry=registry))

    return _guarded(schema, build)


def check_schema(schema: Any) -> None:
    """Raise ConstraintError with the JSON Pointer where a schema breaks its draft's metaschema.

    Costs 1 to 50 ms, so only `mlxjson check` and the search for the cause of an error call it.
    """
    if not isinstance(schema, dict | bool):
        raise ConstraintError("a schema is an object or a boolean", where="#")
    error = _guarded(None, lambda: _schema_error(schema))
    if error is not None:
        raise error


def _schema_error(schema: Any) -> ConstraintError | None:
    from jsonschema.exceptions import best_match

    exact, registry = exactly(schema), _registry({})
    judge = class_for(exact, registry)
    metaschema = class_for(judge.META_SCHEMA, registry)(judge.META_SCHEMA, registry=registry)
    error = best_match(metaschema.iter_errors(exact))
    if error is None:
        return None
    where = "#" + "".join(map(token, error.absolute_path))
    return ConstraintError(message(error.validator or "false", error), where=where)


def _registry(store: Mapping[str, Any]) -> Any:
    if not store:
        return METASCHEMAS
    return METASCHEMAS.combine(
        Registry().with_resources((uri, _resource(contents)) for uri, contents in store.items())
    )


def _resource(contents: Any) -> Any:
    own = contents.get("$schema") if isinstance(contents, dict) else None
    return Resource(exactly(contents), specification(draft_of(own) or DEFAULT))


def _guarded(schema: Any, work: Callable[[], Result]) -> Result:
    """Run `work` with jsonschema's exceptions mapped to ours, on a deeper stack where it must be."""
    try:
        return work()
    except RecursionError:
        return _guarded_deep(schema, work)
    except ConstraintError:
        raise
    except (Unresolvable, _WrappedReferencingError) as error:
        raise ConstraintError(
            f"the reference {_target(error)!r} can't be resolved", hint=_HINT
        ) from None
    except (UnknownType, TypeError, ValueError, AttributeError, LookupError) as error:
        # jsonschema trusts the schema it is given; ask the metaschema what is wrong with this one.
        if schema is not None:
            check_schema(schema)
        raise ConstraintError(f"the schema can't be used: {type(error).__name__}") from error


_HINT = "remote schemas are not fetched; give a local copy or put it under $defs"


def _target(error: Any) -> str:
    return str(getattr(error, "ref", error))


def _guarded_deep(schema: Any, work: Callable[[], Result]) -> Result:
    """Run `work` again in a thread whose stack holds 100,000 frames."""
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    with _DEEP_LOCK:
        _in_deep_thread(run)
    if not errors:
        return results[0]
    if isinstance(errors[0], RecursionError):
        raise ConstraintError("the schema refers to itself without end, or is nested too deeply")

    def again() -> Result:
        raise errors[0]

    return _guarded(schema, again)


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


__all__ = ["Failure", "ValidationError", "Validator", "check_schema", "prepare"]
