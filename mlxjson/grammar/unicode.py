"""Only Unicode text out of a grammar: xgrammar's classes hold surrogates, and UTF-8 has none.

`[^"]` lets the three bytes of U+D800 pass, which no decoder takes.
"""

from mlxjson.errors import ConstraintError
from mlxjson.grammar.finite import rule_of
from mlxjson.grammar.graph import CLASS, CLASS_STAR, TEXT, Graph

_FIRST, _LAST = 0xD800, 0xDFFF
_MOST = 0x10FFFF


def leave_out_surrogates(graph: Graph) -> bool:
    """Take surrogates out of the character classes of `graph`; whether any was changed.

    Raises:
        ConstraintError: a literal text is no Unicode text.
    """
    changed = False
    for node, kind in enumerate(graph.kinds):
        if kind == TEXT:
            _check_text(graph, node)
        elif kind in (CLASS, CLASS_STAR):
            before = graph.values[node]
            graph.values[node] = without_surrogates(before)
            changed = changed or graph.values[node] != before
    return changed


def _check_text(graph: Graph, node: int) -> None:
    try:
        bytes(graph.values[node]).decode()
    except UnicodeDecodeError:
        name = rule_of(graph, node)
        message = f"rule '{name}' holds half a surrogate pair or a character past U+10FFFF"
        raise ConstraintError(message) from None


def without_surrogates(values: list[int]) -> list[int]:
    """The values of a class (negated?, first, last, …) with surrogates taken out."""
    negated, *ends = values
    pairs = list(zip(ends[::2], ends[1::2], strict=True))
    if negated:
        covered = any(first <= _FIRST and last >= _LAST for first, last in pairs)
        return values if covered else [*values, _FIRST, _LAST]
    if all(last < _FIRST or first > _LAST for first, last in pairs) and _within(pairs):
        return values
    kept = [piece for first, last in pairs for piece in _around(first, min(last, _MOST))]
    return [negated, *(end for piece in kept for end in piece)]


def _within(pairs: list[tuple[int, int]]) -> bool:
    return all(last <= _MOST for _, last in pairs)


def _around(first: int, last: int) -> list[tuple[int, int]]:
    """What is left of first..last without surrogates."""
    below = (first, min(last, _FIRST - 1))
    above = (max(first, _LAST + 1), last)
    return [piece for piece in (below, above) if piece[0] <= piece[1]]
