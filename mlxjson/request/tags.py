"""xgrammar's structural tags as a grammar: free text in which triggers open parts of a fixed form.

Taken: the form of OpenAI-like servers (`structures` and `triggers`), and `format` of the type
`triggered_tags` whose tags hold a `json_schema`. The schemas are compiled by our front end.
"""

import re
from dataclasses import dataclass
from typing import Any

from mlxjson.constraint import Ebnf
from mlxjson.errors import ConstraintError, UsageError

# What is no name of a rule though it has letters in it: strings and classes.
_PIECES = re.compile(r'"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|([A-Za-z_]\w*)')


@dataclass(frozen=True, slots=True)
class _Tag:
    begin: str
    schema: Any
    end: str


def grammar_of_tags(value: Any, where: str) -> Ebnf:
    """The grammar of a structural tag.

    Raises: UsageError for other forms than those above, ConstraintError where a schema can't be
    enforced wholly, since nothing checks the parts afterwards.
    """
    form = value.get("format", value) if isinstance(value, dict) else None
    if not isinstance(form, dict):
        raise UsageError("a structural tag is an object", where=where)
    given: Any = form.get("structures", form.get("tags"))
    triggers: Any = form.get("triggers")
    if not _is_list_of(given, dict) or not _is_list_of(triggers, str) or not all(triggers):
        raise UsageError(
            "only 'structures' (or 'tags') with 'triggers' are supported",
            where=where,
            hint="A 'format' may be of the type 'triggered_tags', with tags of 'json_schema'.",
        )
    tags = [_tag(each, f"{where}/{number}") for number, each in enumerate(given)]
    for number, tag in enumerate(tags):
        if not tag.begin.startswith(tuple(triggers)):
            raise UsageError("'begin' starts with none of the triggers", where=f"{where}/{number}")
    return Ebnf(_rules(tags, triggers, _many(form)), "structural_tag")


def _is_list_of(value: Any, kind: type) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, kind) for v in value)


def _many(form: dict[str, Any]) -> str:
    """How often there are tags, as the mark of a repetition."""
    least, only_one = bool(form.get("at_least_one")), bool(form.get("stop_after_first"))
    return {(False, False): "*", (True, False): "+", (False, True): "?", (True, True): ""}[
        least, only_one
    ]


def _tag(value: dict[str, Any], where: str) -> _Tag:
    content = value.get("content", {"type": "json_schema", "json_schema": value.get("schema")})
    schema = content.get("json_schema") if isinstance(content, dict) else None
    if schema is None or content.get("type") != "json_schema":
        raise UsageError("a tag needs the 'schema' of what is in it", where=where)
    begin, end = value.get("begin"), value.get("end")
    if not isinstance(begin, str) or not isinstance(end, str):
        raise UsageError("'begin' and 'end' must be strings", where=where)
    return _Tag(begin, schema, end)


def _rules(tags: list[_Tag], triggers: list[str], many: str) -> str:
    from mlxjson.regular import Language, to_ebnf

    anything = Language.everything()
    free, rules = to_ebnf(~(anything + Language.literals(triggers) + anything), "free")
    literals = []
    for number, tag in enumerate(tags):
        rules += _renamed(_compiled(tag.schema), f"tag{number}_")
        begin, more = to_ebnf(Language.literal(tag.begin), f"begin{number}_")
        end, still = to_ebnf(Language.literal(tag.end), f"end{number}_")
        rules += [*more, *still]
        literals.append(f"{begin} tag{number}_root {end}")
    root = f"root ::= (free_text ({' | '.join(literals)})){many} free_text"
    return "\n".join([root, f"free_text ::= {free}", *rules])


def _compiled(schema: Any) -> str:
    from mlxjson.schema import compile_schema

    compiled = compile_schema(schema, closed=True)
    if compiled.findings:
        first = compiled.findings[0]
        raise ConstraintError(
            f"'{first.keyword}' inside a structural tag can't be enforced: {first.reason}",
            where=first.pointer or "#",
        )
    return compiled.ebnf


def _renamed(rules: str, prefix: str) -> list[str]:
    """The same rules under names that begin with `prefix`."""
    renamed = _PIECES.sub(lambda found: prefix + found[1] if found[1] else found[0], rules)
    return renamed.splitlines()
