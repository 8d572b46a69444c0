"""The shapes of objects: all object conditions of one alternative put together name by name."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mlxjson.errors import ConstraintError
from mlxjson.regular import Language
from mlxjson.schema import strings
from mlxjson.schema.items import OBJECT, Gap, Item, Items, ObjectFacet
from mlxjson.schema.literals import writable
from mlxjson.schema.shapes import KeyPattern, Literal, NodeId, Object, Property, String
from mlxjson.schema.term import Term, Watch

if TYPE_CHECKING:
    from mlxjson.schema.builder import Builder

_ANY: NodeId = 0
_NONE: NodeId = 1
_MOST_CLASSES = 32
_MOST_SECONDS = 1.0


@dataclass(slots=True)
class _Names:
    """What the object conditions say of names, worked out once for a shape."""

    facets: list[ObjectFacet]
    languages: dict[str, Language]
    open: set[int]
    allowed: list[Language]
    unevaluated: list[tuple[Watch, list[ObjectFacet]]]


def shape(builder: "Builder", term: Term, gaps: list[Gap]) -> Object | None:
    """The objects of an alternative, or None if there are none."""
    facets = [facet for facet, _ in term.objects]
    least = max((facet.min_properties for facet in facets), default=0)
    mosts = [facet.max_properties for facet in facets if facet.max_properties is not None]
    most = min(mosts, default=None)
    required = dict.fromkeys(name for facet in facets for name in facet.required)
    if most is not None and max(least, len(required)) > most:
        return None
    names = _names(builder, term, gaps)
    listed = dict.fromkeys(name for facet in facets for name in facet.properties)
    listed.update(required)
    properties = []
    for name in listed:
        refused = _refused(names, name) or not writable(name)
        node = _NONE if refused else builder.node(_value(names, name))
        if node == _NONE and name in required:
            return None
        properties.append(Property(name, node, name in required))
    others, declared = _others(builder, names, tuple(listed), gaps)
    least = 0 if least <= len(required) else least
    possible = sum(entry.node != _NONE for entry in properties)
    if not others and least > possible:
        return None
    if most is not None and not others and most >= possible:
        most = None
    if least > possible:  # closed, there would not be enough keys
        others, declared = tuple(replace(entry, declared=True) for entry in others), True
    declared = declared or not properties
    return Object(tuple(properties), others, declared and bool(others), least, most)


def _names(builder: "Builder", term: Term, gaps: list[Gap]) -> _Names:
    facets = [facet for facet, _ in term.objects]
    names = _Names(facets, {}, set(), [], [])
    for facet in facets:
        for text, _ in facet.patterns:
            _compile(names, facet, text, gaps)
        if facet.names is not None:
            names.allowed += _language_of(builder, facet, facet.names, gaps)
    for watch in term.watches:
        if watch.watched.properties is not None:
            _watch(term, watch, names, gaps)
    return names


def _compile(names: _Names, facet: ObjectFacet, text: str, gaps: list[Gap]) -> None:
    """The language of a pattern; without one, what the facet says of unlisted names is left out."""
    try:
        names.languages[text] = strings.pattern(text)
    except ConstraintError as error:
        names.open.add(id(facet))
        gaps.append(Gap(facet.place, "patternProperties", error.message, OBJECT))


def _language_of(
    builder: "Builder", facet: ObjectFacet, items: Items, gaps: list[Gap]
) -> list[Language]:
    """The strings that a schema for names allows; none where that is every string.

    Source: JSON Schema core 2020-12, section 10.3.2.4 (propertyNames).
    """
    languages: list[Language] = []
    found: list[Gap] = []
    shapes = builder.string_shapes(items, found)
    gaps += (Gap(facet.place, "propertyNames", gap.reason, OBJECT) for gap in found)
    if String() in shapes:
        return []
    for made in shapes:
        if isinstance(made, Literal) and isinstance(made.value, str):
            languages.append(Language.literal(made.value))
        elif isinstance(made, String):
            languages.append(_words(made))
    if not languages:
        return [Language.nothing()]
    union = languages[0]
    for language in languages[1:]:
        union = union | language
    return [union]


def _words(shape: String) -> Language:
    lengths = Language.length(shape.min_length, shape.max_length)
    return lengths if shape.language is None else shape.language


def _watch(term: Term, watch: Watch, names: _Names, gaps: list[Gap]) -> None:
    """Note for `unevaluatedProperties` which conditions evaluate something.

    Source: JSON Schema core 2020-12, section 11.3.
    """
    if watch.number in term.unknown:
        reason = "which properties are evaluated is left open"
        gaps.append(Gap(watch.watched.place, "unevaluatedProperties", reason, OBJECT))
        return
    nested = any(
        watch.number in other.outer and other.watched.properties is not None
        for other in term.watches
    )
    inside = [f for f, groups in term.objects if watch.number in groups and f.evaluates]
    if not nested and not any(facet.additional is not None for facet in inside):
        names.unevaluated.append((watch, inside))


def _refused(names: _Names, name: str) -> bool:
    return any(not language.accepts(name) for language in names.allowed)


def _value(names: _Names, name: str) -> Items:
    """What the value of the property `name` must be."""
    if not names.languages and not names.unevaluated and len(names.facets) == 1:
        return _named(names, names.facets[0], name)

    def matches(pattern: str) -> bool:
        return pattern in names.languages and names.languages[pattern].accepts(name)

    found: list[Item] = []
    for facet in names.facets:
        found += _said(names, facet, facet.properties.get(name), matches)
    for watch, inside in names.unevaluated:
        if not any(name in f.properties or _some(f, matches) for f in inside):
            found += watch.watched.properties or ()
    return tuple(found)


def _named(names: _Names, facet: ObjectFacet, name: str) -> Items:
    """What the only facet says, which has no patterns."""
    items = facet.properties.get(name)
    if items is not None:
        return items
    return () if facet.additional is None or id(facet) in names.open else facet.additional


def _said(
    names: _Names, facet: ObjectFacet, named: Items | None, matches: Callable[[str], bool]
) -> Items:
    """What one facet says of a value: by name, by pattern, or as additional."""
    if not facet.patterns and facet.additional is None:
        return named or ()
    found: list[Item] = list(named or ())
    matched = [items for text, items in facet.patterns if matches(text)]
    for items in matched:
        found += items
    if named is None and not matched and facet.additional and id(facet) not in names.open:
        found += facet.additional
    return tuple(found)


def _some(facet: ObjectFacet, matches: Callable[[str], bool]) -> bool:
    return any(matches(text) for text, _ in facet.patterns)


def _others(
    builder: "Builder", names: _Names, listed: tuple[str, ...], gaps: list[Gap]
) -> tuple[tuple[KeyPattern, ...], bool]:
    """The names that are not listed, in disjoint sets; and whether the schema spoke of them."""
    declared = bool(
        names.allowed
        or names.unevaluated
        or any(facet.additional is not None or facet.patterns for facet in names.facets)
    )
    if not declared:
        return (KeyPattern(strings.all_but(listed), _ANY),), False
    if not names.languages and builder.node(_other_value(names, frozenset())) == _NONE:
        return (), True
    try:
        classes = _classes(names, listed)
    except ConstraintError as error:
        place = names.facets[0].place
        gaps.append(Gap(place, names.facets[0].keyword, error.message, OBJECT))
        return (KeyPattern(strings.all_but(listed), _ANY),), True
    found = []
    spoken = bool(names.allowed or names.unevaluated) or any(
        facet.additional is not None for facet in names.facets
    )
    for language, patterns in classes:
        node = builder.node(_other_value(names, patterns))
        if node != _NONE:
            found.append(KeyPattern(language, node, spoken or bool(patterns)))
    return tuple(found), True


def _other_value(names: _Names, patterns: frozenset[str]) -> Items:
    matches = patterns.__contains__
    found: list[Item] = []
    for facet in names.facets:
        found += _said(names, facet, None, matches)
    for watch, inside in names.unevaluated:
        if not any(_some(facet, matches) for facet in inside):
            found += watch.watched.properties or ()
    return tuple(found)


def _classes(names: _Names, listed: tuple[str, ...]) -> list[tuple[Language, frozenset[str]]]:
    """The unlisted names, divided by the patterns they match.

    Emptiness is looked at only after a division: every string but a few is never empty.
    """
    rest = strings.all_but(listed)
    for language in names.allowed:
        rest = rest & language
    classes = [(rest, frozenset[str]())]
    until = time.process_time() + _MOST_SECONDS
    for text, language in names.languages.items():
        divided: list[tuple[Language, frozenset[str]]] = []
        for part, matched in classes:
            both = ((part & language, matched | {text}), (part - language, matched))
            divided += [entry for entry in both if not entry[0].is_empty()]
            if len(divided) > _MOST_CLASSES or time.process_time() > until:
                raise ConstraintError("its patterns overlap in too many ways")
        classes = divided
    if names.allowed and not names.languages and rest.is_empty():
        return []
    return classes
