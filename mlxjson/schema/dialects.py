"""Which keywords a schema may use: one set for each draft, chosen by `$schema`.

A schema without `$schema` is read as draft 2020-12 in which the older spellings still mean what
they used to. A meta-schema with `$vocabulary` (2019-09 and 2020-12) switches whole families off.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

_CORE = {"$ref", "$schema", "definitions"}
_DRAFT4 = _CORE | {
    "id", "type", "enum", "allOf", "anyOf", "oneOf", "not", "multipleOf", "maximum", "minimum",
    "exclusiveMaximum", "exclusiveMinimum", "maxLength", "minLength", "pattern", "format",
    "items", "additionalItems", "maxItems", "minItems", "uniqueItems", "maxProperties",
    "minProperties", "required", "properties", "patternProperties", "additionalProperties",
    "dependencies",
}  # fmt: skip
_DRAFT6 = (_DRAFT4 - {"id"}) | {"$id", "const", "contains", "propertyNames"}
_DRAFT7 = _DRAFT6 | {"if", "then", "else"}
_DRAFT2019 = (_DRAFT7 - {"dependencies"}) | {
    "$anchor", "$recursiveRef", "$recursiveAnchor", "$defs", "$vocabulary", "dependentRequired",
    "dependentSchemas", "minContains", "maxContains", "unevaluatedItems", "unevaluatedProperties",
}  # fmt: skip
_DRAFT2020 = (_DRAFT2019 - {"$recursiveRef", "$recursiveAnchor", "additionalItems"}) | {
    "$dynamicRef", "$dynamicAnchor", "prefixItems",
}  # fmt: skip
_VALIDATION = {
    "type", "enum", "const", "multipleOf", "maximum", "minimum", "exclusiveMaximum",
    "exclusiveMinimum", "maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems",
    "maxContains", "minContains", "maxProperties", "minProperties", "required",
    "dependentRequired",
}  # fmt: skip
_VOCABULARIES = {
    "validation": _VALIDATION,
    "unevaluated": {"unevaluatedItems", "unevaluatedProperties"},
    "format-annotation": {"format"},
}


@dataclass(frozen=True, slots=True)
class Dialect:
    """How to read a schema.

    Attributes:
        name: the draft, in the spelling of the `referencing` library ("draft-04", "draft2020-12").
        keywords: the keywords that mean something.
        id_keyword: the keyword that names a schema ("id" in draft 4).
        ref_alone: whether `$ref` makes its siblings mean nothing (drafts 4 to 7).
        boolean_exclusive: whether exclusiveMinimum and exclusiveMaximum are booleans (draft 4);
            None where both spellings are understood.
        items_array: whether `items` may be an array; with it goes `additionalItems`.
        contains_evaluates: whether `contains` counts for unevaluatedItems (2020-12).
        plain_integers: whether 1.0 is no integer (draft 4, section 3.5).
    """

    name: str
    keywords: frozenset[str]
    id_keyword: str = "$id"
    ref_alone: bool = False
    boolean_exclusive: bool | None = False
    items_array: bool = True
    contains_evaluates: bool = False
    plain_integers: bool = False


DRAFT4 = Dialect("draft-04", frozenset(_DRAFT4), "id", True, True, plain_integers=True)
DRAFT6 = Dialect("draft-06", frozenset(_DRAFT6), "$id", True)
DRAFT7 = Dialect("draft-07", frozenset(_DRAFT7), "$id", True)
DRAFT2019 = Dialect("draft2019-09", frozenset(_DRAFT2019))
DRAFT2020 = Dialect("draft2020-12", frozenset(_DRAFT2020), items_array=False,
                    contains_evaluates=True)  # fmt: skip
ANY_DRAFT = Dialect(
    "draft2020-12",
    frozenset(_DRAFT2020 | {"additionalItems", "dependencies", "nullable"}),
    boolean_exclusive=None,
    contains_evaluates=True,
)

_BY_URI = {
    "http://json-schema.org/draft-04/schema": DRAFT4,
    "http://json-schema.org/draft-06/schema": DRAFT6,
    "http://json-schema.org/draft-07/schema": DRAFT7,
    "https://json-schema.org/draft/2019-09/schema": DRAFT2019,
    "https://json-schema.org/draft/2020-12/schema": DRAFT2020,
}
META_SCHEMAS = {dialect.name: uri for uri, dialect in _BY_URI.items()}


def known(uri: str) -> Dialect | None:
    """The draft whose meta-schema `uri` is, with http and https taken for the same."""
    bare = uri.rstrip("#")
    swapped = bare.replace("https:", "http:", 1) if bare[:6] == "https:" else "https" + bare[4:]
    return _BY_URI.get(bare) or _BY_URI.get(swapped)


def dialect_of(schema: Any, default: Dialect, fetch: Callable[[str], Any]) -> Dialect:
    """The dialect that `schema` names with `$schema`, else `default`.

    `fetch` gives the document of a meta-schema that is not one of the drafts, or None.
    """
    uri = schema.get("$schema") if isinstance(schema, Mapping) else None
    if not isinstance(uri, str):
        return default
    return known(uri) or _custom(uri, default, fetch)


def _custom(uri: str, default: Dialect, fetch: Callable[[str], Any]) -> Dialect:
    """A dialect of one's own: its draft, less the vocabularies that its meta-schema leaves out.

    Source: JSON Schema core 2020-12, section 8.1.2.
    """
    meta = fetch(uri)
    if not isinstance(meta, Mapping):
        return default
    base = known(str(meta.get("$schema", ""))) or default
    vocabulary = meta.get("$vocabulary")
    if not isinstance(vocabulary, Mapping):
        return base
    named = {str(entry).rsplit("/", 1)[-1] for entry in vocabulary}
    dropped = {word for name, words in _VOCABULARIES.items() for word in words if name not in named}
    return Dialect(
        base.name, base.keywords - (dropped - {"format"}), base.id_keyword, base.ref_alone,
        base.boolean_exclusive, base.items_array, base.contains_evaluates,
    )  # fmt: skip
