"""Arrays: prefix and rest, counts, contains, uniqueItems."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from mlxjson.schema.shapes import Array, Boolean, Contains, Literal, Null, Number, Shape, String
from tests.emit_helpers import takes, written

INTEGER: tuple[Shape, ...] = (Number(integer=True),)
LETTERS: tuple[Shape, ...] = tuple(Literal(c) for c in "abc")


def arrays(values: str, most: int) -> Iterator[list[Any]]:
    for size in range(most + 1):
        yield from map(list, itertools.product(values, repeat=size))


@pytest.mark.parametrize(
    ("low", "high"), [(0, None), (1, None), (2, 4), (0, 0), (3, 3), (0, 1), (4, None), (0, 2)]
)
@pytest.mark.parametrize("prefix", [(), (1,), (1, 2, 1)])
@pytest.mark.parametrize("rest", [None, 1])
def test_prefix_rest_and_counts(
    low: int, high: int | None, prefix: tuple[int, ...], rest: int | None
) -> None:
    shape = Array(prefix, rest, low, high)
    longest = 99 if rest else len(prefix)
    longest = longest if high is None else min(high, longest)
    if longest < low:
        return
    emitted = written(shape, n1=INTEGER, n2=(Null(),))
    assert emitted.exact
    for size in range(7):
        kinds = [*prefix, *[1] * 7][:size]
        assert takes(emitted, [1 if kind == 1 else None for kind in kinds]) == (
            low <= size <= longest
        )
        if size:
            assert not takes(emitted, [None if kind == 1 else 1 for kind in kinds])


@pytest.mark.parametrize(("least", "most"), [(1, None), (0, 0), (2, None), (1, 1), (0, 2), (2, 3)])
@pytest.mark.parametrize(("low", "high"), [(0, None), (2, None), (0, 3), (2, 3)])
def test_contains(least: int, most: int | None, low: int, high: int | None) -> None:
    contains = Contains(1, 2, least, most)
    emitted = written(Array((), None, low, high, contains), n1=(Literal("a"),), n2=(Literal("b"),))
    assert emitted.exact
    for value in arrays("ab", 5):
        count = value.count("a")
        good = least <= count and (most is None or count <= most)
        good &= low <= len(value) <= (99 if high is None else high)
        assert takes(emitted, value) == good, value


@pytest.mark.parametrize(("low", "high"), [(0, None), (1, 2), (3, None), (0, 1)])
def test_unique_items_of_few_values(low: int, high: int | None) -> None:
    emitted = written(Array((), 1, low, high, unique=True), n1=LETTERS)
    assert emitted.exact
    for value in arrays("abc", 4):
        good = len(set(value)) == len(value) and low <= len(value) <= (9 if high is None else high)
        assert takes(emitted, value) == good, value


def test_unique_items_of_many_values_are_left_to_validation() -> None:
    for items in ((String(),), INTEGER, (Boolean(), Number())):
        emitted = written(Array((), 1, unique=True), n1=items)
        assert [(f.pointer, f.keyword) for f in emitted.findings] == [("", "uniqueItems")]
    assert written(Array((), 1, 0, 1, unique=True), n1=(String(),)).exact


def test_large_counts_stay_small_grammars() -> None:
    for shape in (Array((), 1, 0, 100_000), Array((), 1, 5000), Array((), 1, 100, 5000)):
        emitted = written(shape, n1=INTEGER)
        assert len(emitted.ebnf) < 300
        assert takes(emitted, [7] * 5000)


def test_contains_too_much_to_count_is_left_to_validation() -> None:
    emitted = written(Array((), None, 0, 500, Contains(1, 1, 100)), n1=INTEGER)
    assert {f.keyword for f in emitted.findings} == {"maxItems"}
    assert not takes(emitted, [1] * 99)
    assert takes(emitted, [1] * 600)
