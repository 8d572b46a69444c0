"""Alternatives: a conjunction worked out until only facets are left in each.

Choices are distributed one after the other, those first that have one viable branch left. Where
that would give too many alternatives a choice is given up and becomes a gap: the result then
allows more than the schema, and says so.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import chain, combinations
from math import prod
from operator import itemgetter
from typing import Any

from mlxjson.errors import ConstraintError
from mlxjson.schema import string_choices
from mlxjson.schema.arrays import is_never
from mlxjson.schema.evaluate import Unclear, holds
from mlxjson.schema.items import (
    ALL_TYPES,
    OBJECT,
    STRING,
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
from mlxjson.schema.negate import choice_of, opposite
from mlxjson.schema.objects import some_of
from mlxjson.schema.places import Place
from mlxjson.schema.read import items_of
from mlxjson.schema.summary import ANYTHING, Summary, both, disjoint, of_items

Groups = tuple[int, ...]
_SPLIT_ONCE = 4096
_FEW = 12
_LIMITS = ((30_000, 64), (45_000, 8))
_SUBSETS = 4


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
    excluded: dict[Any, Any] = field(default_factory=dict)
    choices: list[tuple[Choice, Groups, Trail | None]] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    watches: list[Watch] = field(default_factory=list)
    unknown: set[int] = field(default_factory=set)
    seen: set[tuple[int, Groups]] = field(default_factory=set)
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
            objects=self.objects[:], somes=self.somes[:], excluded=dict(self.excluded),
            choices=self.choices[:], gaps=self.gaps[:], watches=self.watches[:],
            unknown=set(self.unknown),
            seen=set(self.seen), tags=dict(self.tags), required=set(self.required),
        )  # fmt: skip

    def narrow(self, mask: int, place: Place, keyword: str, reason: str) -> None:
        """Drop the types that are not in `mask`, remembering why nothing is left."""
        left = self.mask & mask
        if not left and self.mask:
            self.conflict = (f"{place.pointer}/{keyword}" if keyword else place.pointer, reason)
        self.mask = left


def _try_members(term: Term, members: Members) -> None:
    """Keep the constants that satisfy all open choices, which are then no longer open."""
    conditions: Items = (*(choice for choice, _, _ in term.choices), *term.somes)
    try:
        values = {k: v for k, v in members.values.items() if holds(conditions, v)}
    except Unclear:
        return
    term.choices, term.somes = [], []
    term.members = Members(values, members.place, members.keyword)
    if not values:
        term.narrow(0, members.place, members.keyword, "no value fits its other conditions")


@dataclass(slots=True)
class Effort:
    """How much has been looked at for one schema, in tests whether a branch is viable.

    Counted and not timed, so that the same schema always gives the same table.
    """

    spent: int = 0

    @property
    def limit(self) -> int:
        """How many alternatives the next conjunction may have."""
        return next((most for bound, most in _LIMITS if self.spent < bound), 1)


def expand(items: Items, effort: Effort) -> list[Term]:
    """The alternatives of a conjunction: satisfied where one of them is. At most `effort.limit`.

    A term that came to a contradiction is among them only if all did (its mask is 0).
    """
    first = Term()
    absorb(first, [(item, (), None) for item in items])
    _settle(first)
    if not first.choices or not first.mask:
        return [first]
    dead = first
    done: list[tuple[tuple[int, ...], Term]] = []
    # Those with the fewest open choices first: one that multiplies must not use up the room.
    waiting = [(len(first.choices), (), first)]
    while waiting:
        _, path, term = heappop(waiting)
        for index, part in enumerate(_split(term, len(waiting) + len(done), effort)):
            _settle(part)
            if not part.mask:
                dead = part
            elif part.choices:
                heappush(waiting, (len(part.choices), (*path, index), part))
            else:
                done.append(((*path, index), part))
    return [term for _, term in sorted(done, key=itemgetter(0))] or [dead]


def _settle(term: Term) -> None:
    """Try constants one by one; turn "some property is like that" into a choice of names."""
    if term.choices or term.splits:
        note_objects(term)
    if term.members is not None and (term.choices or term.somes) and not term.watches:
        _try_members(term, term.members)
    while term.somes and term.mask and not term.choices:
        some = term.somes.pop()
        if term.mask & OBJECT:
            choice = some_of(some, [facet for facet, _ in term.objects])
            absorb(term, [(choice, (), None)])


def _split(term: Term, others: int, effort: Effort) -> list[Term]:
    """The term with one choice distributed, or given up."""
    limit = effort.limit
    if term.mask == STRING and _fold_strings(term):
        return [term]
    if limit == 1:
        return [_without_choices(term)]
    index, branches = _next_choice(term, effort)
    choice, groups, trail = term.choices.pop(index)
    room = _SPLIT_ONCE if term.splits == 0 else limit
    if len(branches) > 1 and others + len(branches) > room:
        _give_up(term, choice, groups, f"it would take more than {limit} alternatives")
        return [term]
    if not branches:
        term.narrow(0, choice.place, choice.keyword, "no alternative is left")
        return [term]
    return [_taken(term, branch, choice, groups, trail) for branch in branches]


def _fold_strings(term: Term) -> bool:
    """Make one language of all choices, where distributing them would give many alternatives."""
    if prod(len(choice.branches) for choice, _, _ in term.choices) < _FEW:
        return False
    made = []
    for choice, _, _ in term.choices:
        try:
            language = string_choices.language_of(choice)
        except ConstraintError:
            return False
        made.append(StringFacet(choice.place, choice.keyword, language=language))
    term.strings += made
    term.choices = []
    return True


def _give_up(term: Term, choice: Choice, groups: Groups, reason: str) -> None:
    term.gaps.append(Gap(choice.place, choice.keyword, reason, term.mask))
    term.unknown.update(groups)


def _without_choices(term: Term) -> Term:
    """The term with all its choices given up: enough effort was spent elsewhere."""
    for choice, groups, _ in term.choices:
        _give_up(term, choice, groups, "the schema has too many combinations")
    term.choices = []
    return term


def _taken(term: Term, branch: Items, choice: Choice, groups: Groups, trail: Trail | None) -> Term:
    taken = term.copy()
    taken.splits += 1
    # Only what is really inside the schema counts as evaluated, not what a negation gave.
    inner = () if choice.derived else groups
    absorb(taken, [(item, inner, trail) for item in branch])
    return taken


def _next_choice(term: Term, effort: Effort) -> tuple[int, list[Items]]:
    """The choice to distribute next, with its viable branches: the most constrained one first."""
    best: tuple[tuple[bool, bool, int], int, list[Items]] | None = None
    known = _known(term)
    for index, (choice, _, _) in enumerate(term.choices):
        effort.spent += len(choice.branches)
        if choice.against is not None and both(known, of_items(choice.against)).empty:
            return index, [()]  # what it denies can't hold anyway
        branches = [branch for branch in choice.branches if _viable(known, branch)]
        if len(branches) <= 1:
            return index, branches
        rank = (choice.derived, len(choice.branches) > 8, index)
        if best is None or rank < best[0]:
            best = (rank, index, branches)
    assert best is not None
    return best[1], best[2]


def _known(term: Term) -> Summary:
    """What is known of a term so far."""
    return Summary(
        mask=term.mask,
        allowed=term.members.values if term.members else None,
        excluded=frozenset(term.excluded),
        tags=term.tags,
        required=frozenset(term.required),
        closed=term.closed,
    )


def _viable(known: Summary, branch: Items) -> bool:
    summary = of_items(branch)
    return bool(summary.mask & known.mask) and not both(known, summary).empty


def absorb(term: Term, items: Iterable[tuple[Item, Groups, Trail | None]]) -> None:
    """Add conditions to a term, following references; choices are put aside."""
    waiting = deque(items)
    while waiting and term.mask:
        item, groups, trail = waiting.popleft()
        mark = (id(item), groups)
        if trail is not None and trail.holds(item):
            term.narrow(0, _place_of(item), "", "it refers to itself without end")
        elif mark not in term.seen:
            term.seen.add(mark)
            waiting.extendleft(reversed(list(_unfolded(term, item, groups, trail))))


def _place_of(item: Item) -> Place:
    return item if isinstance(item, Place) else item.place


def _unfolded(
    term: Term, item: Item, groups: Groups, trail: Trail | None
) -> Iterator[tuple[Item, Groups, Trail | None]]:
    """Put a facet where it belongs; give what any other item consists of."""
    if isinstance(item, Place):
        inner = items_of(item)
        step = Trail(item, trail)
        yield from ((each, groups, step) for each in inner)
    elif isinstance(item, Negation):
        yield from _choose(term, choice_of(item), (), Trail(item, trail))
    elif isinstance(item, OneOf):
        yield from _choose(term, exclusive(item), groups, trail)
    elif isinstance(item, Choice):
        yield from _choose(term, item, groups, trail)
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
        term.choices.append((_all_that_hold(choice), groups, trail))
    elif groups or not any(_trivial(branch) for branch in choice.branches):
        term.choices.append((choice, groups, trail))


def _trivial(branch: Items) -> bool:
    return all(isinstance(item, Place) and not items_of(item) for item in branch)


def _all_that_hold(choice: Choice) -> Choice:
    """`anyOf` where it matters which of its branches hold: one branch for each set of them.

    With many branches only single ones and pairs are told apart, which may refuse a value but
    never lets one through.
    """
    found = choice.place.kept.get(("subsets", id(choice)))
    if found is None:
        count = len(choice.branches)
        most = count if count <= _SUBSETS else 2 if count <= 10 else 1
        sets = chain.from_iterable(
            combinations(choice.branches, size) for size in range(1, most + 1)
        )
        branches = tuple(tuple(chain.from_iterable(each)) for each in sets)
        found = Choice(branches, choice.place, "anyOf")
        choice.place.kept["subsets", id(choice)] = found
    assert isinstance(found, Choice)
    return found


def exclusive(item: OneOf) -> Choice:
    """`oneOf` as a choice: each branch with the negation of those that could hold as well.

    Source: JSON Schema core 2020-12, section 10.2.1.3.
    """
    found = item.place.kept.get(("oneOf", id(item)))
    if found is None:
        branches = tuple(_alone(item, index) for index in range(len(item.branches)))
        kept = tuple(branch for branch in branches if branch is not None)
        found = item.place.kept["oneOf", id(item)] = Choice(kept, item.place, "oneOf")
    assert isinstance(found, Choice)
    return found


def _alone(item: OneOf, index: int) -> Items | None:
    branch = item.branches[index]
    others: list[Item] = []
    for other in item.branches[:index] + item.branches[index + 1 :]:
        if disjoint(branch, other):
            continue
        inverse = opposite(other, item.place)
        if inverse is None:
            return None
        others += inverse
    return (*branch, *others)


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
        term.excluded.update(item.values)
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
        if (before is None or key in before) and key not in term.excluded
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
