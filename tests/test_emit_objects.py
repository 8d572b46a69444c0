"""Objects: properties in order, required or not, then other keys; counts of keys."""

import itertools
import json
import random

import pytest

from mlxjson.errors import ConstraintError
from mlxjson.regular import Language
from mlxjson.schema.shapes import Boolean, KeyPattern, Null, Number, Object, Property, Shape, String
from tests.emit_helpers import accepts, takes, written

ANY = KeyPattern(Language.everything(), 1)
INTEGER: tuple[Shape, ...] = (Number(integer=True),)


def keys(names: str, required: str = "") -> tuple[Property, ...]:
    return tuple(Property(name, 1, name in required) for name in names)


def but(names: str) -> KeyPattern:
    return KeyPattern(~Language.literals(names), 1)


@pytest.mark.parametrize("required", ["", "a", "c", "e", "ace", "abcde", "bd"])
def test_every_subset_in_order_and_nothing_else(required: str) -> None:
    emitted = written(Object(keys("abcde", required)), n1=INTEGER)
    assert emitted.exact
    for size in range(6):
        for chosen in itertools.combinations("abcde", size):
            assert takes(emitted, dict.fromkeys(chosen, 1)) == (set(required) <= set(chosen))
    assert not takes(emitted, {"b": 1, "a": 1})
    assert not takes(emitted, {"x": 1})
    assert not takes(emitted, {"a": "1"})
    assert not accepts(emitted.ebnf, '{"a": 1, "a": 1}')


@pytest.mark.parametrize(("low", "high"), [(1, None), (2, 3), (0, 2), (4, 4), (0, 0), (5, 9)])
@pytest.mark.parametrize("required", ["", "c", "ae"])
def test_counts_of_keys(low: int, high: int | None, required: str) -> None:
    shape = Object(keys("abcde", required), min_properties=low, max_properties=high)
    subsets = [set(c) for n in range(6) for c in itertools.combinations("abcde", n)]
    good = [
        s
        for s in subsets
        if set(required) <= s and low <= len(s) <= (high or 9 if high != 0 else 0)
    ]
    if not good:
        with pytest.raises(ConstraintError):
            written(shape, n1=INTEGER)
        return
    emitted = written(shape, n1=INTEGER)
    for subset in subsets:
        assert takes(emitted, dict.fromkeys(sorted(subset), 1)) == (subset in good)


def test_counts_with_other_keys() -> None:
    shape = Object(keys("ab"), (but("ab"),), declared=True, min_properties=2, max_properties=3)
    emitted = written(shape, n1=INTEGER)
    assert [f.keyword for f in emitted.findings] == ["(duplicate keys)"]
    assert takes(emitted, {"a": 1, "x": 1})
    assert takes(emitted, {"x": 1, "y": 1, "z": 1})
    assert not takes(emitted, {"x": 1})
    assert not takes(emitted, {"a": 1, "b": 1, "x": 1, "y": 1})


@pytest.mark.parametrize("closed", [True, False])
def test_other_keys_are_none_of_the_named_however_spelled(closed: bool) -> None:
    names = ["name", "names", "id", "né", "a b"]
    named = tuple(Property(name, 1, False) for name in names)
    others = (KeyPattern(~Language.literals(names), 2),)
    emitted = written(Object(named, others, declared=True), closed=closed, n1=INTEGER, n2=(Null(),))
    for key in [
        "",
        "n",
        "nam",
        "namesx",
        "x",
        "i",
        "idd",
        'na"m',
        "nam\n",
        "nè",
        "a",
        "a  b",
        "name\\",
    ]:
        assert takes(emitted, {key: None}), key
    for name in names:
        assert takes(emitted, {name: 1})
        assert not takes(emitted, {name: None})
    assert not accepts(emitted.ebnf, r'{"n\u0061me": null}')
    assert not accepts(emitted.ebnf, r'{"n\u00e9": null}')


def test_one_other_key_can_not_come_twice() -> None:
    assert written(Object((), (ANY,), declared=True, max_properties=1), n1=INTEGER).exact
    shape = Object(keys("ab", "ab"), (but("ab"),), declared=True, max_properties=3)
    assert written(shape, n1=INTEGER).exact


