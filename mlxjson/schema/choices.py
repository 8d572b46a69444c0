"""Choices made of `anyOf` and `oneOf`.

Source: JSON Schema core 2020-12, sections 10.2.1.2 (anyOf), 10.2.1.3 (oneOf) and 11 (what is
evaluated by the branches that hold).
"""

from itertools import chain, combinations

from mlxjson.schema.items import Choice, Item, Items, OneOf
from mlxjson.schema.negate import opposite
from mlxjson.schema.summary import disjoint

_SUBSETS = 4


def all_that_hold(choice: Choice) -> Choice:
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
