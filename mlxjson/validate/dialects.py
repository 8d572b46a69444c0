"""Which draft a schema is written in, and the validator class for it.

The classes are jsonschema's, with our keywords in place of some of theirs and an `evolve` that
stays among our classes where a subschema has a `$schema` of its own.
"""

from functools import lru_cache
from typing import Any

import jsonschema
from jsonschema import validators as stock
from referencing import Specification
from referencing.exceptions import NoSuchResource
from referencing.jsonschema import specification_with

from mlxjson.validate import evaluated, keywords
from mlxjson.validate.exact import is_number, is_whole
from mlxjson.validate.formats import names_for

_DRAFTS = {
    "draft-03": jsonschema.Draft3Validator,
    "draft-04": jsonschema.Draft4Validator,
    "draft-06": jsonschema.Draft6Validator,
    "draft-07": jsonschema.Draft7Validator,
    "draft/2019-09": jsonschema.Draft201909Validator,
    "draft/2020-12": jsonschema.Draft202012Validator,
}
DEFAULT = "draft/2020-12"
_MODERN = ("draft/2019-09", "draft/2020-12")

# Section 8.1.2 of the core specification: a metaschema's `$vocabulary` names the keywords in force.
_VOCABULARIES = {
    "core": {"$ref", "$dynamicRef", "$recursiveRef"},
    "applicator": {
        "additionalItems", "additionalProperties", "allOf", "anyOf", "contains", "dependentSchemas",
        "else", "if", "items", "not", "oneOf", "patternProperties", "prefixItems", "properties",
        "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
    },
    "unevaluated": {"unevaluatedItems", "unevaluatedProperties"},
    "validation": {
        "const", "dependentRequired", "enum", "exclusiveMaximum", "exclusiveMinimum", "maxItems",
        "maxLength", "maxProperties", "maximum", "minItems", "minLength", "minProperties",
        "minimum", "multipleOf", "pattern", "required", "type", "uniqueItems",
    },
    "format": {"format"}, "format-annotation": {"format"}, "format-assertion": {"format"},
}  # fmt: skip


def draft_of(uri: Any) -> str | None:
    """The draft that a `$schema` URI names, in any of its usual spellings; None if it names none."""
    if not isinstance(uri, str):
        return None
    scheme, _, rest = uri.rstrip("#").partition("://json-schema.org/")
    name = rest.removesuffix("/schema")
    return name if scheme in ("http", "https") and rest != name and name in _DRAFTS else None


@lru_cache(maxsize=64)
def validator_class(draft: str, vocabularies: frozenset[str] | None = None) -> Any:
    """The class for a draft; `vocabularies` (short names) limits it to the keywords in these."""
    base = _DRAFTS[draft]
    table = {**base.VALIDATORS, **_replacements(draft, base)}
    if vocabularies is not None:
        allowed = set().union(*(_VOCABULARIES.get(name, set()) for name in vocabularies))
        table = {key: check for key, check in table.items() if key in allowed}
    made = stock.create(
        meta_schema=base.META_SCHEMA,
        validators=table,
        type_checker=base.TYPE_CHECKER.redefine_many(_type_checks(draft)),
        format_checker=None,
        id_of=base.ID_OF,
        applicable_validators=base._APPLICABLE_VALIDATORS,
    )
    made.SPECIFICATION = specification(draft)
    made.evolve = _evolve
    return made


def specification(draft: str) -> Specification[Any]:
    """How `referencing` reads a resource of this draft."""
    suffix = "" if draft in _MODERN else "#"
    scheme = "https" if draft in _MODERN else "http"
    return specification_with(f"{scheme}://json-schema.org/{draft}/schema{suffix}")


def class_for(schema: Any, registry: Any, default: Any = None) -> Any:
    """The class for a schema by its `$schema`, else `default`, else that of 2020-12."""
    uri = schema.get("$schema") if isinstance(schema, dict) else None
    if uri is None:
        return default or validator_class(DEFAULT)
    draft = draft_of(uri)
    return validator_class(draft) if draft else _custom_class(uri, registry, set())


def _custom_class(uri: Any, registry: Any, seen: set[Any]) -> Any:
    """The class for a metaschema of someone's own, found in the registry; else that of 2020-12."""
    metaschema = _contents(uri, registry)
    if metaschema is None or uri in seen:
        return validator_class(DEFAULT)
    above = metaschema.get("$schema")
    draft = draft_of(above)
    if draft is None:
        return _custom_class(above, registry, seen | {uri})
    vocabularies = metaschema.get("$vocabulary")
    if draft not in _MODERN or not isinstance(vocabularies, dict):
        return validator_class(draft)
    return validator_class(draft, frozenset(name.rsplit("/", 1)[-1] for name in vocabularies))


def _contents(uri: Any, registry: Any) -> dict[str, Any] | None:
    if not isinstance(uri, str):
        return None
    try:
        contents = registry.get_or_retrieve(uri.rstrip("#")).value.contents
    except (NoSuchResource, LookupError):
        return None
    return contents if isinstance(contents, dict) else None


def _evolve(self: Any, **changes: Any) -> Any:
    schema = changes.setdefault("schema", self.schema)
    changes.setdefault("format_checker", None)
    changes.setdefault("registry", self._registry)
    changes.setdefault("_resolver", self._resolver)
    return class_for(schema, self._registry, self.__class__)(**changes)


def _type_checks(draft: str) -> dict[str, Any]:
    checks: dict[str, Any] = {"number": lambda _, value: is_number(value)}
    if draft not in ("draft-03", "draft-04"):
        checks["integer"] = lambda _, value: is_whole(value)
    return checks


def _replacements(draft: str, base: Any) -> dict[str, Any]:
    """Our keywords for those that the draft has, and the old spellings that new drafts understand."""
    table = base.VALIDATORS
    ours = {
        "additionalProperties": keywords.additional_properties,
        "const": keywords.const,
        "divisibleBy": keywords.multiple_of,
        "enum": keywords.enum,
        "format": keywords.format_for(names_for(draft)),
        "multipleOf": keywords.multiple_of,
        "pattern": keywords.pattern,
        "patternProperties": keywords.pattern_properties,
        "required": keywords.required,
        "type": keywords.types,
        "unevaluatedItems": evaluated.unevaluated_items,
        "unevaluatedProperties": evaluated.unevaluated_properties,
        "uniqueItems": keywords.unique_items,
    }
    for bound in ("Minimum", "Maximum"):
        if (strict := f"exclusive{bound}") in table:
            ours[strict] = keywords.exclusive(bound.lower(), table[strict])
    for reference in ("$ref", "$dynamicRef", "$recursiveRef"):
        if reference in table:
            ours[reference] = keywords.timed(table[reference])
    if draft in _MODERN:
        ours["dependencies"] = jsonschema.Draft7Validator.VALIDATORS["dependencies"]
    if draft == DEFAULT:
        ours["items"] = keywords.items_or_array(table["items"])
    kept = set(table) | {"dependencies"}
    if draft == "draft-03":
        kept -= {"type"}  # there it holds schemas too
    return {key: check for key, check in ours.items() if key in kept}
