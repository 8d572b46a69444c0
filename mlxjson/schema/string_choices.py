"""Choices between strings, worked out as one regular language instead of many alternatives.

Regular languages are closed under union, intersection and complement, so where only strings are
left any combination of `anyOf`, `oneOf`, `not` and patterns is one language.
"""

from mlxjson.errors import ConstraintError
from mlxjson.regular import Language
from mlxjson.schema import strings
from mlxjson.schema.items import (
    STRING,
    Choice,
    Excluded,
    Gap,
    Item,
    Items,
    Members,
    Negation,
    Never,
    OneOf,
    StringFacet,
    Types,
    Watched,
)
from mlxjson.schema.places import Place
from mlxjson.schema.read import items_of

_DEEPEST = 32


def language_of(choice: Choice) -> Language:
    """The strings that a choice allows. Raises ConstraintError where they can't be worked out."""
    return _any_of(choice.branches, 0, False)


def _any_of(branches: tuple[Items, ...], depth: int, strict: bool) -> Language:
    union = Language.nothing()
    for branch in branches:
        union = union | _all_of(branch, depth, strict)
    return union


def _all_of(items: Items, depth: int, strict: bool) -> Language:
    language = Language.everything()
    for item in items:
        language = language & _of_item(item, depth + 1, strict)
    return language


def _of_item(item: Item, depth: int, strict: bool) -> Language:
    """`strict`: a part of the language will not do, because its complement is asked for."""
    if depth > _DEEPEST:
        raise ConstraintError("it is nested too deeply")
    if isinstance(item, Place):
        return _all_of(items_of(item), depth, strict)
    if isinstance(item, StringFacet):
        return _of_facet(item, strict)
    if isinstance(item, Negation):
        return ~_all_of(items_of(item.place), depth, True)
    if isinstance(item, Choice):
        return _any_of(item.branches, depth, strict)
    if isinstance(item, OneOf):
        return _one_of(item.branches, depth)
    if isinstance(item, Watched):
        return _all_of(item.inner, depth, strict)
    if isinstance(item, Types | Never):
        possible = isinstance(item, Types) and item.mask & STRING
        return Language.everything() if possible else Language.nothing()
    return _of_values(item)


def _of_values(item: Item) -> Language:
    if isinstance(item, Members | Excluded):
        words = [value for value in item.values.values() if isinstance(value, str)]
        listed = Language.literals(words) if words else Language.nothing()
        return listed if isinstance(item, Members) else ~listed
    if isinstance(item, Gap) and item.mask & STRING:
        raise ConstraintError(item.reason)
    return Language.everything()


def _one_of(branches: tuple[Items, ...], depth: int) -> Language:
    languages = [_all_of(branch, depth, True) for branch in branches]
    result = Language.nothing()
    for index, language in enumerate(languages):
        alone = language
        for other in languages[:index] + languages[index + 1 :]:
            alone = alone - other
        result = result | alone
    return result


def _of_facet(facet: StringFacet, strict: bool) -> Language:
    lengths = Language.length(facet.min_length, facet.max_length)
    if facet.source is None and facet.language is None:
        return lengths
    if (strict or facet.negated) and not strings.is_whole(facet):
        raise ConstraintError(f"what is no {facet.keyword} can't be described")
    return strings.language_of(facet, strict) & lengths
