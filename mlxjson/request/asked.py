"""Which constraint a body asks for, when it names one or several."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from mlxjson.constraint import Choice, Constraint, Free, JsonObject, JsonSchema, Layout, Regex
from mlxjson.errors import UsageError
from mlxjson.inputs import grammar_of, parse_json
from mlxjson.request.body import Body, ObjectFormat, SchemaFormat, StructuredOutputs, TagFormat

Make = Callable[[Layout], Constraint]


@dataclass(frozen=True, slots=True)
class Asked:
    """The constraint that decides, the field that named it, and the fields that lost."""

    constraint: Constraint
    field: str = ""
    losers: tuple[str, ...] = ()


def asked(body: Body, layout: Layout, where: str) -> Asked:
    """The constraint of a body; free text where it names none.

    Of several the first of this order decides: `guided_grammar`, a `response_format` of
    `json_schema`, `json_object` or `structural_tag`, `structured_outputs`, `guided_json`,
    `structural_tag`, `guided_regex`, `guided_choice`. White space is `layout` unless the body
    says something about it.

    Raises: UsageError.
    """
    found = list(_candidates(body, where))
    if not found:
        return Asked(Free())
    field, make = found[0]
    return Asked(make(layout), field, tuple(name for name, _ in found[1:]))


def _candidates(body: Body, where: str) -> Iterator[tuple[str, Make]]:
    """Every constraint of the body, the strongest first."""
    if (grammar := body.guided_grammar) is not None:
        yield "guided_grammar", lambda _layout: _grammar(grammar, "guided_grammar")
    match body.response_format:
        case SchemaFormat() | ObjectFormat() | TagFormat() as form:
            yield "response_format", lambda layout: _of_format(form, layout, where)
    if (outputs := body.structured_outputs) is not None and _kinds(outputs):
        yield "structured_outputs", lambda layout: _of_outputs(outputs, layout, where)
    if (schema := body.guided_json) is not None:
        at = f"{where}: /guided_json"
        yield "guided_json", lambda layout: JsonSchema(_schema(schema, at), layout)
    if (tag := body.structural_tag) is not None:
        yield "structural_tag", lambda _layout: _tags(tag, f"{where}: /structural_tag")
    if (pattern := body.guided_regex) is not None:
        yield "guided_regex", lambda _layout: Regex(pattern)
    if (options := body.guided_choice) is not None:
        yield "guided_choice", lambda _layout: Choice(tuple(dict.fromkeys(options)))


def _of_format(
    form: SchemaFormat | ObjectFormat | TagFormat, layout: Layout, where: str
) -> Constraint:
    match form:
        case SchemaFormat(json_schema=named):
            any_space = named.any_whitespace if form.any_whitespace is None else form.any_whitespace
            return JsonSchema(named.schema_, _spaced(any_space, layout))
        case ObjectFormat():
            spaced = _spaced(form.any_whitespace, layout)
            return JsonObject(spaced) if form.schema_ is None else JsonSchema(form.schema_, spaced)
        case TagFormat():
            return _tags(form.model_dump(exclude_none=True), f"{where}: /response_format")


def _of_outputs(outputs: StructuredOutputs, layout: Layout, where: str) -> Constraint:
    """vLLM's `structured_outputs`, which takes one constraint."""
    at = f"{where}: /structured_outputs"
    kinds = _kinds(outputs)
    if len(kinds) > 1:
        raise UsageError(f"'{kinds[0]}' and '{kinds[1]}' can't both be given", where=at)
    fixed = outputs.disable_any_whitespace
    layout = _spaced(None if fixed is None else not fixed, layout)
    match kinds[0]:
        case "json":
            return JsonSchema(_schema(outputs.json_, f"{at}/json"), layout)
        case "json_object":
            return JsonObject(layout)
        case "regex":
            return Regex(outputs.regex or "")
        case "choice":
            return Choice(tuple(dict.fromkeys(outputs.choice or ())))
        case "grammar":
            return _grammar(outputs.grammar or "", "structured_outputs/grammar")
        case _:
            return _tags(outputs.structural_tag, f"{at}/structural_tag")


def _kinds(outputs: StructuredOutputs) -> list[str]:
    given = {
        "json": outputs.json_ is not None,
        "json_object": bool(outputs.json_object),
        "regex": outputs.regex is not None,
        "choice": outputs.choice is not None,
        "grammar": outputs.grammar is not None,
        "structural_tag": outputs.structural_tag is not None,
    }
    return [name for name, is_given in given.items() if is_given]


def _spaced(any_whitespace: bool | None, layout: Layout) -> Layout:
    """`any_whitespace: false` is the fixed `", "` and `": "`; true leaves it to the model."""
    if any_whitespace is None:
        return layout
    return Layout.FLEXIBLE if any_whitespace else Layout.SPACED


def _schema(given: Any, where: str) -> Any:
    """A schema, which may also be the JSON of one in a string."""
    return parse_json(given, where) if isinstance(given, str) else given


def _grammar(source: str, name: str) -> Constraint:
    return grammar_of(source, name, None)


def _tags(given: Any, where: str) -> Constraint:
    from mlxjson.request.tags import grammar_of_tags

    value = parse_json(given, where) if isinstance(given, str) else given
    return grammar_of_tags(json.loads(json.dumps(value)), where)
