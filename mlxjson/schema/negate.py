"""Negation, pushed inwards: what does not satisfy a schema, said in positive terms.

Source: JSON Schema core 2020-12, section 10.2.1.4 (not). A schema is the conjunction of its
keywords, so its negation is a choice: of the type that a keyword speaks of, and against it.
"""

from collections.abc import Iterable
from functools import partial
from itertools import combinations

from mlxjson.schema import arrays, literals, numbers, objects, strings
from mlxjson.schema.applicators import negation
from mlxjson.schema.items import (
    ALL_TYPES,
    ARRAY,
    OBJECT,
    ArrayFacet,
    Choice,
    Excluded,
    Gap,
    Item,
    Items,
    Members,
    Negation,
    Never,
    NumberFacet,
    ObjectFacet,
    OneOf,
    SomeProperty,
    StringFacet,
    Types,
    Watched,
)
from mlxjson.schema.places import Place
from mlxjson.schema.read import items_of

_MOST_BRANCHES = 16


def choice_of(negation: Negation) -> Choice:
    """The ways not to satisfy a place, worked out once."""
    place = negation.place
    found = place.kept.get("negation")
    if found is None:
        branches = tuple(branch for item in items_of(place) for branch in negate(item))
        found = place.kept["negation"] = Choice(branches, place, "not", True, (place,))
    assert isinstance(found, Choice)
    return found


def opposite(items: Items, place: Place) -> Items | None:
    """The negation of a conjunction; None where nothing satisfies it."""
    if arrays.is_never(items):
        return ()
    kept = [item for item in items if not (isinstance(item, Place) and not items_of(item))]
    if not kept:
        return None
    if len(kept) == 1 and isinstance(kept[0], Place):
        return (negation(kept[0]),)
    key = ("opposite", tuple(kept))
    if key not in place.kept:
        branches = tuple(branch for item in kept for branch in negate(item))
        place.kept[key] = (Choice(branches, place, "not", True, tuple(kept)),)
    found: Items = place.kept[key]
    return found


def negate(item: Item) -> tuple[Items, ...]:
    """The conjunctions of which one holds where `item` does not."""
    if isinstance(item, Place):
        return ((negation(item),),)
    if isinstance(item, Negation):
        return ((item.place,),)
    if isinstance(item, Choice | OneOf | Watched | Never | Gap):
        return _negate_combination(item)
    if isinstance(item, Types):
        mask = ALL_TYPES & ~item.mask
        return ((Types(mask, item.place, item.keyword),),) if mask else ()
    if isinstance(item, Members):
        return literals.negate_members(item)
    if isinstance(item, SomeProperty):
        return objects.negate_some(item, partial(opposite, place=item.place))
    if isinstance(item, Excluded):
        return literals.negate_excluded(item)
    return _negate_facet(item)


def _negate_facet(
    item: NumberFacet | StringFacet | ArrayFacet | ObjectFacet,
) -> tuple[Items, ...]:
    if isinstance(item, NumberFacet):
        return numbers.negate(item)
    if isinstance(item, StringFacet):
        return strings.negate(item)
    inverse = partial(opposite, place=item.place)
    if isinstance(item, ArrayFacet):
        return arrays.negate(item, inverse)
    return objects.negate(item, inverse)


def _negate_combination(item: Choice | OneOf | Watched | Never | Gap) -> tuple[Items, ...]:
    if isinstance(item, Never):
        return ((),)
    if isinstance(item, Choice):
        none = _none_of(item.branches, item.place)
        return () if none is None else (none,)
    if isinstance(item, OneOf) and len(item.branches) <= _MOST_BRANCHES:
        none = _none_of(item.branches, item.place)
        two = tuple(a + b for a, b in combinations(item.branches, 2))
        return two if none is None else (none, *two)
    if isinstance(item, Watched):
        return _negate_watched(item)
    keyword = item.keyword if isinstance(item, Gap) else "oneOf"
    mask = item.mask if isinstance(item, Gap) else ALL_TYPES
    gap = Gap(item.place, keyword, "its negation can't be described", mask)
    return ((Types(mask, item.place, keyword), gap),)


def _negate_watched(item: Watched) -> tuple[Items, ...]:
    """What is inside does not hold, or something is left unevaluated and wrong."""
    branches = [branch for each in item.inner for branch in negate(each)]
    for keyword, mask, items in (
        ("unevaluatedProperties", OBJECT, item.properties),
        ("unevaluatedItems", ARRAY, item.items),
    ):
        if items is not None and opposite(items, item.place) is not None:
            gap = Gap(item.place, keyword, "its negation can't be described", mask)
            branches.append((Types(mask, item.place, keyword), gap))
    return tuple(branches)


def _none_of(branches: Iterable[Items], place: Place) -> Items | None:
    """None of the conjunctions holds; None where one always does."""
    inverses = [opposite(branch, place) for branch in branches]
    if any(inverse is None for inverse in inverses):
        return None
    return tuple(item for inverse in inverses if inverse for item in inverse)
