"""What of a schema the grammar enforces, keyword by keyword.

The engine behind the table of `mlxjson check SCHEMA`: it reads no files and writes nothing.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mlxjson.constraint import Layout
from mlxjson.errors import ConstraintError
from mlxjson.schema import SchemaGrammar, compile_schema
from mlxjson.schema.finding import Finding

ENFORCED, CHECKED, REFUSED, IGNORED = "enforced", "checked", "refused", "ignored"

_ONE = frozenset({
    "additionalProperties", "additionalItems", "items", "contains", "not", "if", "then", "else",
    "propertyNames", "unevaluatedItems", "unevaluatedProperties",
})  # fmt: skip
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "items"})
_MAPS = frozenset({
    "properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions",
})  # fmt: skip
_PLAIN = frozenset({
    "type", "enum", "const", "multipleOf", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "minLength", "maxLength", "pattern", "format", "minItems", "maxItems",
    "uniqueItems", "minContains", "maxContains", "required", "minProperties", "maxProperties",
    "dependentRequired", "$ref", "$dynamicRef", "$recursiveRef", "nullable",
})  # fmt: skip
_SAID = (_ONE | _LISTS | _MAPS | _PLAIN) - {"$defs", "definitions", "then", "else"}


@dataclass(frozen=True, slots=True)
class Row:
    """One keyword of the schema.

    Attributes:
        pointer: JSON Pointer to the subschema, "" for the root.
        keyword: a keyword of it, or in brackets what goes with none.
        state: "enforced" by the grammar, "checked" afterwards, "refused" where nothing can be
            generated because of it, "ignored" where nobody knows what it asks for.
        reason: why it is not enforced, "" where it is.
    """

    pointer: str
    keyword: str
    state: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Audit:
    """The rows and figures of one schema, as it is generated.

    Attributes:
        exact: the grammar enforces the whole schema.
        compile_ms: milliseconds from the schema to the compiled grammar.
        rules, characters: the size of the grammar.
        finite: whether it has finitely many documents.
        shortest: a shortest document, spaced; None where it can't be told simply.
        grammar: None where nothing can be generated; the error is `refusal` then.
    """

    rows: list[Row]
    exact: bool = False
    compile_ms: float = 0.0
    rules: int = 0
    characters: int = 0
    finite: bool = False
    shortest: str | None = None
    grammar: SchemaGrammar | None = None
    refusal: ConstraintError | None = None


def audit(
    schema: Any,
    compile_: Callable[[str], Any],
    *,
    layout: Layout = Layout.SPACED,
    store: Mapping[str, Any] | None = None,
) -> Audit:
    """The audit of `schema`; a schema of which nothing can be generated has a row "refused".

    `compile_` takes the text of a grammar (see `check.compiler`).
    """
    import mlxjson.schema.emit
    import mlxjson.schema.front  # noqa: F401  (loading the code is not compiling)

    start = time.perf_counter()
    try:
        grammar = compile_schema(schema, layout, closed=True, store=store)
        compile_(grammar.ebnf)
        compile_ms = (time.perf_counter() - start) * 1000
        # Validating takes parts of a schema to task that the grammar leaves out.
        smallest = _shortest(schema, grammar, store)
    except ConstraintError as error:
        return Audit(_refused(schema, error), refusal=error)
    return Audit(
        list(rows(schema, grammar.findings)),
        exact=grammar.exact,
        compile_ms=round(compile_ms, 3),
        rules=grammar.ebnf.count("\n"),
        characters=len(grammar.ebnf),
        finite=_is_finite(grammar),
        shortest=smallest,
        grammar=grammar,
    )


def _is_finite(grammar: SchemaGrammar) -> bool:
    from mlxjson.schema.measure import is_finite

    return is_finite(grammar.program)


def _shortest(schema: Any, grammar: SchemaGrammar, store: Mapping[str, Any] | None) -> str | None:
    """Given only if it is valid: the table may let through what the schema doesn't."""
    from mlxjson.schema.measure import shortest
    from mlxjson.validate import prepare

    text = shortest(grammar.program)
    return text if text is None or prepare(schema, store=store).check(text) is None else None


def rows(schema: Any, findings: list[Finding]) -> Iterator[Row]:
    """Every keyword that asks for something, then findings that belong to none of them."""
    left = {(f.pointer, f.keyword): f for f in findings}
    for pointer, subschema in subschemas(schema):
        for keyword in subschema:
            if keyword in _SAID:
                finding = left.pop((pointer, keyword), None)
                yield _row(pointer, keyword, subschema[keyword], finding)
    for finding in left.values():
        yield _row(finding.pointer, finding.keyword, None, finding)


def _row(pointer: str, keyword: str, value: Any, finding: Finding | None) -> Row:
    from mlxjson.schema.strings import FORMATS

    if finding is not None:
        return Row(pointer, keyword, REFUSED if finding.refused else CHECKED, finding.reason)
    if keyword == "format" and isinstance(value, str) and value not in FORMATS:
        return Row(pointer, keyword, IGNORED, f"nothing is known of a format {value!r}")
    return Row(pointer, keyword, ENFORCED)


def _refused(schema: Any, error: ConstraintError) -> list[Row]:
    """The place that an error names, before the rows of nothing else."""
    where = error.where.removeprefix("schema at ").strip("'#")
    pointer = where if where == "" or where.startswith("/") else ""
    keyword = pointer.rpartition("/")[2] if _is_keyword(schema, pointer) else "(schema)"
    if keyword != "(schema)":
        pointer = pointer.rpartition("/")[0]
    return [Row(pointer, keyword, REFUSED, error.message)]


def _is_keyword(schema: Any, pointer: str) -> bool:
    name = pointer.rpartition("/")[2]
    return name in _SAID and pointer not in {where for where, _ in subschemas(schema)}


def subschemas(schema: Any, pointer: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """The schema and all that lie in it, each with its pointer; booleans left out."""
    waiting = [(pointer, schema)]
    while waiting:
        where, current = waiting.pop(0)
        if not isinstance(current, dict):
            continue
        yield where, current
        inner: list[tuple[str, Any]] = []
        for keyword, value in current.items():
            base = f"{where}/{escaped(keyword)}"
            if keyword in _MAPS and isinstance(value, dict):
                inner += [(f"{base}/{escaped(name)}", each) for name, each in value.items()]
            elif keyword in _LISTS and isinstance(value, list):
                inner += [(f"{base}/{index}", each) for index, each in enumerate(value)]
            elif keyword in _ONE:
                inner.append((base, value))
        waiting[:0] = inner


def escaped(name: str) -> str:
    """A name as a part of a JSON Pointer (RFC 6901, section 3)."""
    return name.replace("~", "~0").replace("/", "~1")
