"""What the grammar will enforce of a constraint, and what is left to check afterwards."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mlxjson.constraint import (
    Choice,
    Constraint,
    Ebnf,
    Free,
    JsonObject,
    JsonSchema,
    Lark,
    Regex,
)
from mlxjson.errors import ConstraintError
from mlxjson.grammar.sources import EbnfSource, LarkSource, Source
from mlxjson.schema.finding import Finding

if TYPE_CHECKING:
    from mlxjson.regular import Language
    from mlxjson.validate.failure import Failure

Check = Callable[[str], "Failure | None"]


@dataclass(frozen=True, slots=True)
class Enforcement:
    """A constraint as the grammar takes it.

    Attributes:
        source: the grammar's text; None where anything goes.
        trusted: the grammar is of our own making, with no dead ends.
        findings: what it lets through although the constraint does not.
        is_json: the text is a JSON document; else it is bare text.
    """

    source: Source | None
    trusted: bool = True
    findings: tuple[Finding, ...] = field(default=())
    is_json: bool = False

    @property
    def exact(self) -> bool:
        """The grammar enforces the whole constraint."""
        return not self.findings


def enforcement(constraint: Constraint) -> Enforcement:
    """Raises: ConstraintError when the constraint can't be satisfied or can't be said."""
    match constraint:
        case JsonSchema(schema, layout):
            return _of_schema(schema, layout)
        case JsonObject(layout):
            return _of_schema({"type": "object", "additionalProperties": True}, layout)
        case Choice(options):
            return Enforcement(EbnfSource(_choice_rules(options), "the choices"))
        case Regex(pattern):
            return Enforcement(EbnfSource(_regex_rules(pattern), "the regex"))
        case Ebnf(source, name):
            return Enforcement(EbnfSource(source, name), trusted=False)
        case Lark(source, name):
            return _of_lark(LarkSource(source, name))
        case Free():
            return Enforcement(None)


def switched_off(enforced: Enforcement) -> Enforcement:
    """The same constraint without its grammar: everything is left to check."""
    return replace(enforced, source=None, findings=(Finding("", "grammar", "it is switched off"),))


def _of_schema(schema: Any, layout: Any) -> Enforcement:
    from mlxjson.schema import compile_schema

    compiled = compile_schema(schema, layout, closed=True)
    source = EbnfSource(compiled.ebnf, "the schema's grammar")
    return Enforcement(source, findings=tuple(compiled.findings), is_json=True)


def _of_lark(source: LarkSource) -> Enforcement:
    """A Lark grammar whose `%json` schemas are compiled by our front end, not the engine's."""
    from mlxjson.grammar.lark import with_schemas
    from mlxjson.schema import compile_schema

    findings: list[Finding] = []

    def to_ebnf(schema: Any) -> str:
        compiled = compile_schema(schema, closed=True)
        findings.extend(compiled.findings)
        return compiled.ebnf

    translated = with_schemas(source, to_ebnf)
    return Enforcement(translated, trusted=False, findings=tuple(findings))


def _choice_rules(options: tuple[str, ...]) -> str:
    from mlxjson.regular import Language, to_ebnf

    if not options:
        raise ConstraintError("there is nothing to choose from")
    return _root(*to_ebnf(Language.literals(options), "choice"))


def _regex_rules(pattern: str) -> str:
    from mlxjson.regular import to_ebnf

    language = _regex_language(pattern)
    if language.is_empty():
        raise ConstraintError("no text matches this pattern", where=pattern)
    return _root(*to_ebnf(language, "r"))


def _root(expression: str, rules: list[str]) -> str:
    return "\n".join([f"root ::= {expression}", *rules])


def checker(constraint: Constraint) -> Check:
    """The check of a finished text against the whole constraint, whatever the grammar did."""
    match constraint:
        case JsonSchema(schema, _):
            return _schema_check(schema)
        case JsonObject():
            return _schema_check({"type": "object"})
        case Choice(options):
            return lambda text: None if text in options else _failure("choice", text)
        case Regex(pattern):
            return _regex_check(pattern)
        case _:
            return lambda _text: None


def _schema_check(schema: Any) -> Check:
    from mlxjson.validate import prepare

    return prepare(schema).check


def _regex_check(pattern: str) -> Check:
    # Not `re`: it may take exponential time, and knows nothing of \p{L}.
    language = _regex_language(pattern)
    return lambda text: None if language.accepts(text) else _failure("pattern", text)


def _regex_language(pattern: str) -> "Language":
    from mlxjson.regular import Language

    return Language.pattern(pattern, dialect="python", anchored=True)


def _failure(keyword: str, text: str) -> "Failure":
    from mlxjson.validate.failure import Failure

    return Failure("", keyword, f"{json.dumps(text)} is not what was asked for")
