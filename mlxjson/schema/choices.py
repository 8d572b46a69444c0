"""Choices made of `anyOf` and `oneOf`.

Source: JSON Schema core 2020-12, sections 10.2.1.2 (anyOf), 10.2.1.3 (oneOf) and 11 (what is
evaluated by the branches that hold).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import chain, combinations
from typing import Any

from mlxjson.schema.items import Choice, Item, Items, Members, OneOf, Types
from mlxjson.schema.literals import type_of
from mlxjson.schema.negate import opposite
from mlxjson.schema.places import Place
from mlxjson.schema.read import items_of
from mlxjson.schema.summary import Summary, disjoint, of_items

_SUBSETS = 4


def all_that_hold(choice: Choice) -> Choice:
    """`anyOf` where it matters which of its branches hold: one branch for each set of them.

    With many branches only single ones and pairs are told apart, which may refuse a value but
    never lets one through.
    """
    found = choice.place.kept.get(("subsets", choice))
    if found is None:
        count = len(choice.branches)
        most = count if count <= _SUBSETS else 2 if count <= 10 else 1
        sets = chain.from_iterable(
            combinations(choice.branches, size) for size in range(1, most + 1)
        )
        branches = tuple(tuple(chain.from_iterable(each)) for each in sets)
        found = Choice(branches, choice.place, "anyOf")
        choice.place.kept["subsets", choice] = found
    assert isinstance(found, Choice)
    return found


def exclusive(item: OneOf) -> Choice:
    """`oneOf` as a choice: each branch with the negation of those that could hold as well.

    Source: JSON Schema core 2020-12, section 10.2.1.3.
    """
    found = item.place.kept.get(("oneOf", item))
    if found is None:
        rivals = _rivals([of_items(branch) for branch in item.branches])
        branches = tuple(_alone(item, index, others) for index, others in enumerate(rivals))
        kept = tuple(branch for branch in branches if branch is not None)
        found = item.place.kept["oneOf", item] = Choice(kept, item.place, "oneOf")
    assert isinstance(found, Choice)
    return found


def _alone(item: OneOf, index: int, others: list[int]) -> Items | None:
    """A branch without what also belongs to `others`; None where one of these always holds."""
    found: list[Item] = list(item.branches[index])
    for other in others:
        inverse = opposite(item.branches[other], item.place)
        if inverse is None:
            return None
        found += inverse
    return tuple(found)


def _rivals(summaries: list[Summary]) -> list[list[int]]:
    """For each branch those that could hold as well. Constants are looked up, not compared."""
    by_value: dict[Any, list[int]] = defaultdict(list)
    unlisted = []
    for index, summary in enumerate(summaries):
        if summary.allowed is None:
            unlisted.append(index)
        for name in summary.allowed or ():
            by_value[name].append(index)
    rivals = []
    for index, summary in enumerate(summaries):
        others: Iterable[int] = range(len(summaries))
        if summary.allowed is not None:
            others = {*unlisted, *(i for name in summary.allowed for i in by_value[name])}
        rivals.append(
            [i for i in sorted(others) if i != index and not disjoint(summary, summaries[i])]
        )
    return rivals


def as_members(item: Choice | OneOf) -> Members | None:
    """A choice between constants as one enum, if it is that."""
    key = ("members", item)
    if key not in item.place.kept:
        item.place.kept[key] = _as_members(item)
    found = item.place.kept[key]
    assert found is None or isinstance(found, Members)
    return found


def _as_members(item: Choice | OneOf) -> Members | None:
    count: Counter[Any] = Counter()
    values: dict[Any, Any] = {}
    for branch in item.branches:
        own = _constants(branch)
        if own is None:
            return None
        values.update(own)
        count.update(own.keys())
    if isinstance(item, OneOf):
        values = {name: value for name, value in values.items() if count[name] == 1}
    keyword = "oneOf" if isinstance(item, OneOf) else item.keyword
    return Members(values, item.place, keyword)


def _constants(branch: Items) -> dict[Any, Any] | None:
    """The values of a branch that is an enum and at most a type beside it."""
    if len(branch) != 1 or not isinstance(branch[0], Place):
        return None
    items = items_of(branch[0])
    listed = [item for item in items if isinstance(item, Members)]
    types = [item for item in items if isinstance(item, Types)]
    if len(listed) != 1 or len(types) + 1 != len(items):
        return None
    return {
        name: value
        for name, value in listed[0].values.items()
        if all(type_of(value) & each.mask for each in types)
    }
