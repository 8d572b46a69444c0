"""Many constants as one expression that shares their beginnings.

xgrammar takes 5,000 alternatives side by side, but with 20,000 its first mask takes minutes; as a
tree of shared beginnings they take half a second.
"""

from collections.abc import Iterable

from mlxjson.schema.emit.notation import Lit, either, seq

FLAT = 48
_DEEPEST = 40


def constants(texts: Iterable[str]) -> str:
    """The alternatives for `texts`, at least one: a body of a rule."""
    unique = list(dict.fromkeys(texts))
    if len(unique) <= FLAT:
        return either(seq(Lit(text)) for text in unique)
    return _branches(sorted(unique), 0)


def _branches(texts: list[str], depth: int) -> str:
    """`texts` are sorted and distinct."""
    if depth > _DEEPEST:
        return either(seq(Lit(text)) for text in texts)
    ways = []
    start = 0
    while start < len(texts):
        end = start + 1
        head = texts[start][:1]
        while head and end < len(texts) and texts[end][:1] == head:
            end += 1
        ways.append(_branch(texts[start:end], depth))
        start = end
    return either(ways)


def _branch(texts: list[str], depth: int) -> str:
    if len(texts) == 1:
        return seq(Lit(texts[0]))
    first, last = texts[0], texts[-1]
    pairs = zip(first, last, strict=False)
    size = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(first), len(last)))
    rest = _branches([text[size:] for text in texts], depth + 1)
    return seq(Lit(first[:size]), f"({rest})")
