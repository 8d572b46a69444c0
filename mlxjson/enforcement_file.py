"""Enforcements kept on disk: for a known schema, neither the front end runs nor is it imported.

An entry is the grammar's text with the findings, as JSON. Its key holds the constraint and the
state of the code that made it, so that a new version of the front end never reads old results.
"""

import json
from dataclasses import astuple
from typing import Any

from mlxjson.cachefiles import Cache, code_state, key_of
from mlxjson.constraint import Choice, Constraint, JsonObject, JsonSchema, Regex
from mlxjson.enforcement import Enforcement, enforcement
from mlxjson.grammar.sources import EbnfSource
from mlxjson.schema.finding import Finding

_KIND = "grammars"
_CODE = ("enforcement.py", "schema", "regular")


def remembered_enforcement(constraint: Constraint, cache: Cache) -> Enforcement:
    """`enforcement(constraint)`, from `cache` where it was made before.

    Raises: ConstraintError, as `enforcement` does; errors are not remembered.
    """
    text = _said(constraint)
    if text is None or cache.folder is None:
        return enforcement(constraint)
    key = key_of(text, code_state(*_CODE))
    found = _read(cache.get(_KIND, key))
    if found is None:
        found = enforcement(constraint)
        cache.put(_KIND, key, _written(found))
    return found


def _said(constraint: Constraint) -> str | None:
    """All of `constraint` as text; None for those that take no front end."""
    match constraint:
        case JsonSchema(schema, layout):
            # Not sorted: the order of keys is the order of the output.
            return f"schema {layout} {json.dumps(schema)}"
        case JsonObject(layout):
            return f"object {layout}"
        case Choice(options):
            return f"choice {json.dumps(options)}"
        case Regex(pattern):
            return f"regex {pattern}"
        case _:
            return None


def _written(enforced: Enforcement) -> bytes:
    assert isinstance(enforced.source, EbnfSource)
    form = {
        "source": astuple(enforced.source),
        "trusted": enforced.trusted,
        "findings": [astuple(finding) for finding in enforced.findings],
        "is_json": enforced.is_json,
    }
    return json.dumps(form).encode()


def _read(data: bytes | None) -> Enforcement | None:
    if data is None:
        return None
    form: dict[str, Any] = json.loads(data)
    return Enforcement(
        source=EbnfSource(*form["source"]),
        trusted=form["trusted"],
        findings=tuple(Finding(*finding) for finding in form["findings"]),
        is_json=form["is_json"],
    )
