"""One alternative of a conjunction, and how conditions are put into it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mlxjson.schema.arrays import is_never
from mlxjson.schema.choices import all_that_hold, as_members, exclusive
from mlxjson.schema.items import (
    ALL_TYPES,
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
from mlxjson.schema.negate import choice_of
from mlxjson.schema.places import Place
from mlxjson.schema.read import items_of
from mlxjson.schema.summary import ANYTHING, Summary, both, of_items

Groups = tuple[int, ...]


@dataclass(slots=True)
class Trail:
    """The places on the way to an item, to notice a schema that refers to itself in place."""

    item: Item
    before: "Trail | None"

    def holds(self, item: Item) -> bool:
        """Whether `item` is on the way."""
        step: Trail | None = self
        while step is not None:
            if step.item is item:
                return True
            step = step.before
        return False


@dataclass(slots=True)
class Watch:
    """A schema with unevaluated keywords; the items inside it carry its number."""

    watched: Watched
    number: int
    outer: Groups


@dataclass(slots=True)
class Term:
    """One alternative: the facets that hold together, and the choices that are still open."""

    mask: int = ALL_TYPES
    numbers: list[NumberFacet] = field(default_factory=list)
    strings: list[StringFacet] = field(default_factory=list)
    arrays: list[tuple[ArrayFacet, Groups]] = field(default_factory=list)
    objects: list[tuple[ObjectFacet, Groups]] = field(default_factory=list)
    somes: list[SomeProperty] = field(default_factory=list)
    members: Members | None = None
    excluded: Excluded | None = None
    unlike: list[tuple[list[Any] | dict[str, Any], Excluded]] = field(default_factory=list)
    choices: list[tuple[Choice, Groups, Trail | None]] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    watches: list[Watch] = field(default_factory=list)
    unknown: set[int] = field(default_factory=set)
    seen: set[tuple[Item, Groups]] = field(default_factory=set)
    tags: dict[str, Summary] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    closed: frozenset[str] | None = None
    noted: int = 0
    splits: int = 0
    conflict: tuple[str, str] | None = None

    def copy(self) -> "Term":
        """A term that can grow apart from this one."""
        return replace(
            self, numbers=self.numbers[:], strings=self.strings[:], arrays=self.arrays[:],
            objects=self.objects[:], somes=self.somes[:], unlike=self.unlike[:],
            choices=self.choices[:], gaps=self.gaps[:], watches=self.watches[:],
            unknown=set(self.unknown),
            seen=set(self.seen), tags=dict(self.tags), required=set(self.required),
        )  # fmt: skip

    @property
    def excluded_keys(self) -> Mapping[Any, Any]:
        """The values that are ruled out one by one, by their keys."""
        return self.excluded.values if self.excluded else {}

    def narrow(self, mask: int, place: Place, keyword: str, reason: str) -> None:
        """Drop the types that are not in `mask`, remembering why nothing is left."""
        left = self.mask & mask
        if not left and self.mask:
            self.conflict = (f"{place.pointer}/{keyword}" if keyword else place.pointer, reason)
        self.mask = left


def absorb(term: Term, items: Iterable[tuple[Item, Groups, Trail | None]]) -> None:
    """Add conditions to a term, following references; choices are put aside."""
    waiting = list(items)[::-1]  # the next one last
    while waiting and term.mask:
        item, groups, trail = waiting.pop()
        mark = (item, groups)
        if trail is not None and trail.holds(item):
            term.narrow(0, _place_of(item), "", "it refers to itself without end")
        elif mark not in term.seen:
            term.seen.add(mark)
            if isinstance(item, Place):
                step = Trail(item, trail)
                waiting += [(each, groups, step) for each in reversed(items_of(item))]
            else:
                waiting += reversed(list(_unfolded(term, item, groups, trail)))


def _place_of(item: Item) -> Place:
    return item if isinstance(item, Place) else item.place


def _unfolded(
    term: Term, item: Item, groups: Groups, trail: Trail | None
) -> Iterator[tuple[Item, Groups, Trail | None]]:
    """Put a facet where it belongs; give what any other item consists of."""
    if isinstance(item, Negation):
        yield from _choose(term, choice_of(item), (), Trail(item, trail))
    elif isinstance(item, Choice | OneOf):
        members = as_members(item)
        if members is not None:
            yield members, groups, trail
        else:
            choice = exclusive(item) if isinstance(item, OneOf) else item
            yield from _choose(term, choice, groups, trail)
    elif isinstance(item, Watched):
        number = len(term.watches)
        term.watches.append(Watch(item, number, groups))
        yield from ((each, (*groups, number), trail) for each in item.inner)
    else:
        _collect(term, item, groups)


def _choose(
    term: Term, choice: Choice, groups: Groups, trail: Trail | None
) -> Iterator[tuple[Item, Groups, Trail | None]]:
    """Put a choice aside; take it at once where there is nothing to choose."""
    if len(choice.branches) == 1:
        inner = () if choice.derived else groups
        yield from ((item, inner, trail) for item in choice.branches[0])
    elif not choice.branches:
        term.narrow(0, choice.place, choice.keyword, "no value is left")
    elif groups and choice.keyword == "anyOf":
        term.choices.append((all_that_hold(choice), groups, trail))
    elif groups or not any(_trivial(branch) for branch in choice.branches):
        term.choices.append((choice, groups, trail))


def _trivial(branch: Items) -> bool:
    return all(isinstance(item, Place) and not items_of(item) for item in branch)


def _collect(term: Term, item: Item, groups: Groups) -> None:
    """Add one facet to a term."""
    if isinstance(item, Types):
        names = "the types that are left are ruled out"
        term.narrow(item.mask, item.place, item.keyword, names)
    elif isinstance(item, NumberFacet):
        term.numbers.append(item)
    elif isinstance(item, StringFacet):
        term.strings.append(item)
    elif isinstance(item, ArrayFacet):
        term.arrays.append((item, groups))
    elif isinstance(item, ObjectFacet):
        term.objects.append((item, groups))
    elif isinstance(item, SomeProperty):
        term.somes.append(item)
    elif isinstance(item, Members):
        _only(term, item)
    elif isinstance(item, Excluded):
        before = term.excluded.values if term.excluded else {}
        term.excluded = Excluded({**before, **item.values}, item.place, item.keyword)
        term.unlike += [(v, item) for v in item.values.values() if isinstance(v, list | dict)]
        if term.members is not None:
            _only(term, term.members)
    elif isinstance(item, Never):
        term.narrow(0, item.place, item.keyword, item.reason)
    elif isinstance(item, Gap):
        term.gaps.append(item)


def _only(term: Term, members: Members) -> None:
    """Keep the values that all enums share and nothing excludes."""
    before: Mapping[Any, Any] | None = term.members.values if term.members else None
    values = {
        key: value
        for key, value in members.values.items()
        if (before is None or key in before) and key not in term.excluded_keys
    }
    term.members = Members(values, members.place, members.keyword)
    if not values:
        reason = "no value is left" if members.values else f"{members.keyword} is empty"
        term.narrow(0, members.place, members.keyword, reason)


def note_objects(term: Term) -> None:
    """Sum up the object conditions that came since the last time, and see whether they agree.

    Not done while no choice depends on it: most schemas have none.
    """
    for facet, _ in term.objects[term.noted :]:
        for name, items in facet.properties.items():
            tag = of_items(items)
            if tag is not ANYTHING:
                term.tags[name] = both(term.tags[name], tag) if name in term.tags else tag
        term.required.update(facet.required)
        if facet.additional is not None and not facet.patterns and is_never(facet.additional):
            names = frozenset(facet.properties)
            term.closed = names if term.closed is None else term.closed & names
    term.noted = len(term.objects)
    if term.mask & OBJECT and term.required:
        _check_required(term)


def _check_required(term: Term) -> None:
    """Drop objects where a required property can't be there."""
    for name in term.required:
        tag = term.tags.get(name)
        if tag is not None and tag.empty:
            _no_object(term, name)
            return
    if term.closed is not None and not term.required <= term.closed:
        _no_object(term, min(term.required - term.closed))


def _no_object(term: Term, name: str) -> None:
    place = term.objects[0][0].place
    term.narrow(ALL_TYPES & ~OBJECT, place, "", f"the required property {name!r} can't be there")
