"""Alternatives: a conjunction worked out until only facets are left in each.

Choices are distributed one after the other, those first that have one viable branch left. Where
that would give too many alternatives a choice is given up and becomes a gap: the result then
allows more than the schema, and says so.
"""

from dataclasses import dataclass
from heapq import heappop, heappush
from math import prod
from operator import itemgetter

from mlxjson.errors import ConstraintError
from mlxjson.schema import literals, string_choices
from mlxjson.schema.evaluate import Unclear, holds
from mlxjson.schema.items import (
    ARRAY,
    OBJECT,
    STRING,
    Choice,
    Gap,
    Items,
    Members,
    StringFacet,
)
from mlxjson.schema.literals import type_of
from mlxjson.schema.objects import some_of
from mlxjson.schema.summary import Summary, both, of_items
from mlxjson.schema.term import Groups, Term, Trail, absorb, note_objects

_SPLIT_ONCE = 4096
_FEW = 12
_LIMITS = ((30_000, 64), (45_000, 8))


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
    waiting: list[tuple[int, tuple[int, ...], Term]] = [(len(first.choices), (), first)]
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
    while term.mask and not term.choices and (term.somes or term.unlike):
        choice = _last_choice(term)
        if choice is not None:
            absorb(term, [(choice, (), None)])


def _last_choice(term: Term) -> Choice | None:
    """One more choice, from what is only turned into one when nothing else is open."""
    if term.somes:
        some = term.somes.pop()
        facets = [facet for facet, _ in term.objects]
        return some_of(some, facets) if term.mask & OBJECT else None
    unlike, term.unlike = term.unlike, []
    if term.members is not None:
        return None  # its values were looked at one by one
    kept = [(value, excluded) for value, excluded in unlike if type_of(value) & term.mask]
    if len(kept) > _FEW:
        reason = f"more than {_FEW} arrays or objects are ruled out"
        excluded = kept[0][1]
        term.gaps.append(Gap(excluded.place, excluded.keyword, reason, ARRAY | OBJECT))
        return None
    if not kept:
        return None
    term.unlike = kept[1:]
    return literals.unlike(*kept[0])


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
        excluded=frozenset(term.excluded_keys),
        tags=term.tags,
        required=frozenset(term.required),
        closed=term.closed,
    )


def _viable(known: Summary, branch: Items) -> bool:
    summary = of_items(branch)
    return bool(summary.mask & known.mask) and not both(known, summary).empty
