"""Words of a tree between two lengths, without an automaton where the form allows."""

from mlxjson.regular.measure import span
from mlxjson.regular.tree import (
    ANY,
    EVERYTHING,
    NOTHING,
    Alt,
    Node,
    Repeat,
    Seq,
    Words,
    alt,
    repeat,
    seq,
    words,
)

MAX_CASES = 64


def any_length(least: int, most: int | None) -> Node:
    """Every text of `least` to `most` code points."""
    if most is not None and least > most:
        return NOTHING
    return repeat(ANY, least, most)


def as_length(node: Node) -> tuple[int, int | None] | None:
    """The bounds, if `node` says nothing but a length."""
    if isinstance(node, Repeat) and node.item == ANY:
        return node.least, node.most
    return (1, 1) if node == ANY else None


def bound(node: Node, least: int, most: int | None) -> Node | None:
    """The words of `node` with `least` to `most` code points, or None: take the automaton."""
    lengths = span(node)
    if lengths is None:
        return NOTHING if node == NOTHING else None
    shortest, longest = lengths
    if shortest >= least and (most is None or (longest is not None and longest <= most)):
        return node
    if (longest is not None and longest < least) or (most is not None and shortest > most):
        return NOTHING
    if node == EVERYTHING:
        return any_length(least, most)
    if isinstance(node, Words):
        return words(w for w in node.texts if least <= len(w) and (most is None or len(w) <= most))
    if isinstance(node, Alt):
        parts = [bound(item, least, most) for item in node.items]
        known = [part for part in parts if part is not None]
        return alt(known) if len(known) == len(parts) else None
    return _bound_sequence(node.items if isinstance(node, Seq) else (node,), least, most)


def _bound_sequence(items: tuple[Node, ...], least: int, most: int | None) -> Node | None:
    """A sequence in which one item alone varies in length: the bounds move into that item."""
    spans = [span(item) for item in items]
    varying = [i for i, pair in enumerate(spans) if pair is None or pair[0] != pair[1]]
    if len(varying) != 1:
        return _bound_cases(items, varying, least, most)
    place = varying[0]
    fixed = sum(pair[0] for i, pair in enumerate(spans) if i != place and pair is not None)
    inner = _bound_item(items[place], max(least - fixed, 0), None if most is None else most - fixed)
    return None if inner is None else seq((*items[:place], inner, *items[place + 1 :]))


def _bound_cases(
    items: tuple[Node, ...], varying: list[int], least: int, most: int | None
) -> Node | None:
    """A sequence in which several items vary: those with few lengths are taken case by case."""
    cases: list[tuple[Node, ...]] = [items]
    open_ended = 0
    for place in varying:
        options = _by_length(items[place])
        if not options or len(cases) * len(options) > MAX_CASES:
            open_ended += 1
            continue
        cases = [
            (*case[:place], option, *case[place + 1 :]) for case in cases for option in options
        ]
    if open_ended > 1:
        return None
    bounded = [bound(seq(case), least, most) for case in cases]
    known = [node for node in bounded if node is not None]
    return alt(known) if len(known) == len(bounded) else None


def _by_length(node: Node) -> list[Node]:
    """Parts of `node` that each have one length, at most `MAX_CASES`; none where it has others."""
    parts: list[Node] = []
    if isinstance(node, Alt):
        parts = list(node.items)
    elif isinstance(node, Words):
        lengths = dict.fromkeys(map(len, node.texts))
        parts = [words(text for text in node.texts if len(text) == n) for n in lengths]
    elif isinstance(node, Repeat) and node.most and node.most - node.least < MAX_CASES:
        parts = [repeat(node.item, n, n) for n in range(node.least, node.most + 1)]
    fixed = [span(part) for part in parts]
    return parts if all(pair is not None and pair[0] == pair[1] for pair in fixed) else []


def _bound_item(item: Node, least: int, most: int | None) -> Node | None:
    if not isinstance(item, Repeat):
        return bound(item, least, most)
    inner = span(item.item)
    if inner is None:
        return None
    if inner[0] != inner[1]:
        return _bound_option(item, least, most)
    width = inner[0]
    low = max(item.least, -(-least // width))
    high = item.most if most is None else min(most // width, item.most or most)
    return NOTHING if high is not None and low > high else repeat(item.item, low, high)


def _bound_option(item: Repeat, least: int, most: int | None) -> Node | None:
    """x? where x varies in length."""
    if item.least != 0 or item.most != 1:
        return None
    inner = bound(item.item, least, most)
    if inner is None:
        return None
    return repeat(inner, 0, 1) if least == 0 else inner
