"""Constraints made ready once, for as many runs as want them."""

import hashlib
import json
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING

from mlxjson.cachefiles import Cache
from mlxjson.constraint import Constraint, JsonObject, JsonSchema
from mlxjson.enforcement import Check, Enforcement, checker, enforcement, switched_off
from mlxjson.enforcement_file import remembered_enforcement
from mlxjson.errors import NotEnforceable
from mlxjson.schema.finding import Finding

if TYPE_CHECKING:
    from mlxjson.decode.matcher import Matcher
    from mlxjson.grammar import Engine
    from mlxjson.validate.failure import Failure

# A document a schema, all different, must not fill the memory.
_MOST_REMEMBERED = 32


class Prepared:
    """What the grammar takes of a constraint, and the check of all of it.

    `unenforced` says why there is no grammar of it; "" where there is one.
    """

    def __init__(self, constraint: Constraint, enforced: Enforcement, unenforced: str = "") -> None:
        self.unenforced = unenforced
        self._constraint = constraint
        self._enforced = enforced
        self._check: Check | None = None

    def enforcement(self, *, enforce: bool = True, strict: bool = False) -> Enforcement:
        """What the grammar enforces; without `enforce`, nothing.

        Raises: NotEnforceable where that is not everything and `strict` asks for it.
        """
        enforced = self._enforced if enforce else switched_off(self._enforced)
        if strict and not enforced.exact:
            raise _not_enforceable(enforced)
        return enforced

    def check(self, text: str) -> "Failure | None":
        """Why a finished text fails the whole constraint; None if it does not."""
        if self._check is None:
            self._check = checker(self._constraint)
        return self._check(text)


class Shelf:
    """The latest prepared constraints, found again by content, and older ones from disk."""

    def __init__(self, cache: Cache, most: int = _MOST_REMEMBERED) -> None:
        self._cache = cache
        self._most = most
        self._latest: tuple[Constraint, bool, Prepared] | None = None
        self._kept: OrderedDict[object, Prepared] = OrderedDict()

    def prepared(self, constraint: Constraint, *, or_degraded: bool = False) -> Prepared:
        """A constraint made ready; one that was degraded before as such, if that will do.

        Raises: ConstraintError when the constraint can't be satisfied or can't be said.
        """
        latest = self._latest
        if latest is None or latest[0] is not constraint or latest[1] is not or_degraded:
            latest = constraint, or_degraded, self._found(constraint, or_degraded)
            self._latest = latest
        return latest[2]

    def degraded(self, constraint: Constraint, reason: str) -> Prepared:
        """A schema that can't be compiled, for `reason`. Raises: as `degraded` below."""
        made = degraded(constraint, reason)
        self._keep((key_of(constraint), "degraded"), made)
        self._latest = constraint, True, made
        return made

    def _found(self, constraint: Constraint, or_degraded: bool) -> Prepared:
        key = key_of(constraint)
        if or_degraded and (known := self._kept.get((key, "degraded"))) is not None:
            return known
        found = self._kept.pop(key, None) or Prepared(
            constraint, remembered_enforcement(constraint, self._cache)
        )
        self._keep(key, found)
        return found

    def _keep(self, key: object, prepared: Prepared) -> None:
        self._kept[key] = prepared
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)


def degraded(constraint: Constraint, reason: str = "it can't be compiled") -> Prepared:
    """A schema that can't be compiled: the grammar of any JSON, and the check of the schema.

    Raises: ConstraintError where it can't be checked either.
    """
    assert isinstance(constraint, JsonSchema)
    is_object = isinstance(constraint.schema, dict) and constraint.schema.get("type") == "object"
    plain = JsonObject(constraint.layout) if is_object else JsonSchema(True, constraint.layout)
    finding = Finding("", "schema", "it can't be compiled")
    made = Prepared(constraint, replace(enforcement(plain), findings=(finding,)), reason)
    made.check("null")  # so that a schema that is none fails before the model runs
    return made


def key_of(constraint: Constraint) -> object:
    """Equal for constraints that say the same. The order of a schema's keys says something."""
    if not isinstance(constraint, JsonSchema):
        return constraint
    text = json.dumps(constraint.schema)
    return hashlib.sha256(text.encode()).digest(), constraint.layout


def matcher_of(enforced: Enforcement, engine: "Engine") -> "Matcher":
    """A matcher at the start of the grammar, or one that lets everything through."""
    if enforced.source is None:
        from mlxjson.decode.matcher import Unconstrained

        return Unconstrained(len(engine.vocabulary.tokens), engine.vocabulary.stop_ids)
    return engine.compile(enforced.source, trusted=enforced.trusted).matcher()


def _not_enforceable(enforced: Enforcement) -> NotEnforceable:
    first = enforced.findings[0]
    more = f" (and {len(enforced.findings) - 1} more)" if len(enforced.findings) > 1 else ""
    return NotEnforceable(
        f"the grammar can't enforce '{first.keyword}': {first.reason}{more}",
        where=first.pointer or "#",
        hint="Without --strict it is checked afterwards; 'mlxjson check' lists everything.",
    )
