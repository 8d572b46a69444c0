"""Many alternatives as one expression that shares their beginnings.

xgrammar takes 5,000 alternatives side by side, but with 20,000 its first mask takes minutes; as a
tree of shared beginnings they take half a second.
"""

from collections.abc import Iterable

from mlxjson.schema.emit.notation import Lit, Part, either, seq

FLAT = 48
_DEEPEST = 40

Way = tuple[Part, ...]


def constants(texts: Iterable[str]) -> str:
    """The alternatives for `texts`, at least one: a body of a rule."""
    unique = list(dict.fromkeys(texts))
    ways: list[Way] = [(Lit(text),) for text in unique]
    return either(seq(*way) for way in ways) if len(ways) <= FLAT else shared(ways)


def shared(ways: Iterable[Way]) -> str:
    """The alternatives `ways`, each of which begins with its own literal text."""
    return _branches(sorted((str(head), rest) for head, *rest in ways), 0)


def _branches(ways: list[tuple[str, list[Part]]], depth: int) -> str:
    """`ways` are sorted, their texts distinct."""
    if depth > _DEEPEST:
        return either(seq(Lit(text), *rest) for text, rest in ways)
    branches = []
    start = 0
    while start < len(ways):
        end = start + 1
        head = ways[start][0][:1]
        while head and end < len(ways) and ways[end][0][:1] == head:
            end += 1
        branches.append(_branch(ways[start:end], depth))
        start = end
    return either(branches)


def _branch(ways: list[tuple[str, list[Part]]], depth: int) -> str:
    text, rest = ways[0]
    if len(ways) == 1:
        return seq(Lit(text), *rest)
    pairs = zip(text, ways[-1][0], strict=False)
    size = next((i for i, (a, b) in enumerate(pairs) if a != b), len(text))
    below = _branches([(text[size:], rest) for text, rest in ways], depth + 1)
    return seq(Lit(text[:size]), f"({below})")