def test_few_other_keys_become_optional_properties() -> None:
    others = (KeyPattern(Language.literals(["x", "y"]), 1),)
    emitted = written(Object(keys("a"), others, declared=True), n1=INTEGER)
    assert emitted.exact
    assert takes(emitted, {"a": 1, "x": 1, "y": 1})
    assert not accepts(emitted.ebnf, '{"x": 1, "x": 1}')


def test_objects_open_by_default_are_closed_to_generate_if_they_name_keys() -> None:
    named, free = Object(keys("a"), (but("a"),)), Object((), (ANY,))
    assert not takes(written(named, n1=INTEGER), {"x": 1})
    assert takes(written(named, n1=INTEGER, closed=False), {"x": 1})
    assert takes(written(free, n1=INTEGER), {"x": 1})


def test_a_property_without_values_may_not_come() -> None:
    emitted = written(
        Object((Property("a", 1, False), Property("b", 2, False))), n1=(), n2=(Null(),)
    )
    assert takes(emitted, {"b": None})
    assert takes(emitted, {})
    assert not takes(emitted, {"a": None})


def test_a_thousand_properties() -> None:
    names = [f"key{i}" for i in range(1000)]
    emitted = written(
        Object(tuple(Property(n, 1, i % 10 == 0) for i, n in enumerate(names))), n1=INTEGER
    )
    assert len(emitted.ebnf) < 200_000
    assert takes(emitted, dict.fromkeys(names, 1))
    assert takes(emitted, dict.fromkeys(names[::10], 1))
    assert not takes(emitted, dict.fromkeys(names[1:], 1))


@pytest.mark.parametrize("every", [0, 3, 20])
@pytest.mark.parametrize(("low", "high"), [(0, None), (2, 5)])
def test_subsets_of_many_keys_that_begin_alike(every: int, low: int, high: int | None) -> None:
    chance = random.Random(every)
    names = [f"{'item' if i % 3 else 'it'}{i}" for i in range(45)] + ["item", "it", "", '"', "\\"]
    needed = {name for i, name in enumerate(names) if every and i % every == 0}
    shape = Object(
        tuple(Property(name, 1, name in needed) for name in names),
        min_properties=low,
        max_properties=high and high + len(needed),
    )
    emitted = written(shape, n1=INTEGER)
    for _ in range(60):
        some = set(chance.sample(names, chance.randint(0, 4)))
        wanted = (needed | some) - ({chance.choice(names)} if chance.random() < 0.2 else set())
        chosen = [name for name in names if name in wanted]
        right = needed <= wanted and low <= len(chosen) <= (shape.max_properties or 99)
        assert takes(emitted, dict.fromkeys(chosen, 1)) == right, chosen
        turned = dict.fromkeys(reversed(chosen), 1)
        assert takes(emitted, turned) == (right and len(chosen) < 2)


def test_five_hundred_optional_properties_stay_a_small_grammar() -> None:
    emitted = written(Object(tuple(Property(f"key{i}", 1, False) for i in range(500))), n1=INTEGER)
    assert len(emitted.ebnf) < 60_000


def test_a_union_of_objects() -> None:
    first = Object((Property("kind", 1, True), Property("size", 2, True)))
    second = Object((Property("kind", 3, True), Property("name", 4, True)))
    emitted = written(
        first, second, Null(), n1=(Boolean(frozenset({True})),), n2=INTEGER,
        n3=(Boolean(frozenset({False})),), n4=(String(),),
    )  # fmt: skip
    assert takes(emitted, {"kind": True, "size": 3})
    assert takes(emitted, {"kind": False, "name": "x"})
    assert takes(emitted, None)
    assert not takes(emitted, {"kind": True, "name": "x"})


def test_recursion() -> None:
    tree = Object((Property("left", 0, False), Property("right", 0, False)))
    emitted = written(tree, Null())
    deep = None
    for _ in range(200):
        deep = {"left": deep}
    assert accepts(emitted.ebnf, json.dumps(deep))
