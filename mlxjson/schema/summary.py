"""A cheap upper bound on what a conjunction allows, to see early that two can't hold together.

A summary never claims less than the truth: types, the values of an enum, and for objects which
properties are required, what is known of their values, and whether others may come.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mlxjson.schema import negate
from mlxjson.schema.arrays import is_never
from mlxjson.schema.items import (
    ALL_TYPES,
    OBJECT,
    Choice,
    Excluded,
    Item,
    Items,
    Members,
    Negation,
    Never,
    ObjectFacet,
    OneOf,
    Types,
    Watched,
)
from mlxjson.schema.literals import key, type_of
from mlxjson.schema.places import Place
from mlxjson.schema.read import items_of

_MOST_BRANCHES = 32
_DEEPEST = 12


@dataclass(frozen=True, slots=True)
class Summary:
    """What may be.

    Attributes:
        mask: the types that may be.
        allowed: if known, the only values there may be, keyed by `literals.key`.
        excluded: keys of values that can't be.
        tags: what is known of the values of some properties.
        required: properties that an object must have.
        closed: if known, the only names that an object may have.
    """

    mask: int = ALL_TYPES
    allowed: Mapping[Any, Any] | None = None
    excluded: frozenset[Any] = frozenset()
    tags: Mapping[str, "Summary"] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    closed: frozenset[str] | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing is allowed for certain."""
        return self.mask == 0


ANYTHING = Summary()
NOTHING = Summary(mask=0)


def of_items(items: Iterable[Item], depth: int = 0) -> Summary:
    """The summary of a conjunction."""
    result = ANYTHING
    for item in items:
        part = of_item(item, depth)
        if part is not ANYTHING:
            result = part if result is ANYTHING else both(result, part)
            if result.empty:
                return NOTHING
    return result


def of_item(item: Item, depth: int) -> Summary:
    """The summary of one condition."""
    if isinstance(item, Place):
        return _of_place(item, depth)
    if isinstance(item, Types):
        return Summary(mask=item.mask)
    if isinstance(item, Members):
        mask = 0
        for value in item.values.values():
            mask |= type_of(value)
        return Summary(mask=mask, allowed=item.values)
    if isinstance(item, Excluded):
        return Summary(excluded=frozenset(item.values))
    if isinstance(item, ObjectFacet):
        return _of_object(item, depth)
    if isinstance(item, Choice | OneOf):
        return _of_choice(item.branches, depth)
    if isinstance(item, Watched):
        return of_items(item.inner, depth)
    if isinstance(item, Negation):
        return _of_negation(item, depth)
    return NOTHING if isinstance(item, Never) else ANYTHING


def both(a: Summary, b: Summary) -> Summary:
    """What two conjunctions allow together."""
    mask = a.mask & b.mask
    excluded = a.excluded | b.excluded
    tags = dict(a.tags)
    for name, tag in b.tags.items():
        tags[name] = both(tags[name], tag) if name in tags else tag
    closed = a.closed if b.closed is None else b.closed if a.closed is None else a.closed & b.closed
    required = a.required | b.required
    if mask & OBJECT and _contradiction(tags, required, closed):
        mask &= ~OBJECT
    together = Summary(mask, None, excluded, tags, required, closed)
    if a.allowed is None and b.allowed is None:
        return together
    allowed = _both_allowed(a.allowed, b.allowed, together)
    kinds = 0
    for value in allowed.values():
        kinds |= type_of(value)
    return replace(together, mask=mask & kinds, allowed=allowed)


def disjoint(a: Summary, b: Summary) -> bool:
    """Whether no value satisfies both, as far as can be seen cheaply."""
    mask = a.mask & b.mask
    if not mask or (mask == OBJECT and _tags_clash(a, b)):
        return True
    return both(a, b).empty


def _tags_clash(a: Summary, b: Summary) -> bool:
    """Whether a property that one requires can't be for the other: the usual way to tell apart."""
    for name in a.required | b.required:
        first, second = a.tags.get(name), b.tags.get(name)
        if first is None or second is None:
            continue
        if not first.mask & second.mask:
            return True
        if first.allowed is not None and second.allowed is not None:
            fewer, more = sorted((first.allowed, second.allowed), key=len)
            if not any(each in more for each in fewer):
                return True
    return False


def _both_allowed(
    a: Mapping[Any, Any] | None, b: Mapping[Any, Any] | None, rest: Summary
) -> Mapping[Any, Any]:
    """The values in both, where None means all, that the rest of what is known allows."""
    first, second = (a, b) if a is not None else (b, None)
    assert first is not None
    return {
        name: value
        for name, value in first.items()
        if (second is None or name in second) and _allows(rest, name, value)
    }


def _allows(summary: Summary, name: Any, value: Any) -> bool:
    """Whether a value, with its key, may be among what is summed up. `allowed` is not looked at."""
    if name in summary.excluded or not type_of(value) & summary.mask:
        return False
    if not isinstance(value, dict):
        return True
    if not summary.required <= value.keys():
        return False
    if summary.closed is not None and not value.keys() <= summary.closed:
        return False
    return all(_tag_allows(summary.tags[n], v) for n, v in value.items() if n in summary.tags)


def _tag_allows(tag: Summary, value: Any) -> bool:
    name = key(value)
    return _allows(tag, name, value) and (tag.allowed is None or name in tag.allowed)


def _contradiction(
    tags: Mapping[str, Summary], required: frozenset[str], closed: frozenset[str] | None
) -> bool:
    """Whether a required property can't be there."""
    if closed is not None and not required <= closed:
        return True
    return any(name in tags and tags[name].empty for name in required)


def _of_place(place: Place, depth: int) -> Summary:
    if place.summary is None:
        if depth > _DEEPEST:
            return ANYTHING
        place.summary = ANYTHING  # what a recursive schema finds of itself meanwhile
        place.summary = of_items(items_of(place), depth + 1)
    return place.summary


def _of_negation(item: Negation, depth: int) -> Summary:
    """Known only where the choice of ways is small."""
    place = item.place
    if place.opposite is None:
        if depth > _DEEPEST:
            return ANYTHING
        place.opposite = ANYTHING
        place.opposite = _of_choice(negate.choice_of(item).branches, depth + 1)
    return place.opposite


def _of_choice(branches: tuple[Items, ...], depth: int) -> Summary:
    """What any of the branches allows."""
    if len(branches) > _MOST_BRANCHES:
        return ANYTHING
    parts = [part for part in (of_items(branch, depth + 1) for branch in branches) if part.mask]
    if len(parts) == 1:
        return parts[0]
    mask = 0
    for part in parts:
        mask |= part.mask
    known = [part.allowed for part in parts if part.allowed is not None]
    if len(known) < len(parts):
        return Summary(mask=mask)
    return Summary(mask=mask, allowed={k: v for values in known for k, v in values.items()})


def _of_object(facet: ObjectFacet, depth: int) -> Summary:
    if depth > _DEEPEST:
        return ANYTHING
    tags = {}
    for name, items in facet.properties.items():
        tag = of_items(items, depth + 1)
        if tag is not ANYTHING:
            tags[name] = tag
    closed = None
    if facet.additional is not None and not facet.patterns and is_never(facet.additional):
        closed = frozenset(facet.properties)
    required = frozenset(facet.required)
    if not tags and not required and closed is None:
        return ANYTHING
    return Summary(tags=tags, required=required, closed=closed)
