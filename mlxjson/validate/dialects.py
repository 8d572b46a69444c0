"""Which draft a schema is written in, and the validator class for it.

The classes are jsonschema's, with our keywords in place of some of theirs and an `evolve` that
stays among our classes where a subschema has a `$schema` of its own.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from referencing import Specification
from referencing.exceptions import NoSuchResource
from referencing.jsonschema import specification_with

from mlxjson.validate import evaluated, keywords
from mlxjson.validate.exact import is_number, is_whole
from mlxjson.validate.library import jsonschema

_DRAFTS = {
    "draft-04": jsonschema.Draft4Validator,
    "draft-06": jsonschema.Draft6Validator,
    "draft-07": jsonschema.Draft7Validator,
    "draft/2019-09": jsonschema.Draft201909Validator,
    "draft/2020-12": jsonschema.Draft202012Validator,
}
_LATEST = "draft/2020-12"
UNDATED = "undated"  # no `$schema`: 2020-12, in which the old spellings still mean what they did

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


def draft_of(uri: Any) -> str:
    """The draft that a `$schema` URI names, in any of its usual spellings; else `UNDATED`."""
    if not isinstance(uri, str):
        return UNDATED
    scheme, _, rest = uri.rstrip("#").partition("://json-schema.org/")
    name = rest.removesuffix("/schema")
    known = scheme in ("http", "https") and rest != name and name in _DRAFTS
    return name if known else UNDATED


@lru_cache(maxsize=64)
def validator_class(draft: str, vocabularies: frozenset[str] | None = None) -> Any:
    """The class for a draft; `vocabularies` (short names) limits it to the keywords in these."""
    base = _DRAFTS.get(draft, _DRAFTS[_LATEST])
    table = {**base.VALIDATORS, **_replacements(draft, base)}
    if vocabularies is not None:
        allowed = set().union(*(_VOCABULARIES.get(name, set()) for name in vocabularies))
        table = {key: check for key, check in table.items() if key in allowed}
    made = jsonschema.validators.create(
        meta_schema=base.META_SCHEMA,
        validators=table,
        type_checker=base.TYPE_CHECKER.redefine_many(_type_checks(draft)),
        format_checker=None,
        id_of=base.ID_OF,
        applicable_validators=base._APPLICABLE_VALIDATORS,
    )
    made.SPECIFICATION = specification(draft)
    made.evolve = _evolve
    made.descend = _descend
    return made


def specification(draft: str) -> Specification[Any]:
    """How `referencing` reads a resource of this draft."""
    base = _DRAFTS.get(draft, _DRAFTS[_LATEST])
    return specification_with(base.ID_OF(base.META_SCHEMA))


def class_for(schema: Any, registry: Any, default: Any = None) -> Any:
    """The class for a schema by its `$schema`, else `default`, else the undated one."""
    uri = schema.get("$schema") if isinstance(schema, dict) else None
    draft = draft_of(uri)
    if draft != UNDATED:
        return validator_class(draft)
    own = _custom_class(uri, registry, frozenset())
    return own or default or validator_class(UNDATED)


def _custom_class(uri: Any, registry: Any, seen: frozenset[str]) -> Any:
    """The class for a metaschema of someone's own, found in the registry, else None."""
    metaschema = _contents(uri, registry)
    if metaschema is None or uri in seen:
        return None
    above = metaschema.get("$schema")
    draft = draft_of(above)
    if draft == UNDATED:
        return _custom_class(above, registry, seen | {uri})
    named = metaschema.get("$vocabulary")
    if not isinstance(named, dict):
        return validator_class(draft)
    return validator_class(draft, frozenset(name.rsplit("/", 1)[-1] for name in named))


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
    changes.setdefault("registry", self._registry)
    changes.setdefault("_resolver", self._resolver)
    return class_for(schema, self._registry, self.__class__)(**changes)


def _descend(
    self: Any,
    instance: Any,
    schema: Any,
    *,
    path: str | int | None = None,
    schema_path: str | int | None = None,
    resolver: Any = None,
) -> Iterator[Any]:
    """The errors of a subschema, with their place; jsonschema's own loses it where it is false."""
    if schema is True:
        return
    if resolver is None:
        resolver = self._resolver.in_subresource(self.SPECIFICATION.create_resource(schema))
    for error in self.evolve(schema=schema, _resolver=resolver).iter_errors(instance):
        if path is not None:
            error.path.appendleft(path)
        if schema_path is not None:
            error.schema_path.appendleft(schema_path)
        yield error


def _type_checks(draft: str) -> dict[str, Any]:
    checks: dict[str, Any] = {"number": lambda _, value: is_number(value)}
    if draft != "draft-04":
        checks["integer"] = lambda _, value: is_whole(value)
    return checks


def _replacements(draft: str, base: Any) -> dict[str, Any]:
    """Our keywords, in place of those of the same name that the draft has."""
    ours: dict[str, Any] = {
        "additionalProperties": keywords.additional_properties,
        "const": keywords.const,
        "enum": keywords.enum,
        "format": keywords.formats,
        "multipleOf": keywords.multiple_of,
        "pattern": keywords.pattern,
        "patternProperties": keywords.pattern_properties,
        "required": keywords.required,
        "unevaluatedItems": evaluated.unevaluated_items,
        "unevaluatedProperties": evaluated.unevaluated_properties,
        "uniqueItems": keywords.unique_items,
    }
    for name in ("$ref", "$dynamicRef", "$recursiveRef"):
        if name in base.VALIDATORS:
            ours[name] = keywords.reference(base.VALIDATORS[name])
    kept = {key: check for key, check in ours.items() if key in base.VALIDATORS}
    return {**kept, **_old_spellings(base.VALIDATORS)} if draft == UNDATED else kept


def _old_spellings(table: dict[str, Any]) -> dict[str, Any]:
    """What undated schemas may say in the words of earlier drafts, and of OpenAPI 3.0."""
    return {
        "dependencies": jsonschema.Draft7Validator.VALIDATORS["dependencies"],
        "exclusiveMinimum": keywords.exclusive("minimum", table["exclusiveMinimum"]),
        "exclusiveMaximum": keywords.exclusive("maximum", table["exclusiveMaximum"]),
        "items": keywords.items_or_array(table["items"]),
        "type": keywords.nullable_type(table["type"]),
    }
