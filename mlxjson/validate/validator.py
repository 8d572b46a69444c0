"""A schema made ready for many documents."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jsonschema_specifications import REGISTRY as METASCHEMAS
from referencing import Registry

from mlxjson.errors import ConstraintError
from mlxjson.validate.dialects import UNDATED, class_for, draft_of, specification, validator_class
from mlxjson.validate.exact import exactly
from mlxjson.validate.explain import first_failure, message
from mlxjson.validate.failure import Failure
from mlxjson.validate.guard import guarded
from mlxjson.validate.keywords import Watch, watch
from mlxjson.validate.library import jsonschema
from mlxjson.validate.scan import JsonError, token
from mlxjson.validate.strict import parse


@dataclass(frozen=True, slots=True)
class Validator:
    """A prepared schema. Use it for any number of documents, from one thread at a time."""

    schema: Any
    inner: Any

    def check(self, text: str) -> Failure | None:
        """The first failure of a document, or None where it is strict JSON and valid.

        Raises ConstraintError where the schema is malformed, refers to what can't be found,
        refers to itself without end, or takes longer than 10 s.
        """
        try:
            document = parse(text, exact=True)
        except JsonError as error:
            place = (error.offset, error.offset)
            return Failure(error.pointer, "json", error.reason, place, error.offset)
        return guarded(lambda: self._first(document, text), lambda: check_schema(self.schema))

    def _first(self, document: Any, text: str) -> Failure | None:
        watch.set(Watch())
        return first_failure(self.inner.iter_errors(document), text)


def prepare(schema: Any, *, store: Mapping[str, Any] | None = None) -> Validator:
    """Make a schema ready; the draft is that of its `$schema`, else 2020-12.

    `store` holds local copies of other schemas by URI (see `read_store`); nothing is ever fetched.
    The schema itself is not checked here (see `check_schema`). Raises ConstraintError where it is
    no schema at all.
    """
    if not isinstance(schema, dict | bool):
        raise ConstraintError("a schema is an object or a boolean", where="#")

    def build() -> Validator:
        registry = _registry(store or {}, schema)
        exact = exactly(schema)
        return Validator(schema, class_for(exact, registry)(exact, registry=registry))

    return guarded(build, lambda: check_schema(schema))


def check_schema(schema: Any) -> None:
    """Raise ConstraintError with the JSON Pointer where a schema breaks its draft's metaschema.

    Costs 2 to 200 ms, so only `mlxjson check` and the search for the cause of an error call it.
    """
    if not isinstance(schema, dict | bool):
        raise ConstraintError("a schema is an object or a boolean", where="#")
    error = guarded(lambda: _schema_error(schema), lambda: None)
    if error is not None:
        raise error


def _schema_error(schema: Any) -> ConstraintError | None:
    """The error of the schema's own draft, unless it is undated and right in an older one."""
    exact = exactly(schema)
    own = class_for(exact, METASCHEMAS).META_SCHEMA
    error = _against(own, exact)
    dated = isinstance(schema, dict) and draft_of(schema.get("$schema")) != UNDATED
    if error is None or (not dated and any(_against(old, exact) is None for old in _older())):
        return None
    where = "#" + "".join(map(token, error.absolute_path))
    return ConstraintError(message(error.validator or "false", error), where=where)


def _older() -> Iterator[Any]:
    return (validator_class(draft).META_SCHEMA for draft in ("draft-07", "draft-04"))


def _against(metaschema: Any, schema: Any) -> Any:
    watch.set(Watch())
    judge = class_for(metaschema, METASCHEMAS)(metaschema, registry=METASCHEMAS)
    # A pattern written for another dialect, or an odd $id, is no reason to refuse the schema.
    errors = (error for error in judge.iter_errors(schema) if error.validator != "format")
    return jsonschema.exceptions.best_match(errors)


def _registry(store: Mapping[str, Any], root: Any) -> Any:
    """The metaschemas and the local copies; a copy without `$schema` is of the root's draft."""
    if not store:
        return METASCHEMAS
    own = draft_of(root.get("$schema")) if isinstance(root, dict) else UNDATED

    def resource(contents: Any) -> Any:
        named = contents.get("$schema") if isinstance(contents, dict) else None
        return specification(draft_of(named) if named else own).create_resource(exactly(contents))

    return METASCHEMAS.combine(
        Registry().with_resources((uri, resource(contents)) for uri, contents in store.items())
    )
